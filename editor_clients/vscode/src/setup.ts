// Setup: the server installs TypeScript 7 and QuickJS and reports the result; here each step is shown.
import * as vscode from 'vscode';
import { WorkDoneProgress } from 'vscode-languageclient/node';
import { showFault, showNotRunning } from './messages';
import type { Server } from './server';

let count = 0;

export async function setUp(server: Server): Promise<void> {
  const client = server.running;
  if (!client) {
    showNotRunning();
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
        await server.tickSetUp();
      } finally {
        progress.dispose();
      }
    });
  } catch (fault) {
    showFault(fault);
  }
}
