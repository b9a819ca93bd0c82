// Ghost text by hand: the command that asks, why nothing comes, a silence of some minutes, how much is shown unasked, and when; and what the
// menu lists.
import * as vscode from 'vscode';
import { counted } from './messages';
import type { Server, Status } from './server';
import { change, choicesOf } from './settings';

const MINUTES = [5, 15, 30, 60];
const MINUTE_MS = 60_000;
const TOLD_MS = 10_000; // for a sentence to be read

export function askingCommands(server: Server): vscode.Disposable {
  const command = vscode.commands.registerCommand.bind(vscode.commands);
  const choosing = (name: string, title: string) => (value?: string) => choose(server, name, title, value);
  return vscode.Disposable.from(
    command('inscope.suggest', () => suggest(server)),
    command('inscope.snooze', async (minutes?: number) => server.snooze(minutes ?? (await pickMinutes()))),
    command('inscope.endSnooze', () => server.snooze(0)),
    command('inscope.setEagerness', choosing('inline.eagerness', 'How much is shown unasked?')),
    command('inscope.setTrigger', choosing('inline.trigger', 'When does ghost text come?')),
    command('inscope.setMode', choosing('completion.mode', 'What does the menu list?')),
  );
}

/** Ask for ghost text at the cursor, once the server runs; where none can come, say why. */
async function suggest(server: Server): Promise<void> {
  if (!server.running && server.status.state === 'starting') {
    tell('the server is starting; what you asked for comes then');
  }
  await server.settled();
  if (!server.running) {
    tell(server.status.message || 'the server is not running');
  } else if (server.paused) {
    tell('paused; the command Inscope: Resume ends that');
  } else {
    await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
  }
}

/** Say in the status bar why nothing is shown to somebody who asked. */
export function tellWhyNothing({ lastWithheld }: Status): void {
  tell(lastWithheld?.message ?? 'nothing to suggest here');
}

const tell = (sentence: string): void => void vscode.window.setStatusBarMessage(`Inscope: ${sentence}`, TOLD_MS);

export const clock = (time: Date): string => time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });

async function pickMinutes(): Promise<number | undefined> {
  const choices = MINUTES.map((minutes) => ({
    label: counted(minutes, 'minute'),
    detail: `No ghost text until ${clock(new Date(Date.now() + minutes * MINUTE_MS))}, unless you ask for it.`,
    minutes,
  }));
  const picked = await vscode.window.showQuickPick(choices, { title: 'Inscope: no ghost text for' });
  return picked?.minutes;
}

/** Set a setting to one of its values, which a person picks unless it is given. */
async function choose(server: Server, name: string, title: string, given?: string): Promise<void> {
  const choices = choicesOf(name);
  const value = given ?? (await pick(choices, await server.valueInForce(name), title));
  if (value === undefined) {
    return;
  }
  if (!choices.some((choice) => choice.value === value)) {
    const values = choices.map((choice) => choice.value).join(', ');
    void vscode.window.showErrorMessage(`Inscope: '${value}' is none of ${values}.`);
    return;
  }
  await change(name, value);
}

async function pick(choices: ReturnType<typeof choicesOf>, now: unknown, title: string): Promise<string | undefined> {
  const items = choices.map(({ value, does }) => ({ label: value, description: value === now ? 'now' : '', detail: does }));
  return (await vscode.window.showQuickPick(items, { title: `Inscope: ${title}` }))?.label;
}
