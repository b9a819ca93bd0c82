// The walkthrough, which opens when the extension starts for the first time.
import * as vscode from 'vscode';

const WELCOMED = 'welcomed';
const WALKTHROUGH = 'inscope.inscope#inscope.start';

export async function welcome(memory: vscode.Memento): Promise<void> {
  if (!memory.get<boolean>(WELCOMED)) {
    await memory.update(WELCOMED, true);
    await openWalkthrough();
  }
}

export async function openWalkthrough(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH, false);
}
