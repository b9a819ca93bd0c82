// Rewrites: a box for the instruction and a bar that can be cancelled; the edit comes by `workspace/applyEdit`.
import * as vscode from 'vscode';
import { WorkDoneProgress, type LanguageClient, type Position, type Range } from 'vscode-languageclient/node';
import { counted, showFault, showNotRunning } from './messages';
import type { Server } from './server';

export interface Asked {
  uri: string;
  range?: Range | null;
  position?: Position;
  instruction?: string;
}

/** What is rewritten at a cursor without a selection: a declaration on some lines. */
interface Region {
  name: string;
  range: Range;
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

/** Rewrite what a code action names, else what is selected in the editor, else the function around the cursor, else the file. */
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
  const instruction =
    asked.instruction ??
    (await vscode.window.showInputBox({
      title: `Inscope: rewrite ${await taken(client, asked)}`,
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
      const counts = `${counted(answer.accepted, 'token')} accepted, ${String(answer.generated)} generated`;
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

/** What is rewritten, in words. */
async function taken(client: LanguageClient, { uri, range, position }: Asked): Promise<string> {
  if (range) {
    return 'the selection';
  }
  const command = { command: 'inscope.region', arguments: [{ uri, position }] };
  const region = await client.sendRequest<Region | null>('workspace/executeCommand', command).catch(() => null);
  if (!region) {
    return 'the file';
  }
  const { start, end } = region.range;
  const [first, last] = [start.line + 1, end.character === 0 ? end.line : end.line + 1]; // it ends before a line
  return `${region.name} (${first === last ? `line ${String(first)}` : `lines ${String(first)} to ${String(last)}`})`;
}

function selected(): Asked | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return undefined;
  }
  const { start, end, active, isEmpty } = editor.selection;
  const at = ({ line, character }: vscode.Position): Position => ({ line, character });
  return { uri: editor.document.uri.toString(), range: isEmpty ? null : { start: at(start), end: at(end) }, position: at(active) };
}
