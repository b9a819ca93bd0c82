// Pages of text that the server writes: the trace of the last suggestion, what a program writes, and the doctor's report.
import { execFile } from 'node:child_process';
import * as vscode from 'vscode';
import { showFault, showNotRunning } from './messages';
import type { Server } from './server';

const SCHEME = 'inscope-page';
const LONGEST_OUTPUT = 1 << 24; // bytes

export class Pages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  readonly onDidChange = this.changed.event;

  constructor(private readonly server: Server) {}

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? '';
  }

  /** What the model wanted at each token of the last suggestion, and which rule refused it. */
  trace(): Promise<void> {
    return this.showResult('Trace of the last suggestion', 'inscope.trace');
  }

  /** What the program in the editor, or the selected part of it, writes with each choice. */
  async program(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
      void vscode.window.showErrorMessage('Inscope: open a program first, a file of JavaScript or Python.');
      return;
    }
    const { document, selection } = editor;
    const source = document.getText(selection.isEmpty ? undefined : selection);
    await this.showResult('What the program writes', 'inscope.program', [document.uri.toString(), source]);
  }

  async doctor(): Promise<void> {
    const program = this.server.program;
    const location = vscode.ProgressLocation.Window;
    const text = await vscode.window.withProgress({ location, title: 'Inscope: doctor' }, () => outputOf(program, 'doctor'));
    await this.show('Doctor', text);
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }

  private async showResult(title: string, command: string, args: string[] = []): Promise<void> {
    const client = this.server.running;
    if (!client) {
      showNotRunning();
      return;
    }
    try {
      await this.show(title, await client.sendRequest<string>('workspace/executeCommand', { command, arguments: args }));
    } catch (fault) {
      showFault(fault);
    }
  }

  private async show(title: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: title });
    this.texts.set(title, text);
    this.changed.fire(uri);
    await vscode.window.showTextDocument(uri, { preview: true });
  }
}

/** The output of a command of the program, also where the command fails. */
function outputOf(program: string, ...args: string[]): Promise<string> {
  if (!program) {
    return Promise.resolve('The program inscope was not found; the walkthrough says how to install it.\n');
  }
  return new Promise((resolve) => {
    execFile(program, args, { maxBuffer: LONGEST_OUTPUT }, (fault, out, err) => {
      resolve(out + err || String(fault));
    });
  });
}
