// Rewrites: a box for the instruction and a bar that can be cancelled; the edit comes by `workspace/applyEdit`.
import * as vscode from 'vscode';
import { WorkDoneProgress, type LanguageClient, type Range } from 'vscode-languageclient/node';
import { showFault, showNotRunning } from './messages';
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

const BUILT_IN = 'built-in';
const LIMITS =
  'The built-in model knows a few changes of one function ("return early if user is None", "add a parameter strict with default ' +
  'False", "use f-strings"); a rename is left to the type checker.';
let lastInstruction = '';
let count = 0;

/** Rewrite what a code action names, else what is selected in the editor, else the file. */
export async function rewrite(server: Server, given?: Asked): Promise<void> {
  const asked = given?.uri ? given : selected();
  if (!asked) {
    void vscode.window.showInformationMessage('Inscope: open a file first.');
    return;
  }
  const client = server.running;
  if (!client) {
    showNotRunning();
    return;
  }
  const where = asked.range ? 'the selection' : 'the file';
  const instruction =
    asked.instruction ??
    (await vscode.window.showInputBox({
      title: `Inscope: rewrite ${where}`,
      prompt: `What is to change? ${server.status.model === BUILT_IN ? LIMITS : ''}`,
      placeHolder: 'rename total to sum',
      value: lastInstruction,
    }));
  if (!instruction?.trim()) {
    return;
  }
  lastInstruction = instruction;
  const token = `inscope-vscode-${String(++count)}`;
  const title = `Inscope: ${instruction}`;
  const location = vscode.ProgressLocation.Notification;
  const written = client.sendRequest<Answer>('workspace/executeCommand', {
    command: 'inscope.rewrite',
    arguments: [{ ...asked, instruction }],
    workDoneToken: token,
  });
  void vscode.window.withProgress({ location, title, cancellable: true }, (bar, cancel) => showProgress(client, token, written, bar, cancel));
  try {
    const answer = await written;
    if (answer.applied) {
      const counts = `${String(answer.accepted)} tokens accepted, ${String(answer.generated)} generated`;
      vscode.window.setStatusBarMessage(`Inscope: ${counts}`, 5000);
    } else if (answer.failed === 'cancelled') {
      vscode.window.setStatusBarMessage('Inscope: the rewrite was cancelled', 5000);
    } // the server itself reports everything else
  } catch (fault) {
    showFault(fault);
  }
}

/** Show how far the rewrite is, until all of it is written; it may wait for a yes after that. */
async function showProgress(
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
