// Ghost text by hand: the command that asks, a silence of some minutes, and how much is shown unasked, and when.
import * as vscode from 'vscode';
import type { Server } from './server';
import { change, setting, valuesOf } from './settings';

const MINUTES = [5, 15, 30, 60];

export function askingCommands(server: Server): vscode.Disposable {
  const command = vscode.commands.registerCommand.bind(vscode.commands);
  return vscode.Disposable.from(
    command('inscope.suggest', () => vscode.commands.executeCommand('editor.action.inlineSuggest.trigger')),
    command('inscope.snooze', async (minutes?: number) => server.snooze(minutes ?? (await pickMinutes()))),
    command('inscope.endSnooze', () => server.snooze(0)),
    command('inscope.setEagerness', (value?: string) => choose('inline.eagerness', 'How much is shown unasked?', value)),
    command('inscope.setTrigger', (value?: string) => choose('inline.trigger', 'When does ghost text come?', value)),
  );
}

async function pickMinutes(): Promise<number | undefined> {
  const choices = MINUTES.map((minutes) => ({ label: `${String(minutes)} minutes`, minutes }));
  const picked = await vscode.window.showQuickPick(choices, {
    title: 'Inscope: no ghost text for', placeHolder: 'what you ask for is shown all the same',
  });
  return picked?.minutes;
}

/** Set a setting to one of its values, which a person picks unless it is given. */
async function choose(name: string, title: string, given?: string): Promise<void> {
  const values = valuesOf(name);
  const now = setting<string>(name);
  const choices = values.map((label) => ({ label, description: label === now ? 'now' : '' }));
  const value = given ?? (await vscode.window.showQuickPick(choices, { title: `Inscope: ${title}` }))?.label;
  if (value === undefined) {
    return;
  }
  if (!values.includes(value)) {
    void vscode.window.showErrorMessage(`Inscope: '${value}' is none of ${values.join(', ')}.`);
    return;
  }
  await change(name, value);
}
