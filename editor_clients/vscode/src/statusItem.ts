// The items in the status bars: the model, its state and why nothing was suggested; and the menu of commands.
import * as vscode from 'vscode';
import { LANGUAGES, type Server } from './server';

export function createStatusItem(server: Server): vscode.Disposable {
  const item = vscode.languages.createLanguageStatusItem('inscope', LANGUAGES.map((language) => ({ language })));
  item.name = 'Inscope';
  item.command = { title: 'Menu', command: 'inscope.menu' };
  const bar = vscode.window.createStatusBarItem('inscope', vscode.StatusBarAlignment.Right, 100);
  bar.name = 'Inscope';
  bar.command = 'inscope.menu';
  const show = (): void => {
    const { state, model, message, lastWithheld } = server.status;
    const shown = server.paused ? 'paused' : state;
    item.text = `Inscope: ${shown}`;
    const why = message || (lastWithheld ? `${lastWithheld.message} (${lastWithheld.reason})` : '');
    item.detail = why || `model ${model}`;
    item.busy = state === 'loading';
    const wrong = state === 'failed' || state === 'stopped';
    item.severity = wrong ? vscode.LanguageStatusSeverity.Warning : vscode.LanguageStatusSeverity.Information;
    bar.text = `$(${wrong ? 'warning' : server.paused ? 'debug-pause' : state === 'loading' ? 'loading~spin' : 'symbol-namespace'}) Inscope`;
    bar.tooltip = `Inscope: ${shown}, model ${model}${why && `. ${why}`}`;
    bar.accessibilityInformation = { label: bar.tooltip };
    bar.show();
  };
  show();
  return vscode.Disposable.from(item, bar, server.onStatus(show));
}

interface Choice extends vscode.QuickPickItem {
  run(): unknown;
}

export async function showMenu(server: Server): Promise<void> {
  const { state, model, message, lastWithheld } = server.status;
  const summary = lastWithheld ? `not shown: ${lastWithheld.message}` : message;
  const choices: Choice[] = [
    server.paused
      ? { label: '$(debug-start) Resume', run: () => server.pause(false) }
      : { label: '$(debug-pause) Pause', run: () => server.pause(true) },
    { label: '$(debug-restart) Restart the server', run: () => server.restart() },
    { label: '$(output) Show log', run: () => server.showLog() },
    {
      label: '$(list-flat) Trace of the last suggestion',
      description: 'what the model wanted, and what was refused',
      run: () => vscode.commands.executeCommand('inscope.showTrace'),
    },
    {
      label: '$(cloud-download) Set up',
      description: 'install TypeScript 7 and QuickJS for Inscope',
      run: () => vscode.commands.executeCommand('inscope.setUpParts'),
    },
    { label: '$(pulse) Doctor', description: 'is everything installed, and does it work?', run: () => vscode.commands.executeCommand('inscope.doctor') },
    { label: '$(gear) Settings', run: () => vscode.commands.executeCommand('workbench.action.openSettings', '@ext:inscope.inscope') },
  ];
  const picked = await vscode.window.showQuickPick(choices, { title: `Inscope: model ${model}, ${state}`, placeHolder: summary });
  await picked?.run();
}
