// Setup: the server installs what Inscope needs besides its Python packages; each step is shown, and the server reports the result.
import * as vscode from 'vscode';
import { WorkDoneProgress } from 'vscode-languageclient/node';
import type { Server } from './server';

let count = 0;

export async function setUp(server: Server): Promise<void> {
  const client = server.running;
  if (!client) {
    void vscode.window.showInformationMessage('Inscope: the server is not running.');
    return;
  }
  const workDoneToken = `inscope-vscode-setup-${String(++count)}`;
  const location = vscode.ProgressLocation.Notification;
  try {
    await vscode.window.withProgress({ location, title: 'Inscope: setup' }, async (bar) => {
      const progress = client.onProgress(WorkDoneProgress.type, workDoneToken, ({ message }) => {
        bar.report({ message: message ?? '' });
      });
      try {
        await client.sendRequest('workspace/executeCommand', { command: 'inscope.setup', workDoneToken });
      } finally {
        progress.dispose();
      }
    });
  } catch (fault) {
    void vscode.window.showErrorMessage(`Inscope: ${fault instanceof Error ? fault.message : String(fault)}`);
  }
}
