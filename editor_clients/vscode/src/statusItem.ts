// The items in the status bars: the model, its state and why nothing was suggested; and the menu of commands.
import * as vscode from 'vscode';
import type { Server, Status } from './server';
import { LANGUAGES } from './settings';

export function createStatusItem(server: Server): vscode.Disposable {
  const item = vscode.languages.createLanguageStatusItem('inscope', LANGUAGES.map((language) => ({ language })));
  item.name = 'Inscope';
  item.command = { title: 'Menu', command: 'inscope.menu' };
  const bar = vscode.window.createStatusBarItem('inscope', vscode.StatusBarAlignment.Right, 100);
  bar.name = 'Inscope';
  bar.command = 'inscope.menu';
  const show = (): void => {
    const { state, model, message, lastWithheld, problems = [] } = server.status;
    const shown = server.paused ? 'paused' : server.snoozedUntil ? `snoozed until ${clock(server.snoozedUntil)}` : state;
    item.text = `Inscope: ${shown}`;
    const why = sentences(server.status, (one) => `${one.message} (${one.reason})`);
    item.detail = why || (model && `model ${model}`);
    const busy = state === 'loading' || state === 'starting';
    item.busy = busy;
    const wrong = state === 'failed' || state === 'stopped' || problems.length > 0;
    const silent = server.paused || server.snoozedUntil !== undefined;
    item.severity = wrong ? vscode.LanguageStatusSeverity.Warning : vscode.LanguageStatusSeverity.Information;
    bar.text = `$(${wrong ? 'warning' : silent ? 'debug-pause' : busy ? 'loading~spin' : 'symbol-namespace'}) Inscope`;
    const sentence = `Inscope: ${shown}${model && `, model ${model}`}${why && `. ${why}`}`;
    const details = problems.length > 0 || message ? '' : (lastWithheld?.details ?? '');
    bar.tooltip = details ? `${sentence}\n\n${details}` : sentence;
    bar.accessibilityInformation = { label: sentence };
    bar.show();
  };
  show();
  return vscode.Disposable.from(item, bar, server.onStatus(show));
}

/** What is wrong, and why the last ghost text was not shown; each sentence once. */
function sentences(status: Status, notShown: (one: NonNullable<Status['lastWithheld']>) => string): string {
  const { message, problems = [], lastWithheld } = status;
  const said = [...problems.slice(0, 1).map((one) => one.message), message, lastWithheld ? notShown(lastWithheld) : ''];
  return [...new Set(said.filter((one) => one !== ''))].join(' ');
}

const clock = (time: Date): string => time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });

interface Choice extends vscode.QuickPickItem {
  run(): unknown;
}

export async function showMenu(server: Server): Promise<void> {
  const { state, model } = server.status;
  const summary = sentences(server.status, (one) => `not shown: ${one.message}`);
  const choices: Choice[] = [
    server.paused
      ? { label: '$(debug-start) Resume', run: () => server.pause(false) }
      : { label: '$(debug-pause) Pause', run: () => server.pause(true) },
    server.snoozedUntil
      ? { label: '$(bell) End the snooze', run: () => server.snooze(0) }
      : { label: '$(bell-slash) Snooze ...', description: 'no ghost text for some minutes', run: () => vscode.commands.executeCommand('inscope.snooze') },
    { label: '$(comment) When ghost text comes ...', run: () => vscode.commands.executeCommand('inscope.setTrigger') },
    { label: '$(dashboard) Eagerness ...', description: 'how much is shown unasked', run: () => vscode.commands.executeCommand('inscope.setEagerness') },
    { label: '$(server-process) Choose a model ...', run: () => vscode.commands.executeCommand('inscope.chooseModel') },
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
