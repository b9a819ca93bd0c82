// Rewrites: an input box for the instruction, a bar that can be cancelled; the edit comes by `workspace/applyEdit`.
import * as vscode from 'vscode';
import { WorkDoneProgress, type LanguageClient, type Range } from 'vscode-languageclient/node';
import type { Server } from './server';

export interface Asked {
  uri: string;
  range?: Range | null;
  instruction?: string;
}

interface Answer {
  applied: boolean;
  failed: string | null;
  accepted: number;
  generated: number;
}

let last = '';
let count = 0;

/** Rewrite what a code action names, else what is selected in the editor, else the file. */
export async function rewrite(server: Server, given?: Asked): Promise<void> {
  const asked = given?.uri ? given : selected();
  const client = server.running;
  if (!asked || !client) {
    void vscode.window.showInformationMessage(asked ? 'Inscope: the server is not running.' : 'Inscope: open a file first.');
    return;
  }
  const where = asked.range ? 'the selection' : 'the file';
  const instruction =
    asked.instruction ??
    (await vscode.window.showInputBox({
      title: `Inscope: rewrite ${where}`,
      prompt: 'What is to change?',
      placeHolder: 'rename total to sum',
      value: last,
    }));
  if (!instruction?.trim()) {
    return;
  }
  last = instruction;
  const token = `inscope-vscode-${String(++count)}`;
  const title = `Inscope: ${instruction}`;
  const location = vscode.ProgressLocation.Notification;
  const written = client.sendRequest<Answer>('workspace/executeCommand', {
    command: 'inscope.rewrite',
    arguments: [{ ...asked, instruction }],
    workDoneToken: token,
  });
  void vscode.window.withProgress({ location, title, cancellable: true }, (bar, cancel) => follow(client, token, written, bar, cancel));
  try {
    const answer = await written;
    if (answer.applied) {
      const counts = `${String(answer.accepted)} tokens accepted, ${String(answer.generated)} generated`;
      vscode.window.setStatusBarMessage(`Inscope: ${counts}`, 5000);
    } else if (answer.failed === 'cancelled') {
      vscode.window.setStatusBarMessage('Inscope: the rewrite was cancelled', 5000);
    } // the server itself reports everything else
  } catch (fault) {
    void vscode.window.showErrorMessage(`Inscope: ${fault instanceof Error ? fault.message : String(fault)}`);
  }
}

/** Show how far it is, until all is written; what was written may still wait for a yes then. */
async function follow(
  client: LanguageClient,
  token: string,
  written: Promise<Answer>,
  bar: vscode.Progress<{ message?: string; increment?: number }>,
  cancel: vscode.CancellationToken,
): Promise<void> {
  let before = 0;
  const stop = cancel.onCancellationRequested(() => {
    void client.sendNotification('window/workDoneProgress/cancel', { token });
  });
  await new Promise<void>((resolve) => {
    const progress = client.onProgress(WorkDoneProgress.type, token, (value) => {
      if (value.kind === 'report') {
        const now = value.percentage ?? before;
        bar.report({ increment: now - before, message: value.message ?? '' });
        before = now;
      } else if (value.kind === 'end') {
        resolve();
      }
    });
    const over = (): void => {
      progress.dispose();
      resolve();
    };
    written.then(over, over);
  });
  stop.dispose();
}

function selected(): Asked | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return undefined;
  }
  const { start, end, isEmpty } = editor.selection;
  const range = isEmpty ? null : { start: { line: start.line, character: start.character }, end: { line: end.line, character: end.character } };
  return { uri: editor.document.uri.toString(), range };
}
