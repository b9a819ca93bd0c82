// Pages of text that the server writes: what became of the last suggestion, and whether everything is here and works.
import { execFile } from 'node:child_process';
import * as vscode from 'vscode';
import type { Server } from './server';

const SCHEME = 'inscope-page';
const LONGEST = 1 << 24; // characters

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
  async trace(): Promise<void> {
    const client = this.server.running;
    const text = await client?.sendRequest<string>('workspace/executeCommand', { command: 'inscope.trace' });
    await this.show('Trace of the last suggestion', text ?? 'The server is not running.\n');
  }

  /** What the program in the editor, or in its selection, writes with each choice. */
  async program(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
      void vscode.window.showErrorMessage('Inscope: open a program first, a file of JavaScript or Python.');
      return;
    }
    const { document, selection } = editor;
    const args = [document.uri.toString(), document.getText(selection.isEmpty ? undefined : selection)];
    const request = this.server.running?.sendRequest<string>('workspace/executeCommand', {
      command: 'inscope.program',
      arguments: args,
    });
    try {
      await this.show('What the program writes', (await request) ?? 'The server is not running.\n');
    } catch (fault) {
      void vscode.window.showErrorMessage(`Inscope: ${fault instanceof Error ? fault.message : String(fault)}`);
    }
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
    return Promise.resolve('The program inscope was not found; the walkthrough shows how to install it.\n');
  }
  return new Promise((resolve) => {
    execFile(program, args, { maxBuffer: LONGEST }, (fault, out, err) => {
      resolve(out + err || String(fault));
    });
  });
}
