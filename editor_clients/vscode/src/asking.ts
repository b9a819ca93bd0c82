// Ghost text by hand: the command that asks, a silence of some minutes, how much is shown unasked, and when; and what the
// menu lists.
import * as vscode from 'vscode';
import type { Server } from './server';
import { change, choicesOf } from './settings';

const MINUTES = [5, 15, 30, 60];
const MINUTE_MS = 60_000;

export function askingCommands(server: Server): vscode.Disposable {
  const command = vscode.commands.registerCommand.bind(vscode.commands);
  const choosing = (name: string, title: string) => (value?: string) => choose(server, name, title, value);
  return vscode.Disposable.from(
    command('inscope.suggest', () => vscode.commands.executeCommand('editor.action.inlineSuggest.trigger')),
    command('inscope.snooze', async (minutes?: number) => server.snooze(minutes ?? (await pickMinutes()))),
    command('inscope.endSnooze', () => server.snooze(0)),
    command('inscope.setEagerness', choosing('inline.eagerness', 'How much is shown unasked?')),
    command('inscope.setTrigger', choosing('inline.trigger', 'When does ghost text come?')),
    command('inscope.setMode', choosing('completion.mode', 'What does the menu list?')),
  );
}

export const clock = (time: Date): string => time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });

async function pickMinutes(): Promise<number | undefined> {
  const choices = MINUTES.map((minutes) => ({
    label: `${String(minutes)} minutes`,
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
