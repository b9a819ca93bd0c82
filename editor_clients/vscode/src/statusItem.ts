// The items in the status bars: the model, its state and why nothing was suggested; and the menu of commands.
import * as vscode from 'vscode';
import { clock } from './asking';
import type { Server, Status } from './server';
import { LANGUAGES } from './settings';

const LONGEST_LINE = 80; // characters of an entry of the menu

interface Choice extends vscode.QuickPickItem {
  run(): unknown;
}

export function createStatusItem(server: Server): vscode.Disposable {
  const item = vscode.languages.createLanguageStatusItem('inscope', LANGUAGES.map((language) => ({ language })));
  item.name = 'Inscope';
  const bar = vscode.window.createStatusBarItem('inscope', vscode.StatusBarAlignment.Right, 100);
  bar.name = 'Inscope';
  bar.command = 'inscope.menu';
  const show = (): void => {
    const { state, model, message, lastWithheld, problems = [] } = server.status;
    const shown = server.paused ? 'paused' : server.snoozedUntil ? `snoozed until ${clock(server.snoozedUntil)}` : state;
    item.text = `Inscope: ${shown}`;
    const why = sentences(server.status);
    // a line of the list that this item is in cuts sentences off, and what comes after them
    const inBrief = problems.length > 0 ? 'something is wrong' : lastWithheld ? 'nothing is shown here' : '';
    item.detail = inBrief || (model && `model ${model}`);
    item.command = { title: inBrief ? 'Why?' : 'Menu', command: 'inscope.menu' };
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
function sentences({ message, problems = [], lastWithheld }: Status): string {
  const wrong = [...problems.slice(0, 1).map((one) => one.message), message].filter((one) => one !== '');
  const said = wrong.filter((one) => !wrong.some((other) => other.length > one.length && other.includes(one)));
  return [...new Set(said), ...(isSaid(lastWithheld, wrong) ? [] : [`Not shown: ${lastWithheld?.message ?? ''}`])].join(' ');
}

/** Whether nothing is left to say of ghost text that was not shown: what is wrong says why. */
function isSaid(lastWithheld: Status['lastWithheld'], wrong: string[]): boolean {
  return !lastWithheld || wrong.some((one) => one.includes(lastWithheld.message));
}

/** What is wrong and why nothing is shown, as entries of the menu: two lines of each, and a dialog with all of it. */
function explanations({ message, problems = [], lastWithheld }: Status): Choice[] {
  const explain = (sentence: string, icon: string, more = ''): Choice => {
    const [label = '', ...rest] = linesOf(`${icon} ${sentence}`);
    const run = (): unknown => vscode.window.showInformationMessage(sentence, { modal: true, detail: more });
    return { label, detail: rest.join(' '), alwaysShow: true, run };
  };
  const wrong = [...new Set([...problems.map((one) => one.message), message])].filter((one) => one !== '');
  return [
    ...wrong.map((one) => explain(one, '$(warning)')),
    ...(lastWithheld && !isSaid(lastWithheld, wrong) ? [explain(`Not shown: ${lastWithheld.message}`, '$(eye-closed)', lastWithheld.details)] : []),
  ];
}

/** A text in lines that the menu does not cut off. */
function linesOf(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (longer.length > LONGEST_LINE) {
      lines.push(word);
    } else {
      lines[lines.length - 1] = longer;
    }
  }
  return lines;
}

export async function showMenu(server: Server): Promise<void> {
  const { state, model } = server.status;
  const ask = (command: string) => (): Thenable<unknown> => vscode.commands.executeCommand(command);
  const choices: Choice[] = [
    ...explanations(server.status),
    server.paused
      ? { label: '$(debug-start) Resume', run: () => server.pause(false) }
      : { label: '$(debug-pause) Pause', description: 'neither ghost text nor menu', run: () => server.pause(true) },
    server.snoozedUntil
      ? { label: '$(bell) End the snooze', run: () => server.snooze(0) }
      : { label: '$(bell-slash) Snooze ...', description: 'no ghost text for some minutes', run: ask('inscope.snooze') },
    { label: '$(comment) When ghost text comes ...', description: 'as you type, or when you ask', run: ask('inscope.setTrigger') },
    { label: '$(dashboard) Eagerness ...', description: 'how much is shown unasked', run: ask('inscope.setEagerness') },
    { label: '$(list-selection) What the menu lists ...', description: 'all names, or the few most probable', run: ask('inscope.setMode') },
    { label: '$(server-process) Choose a model ...', run: ask('inscope.chooseModel') },
    { label: '$(debug-restart) Restart the server', run: () => server.restart() },
    { label: '$(output) Show log', run: () => server.showLog() },
    {
      label: '$(list-flat) Trace of the last suggestion',
      description: 'what the model wanted, and what was refused',
      run: ask('inscope.showTrace'),
    },
    {
      label: '$(cloud-download) Set up',
      description: 'install TypeScript 7 and QuickJS for Inscope',
      run: ask('inscope.setUpParts'),
    },
    { label: '$(pulse) Doctor', description: 'is everything installed, and does it work?', run: ask('inscope.doctor') },
    { label: '$(gear) Settings', run: () => vscode.commands.executeCommand('workbench.action.openSettings', '@ext:inscope.inscope') },
  ];
  const picked = await vscode.window.showQuickPick(choices, { title: `Inscope: model ${model}, ${state}`, matchOnDetail: true });
  await picked?.run();
}
