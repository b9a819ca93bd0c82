// A rewrite as a difference that waits for a yes: the file on the left, what would become of it on the right.
import * as vscode from 'vscode';
import type { AnnotatedTextEdit, ApplyWorkspaceEditParams, ApplyWorkspaceEditResult, TextDocumentEdit } from 'vscode-languageclient/node';
import { get } from './settings';

const SCHEME = 'inscope-rewrite';
const SHOWN = 'inscope.previewShown';

export class Preview implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private text = '';
  private count = 0;
  private decided: ((accepted: boolean) => void) | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor() {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.commands.registerCommand('inscope.acceptRewrite', () => this.decided?.(true)),
      vscode.commands.registerCommand('inscope.discardRewrite', () => this.decided?.(false)),
      vscode.window.tabGroups.onDidChangeTabs((change) => {
        if (change.closed.some((tab) => isPreview(tab))) {
          this.decided?.(false);
        }
      }),
    ];
  }

  provideTextDocumentContent(): string {
    return this.text;
  }

  dispose(): void {
    this.decided?.(false);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Make an edit of the server's; one that asks for a yes is shown first. */
  async apply(
    params: ApplyWorkspaceEditParams,
    make: (params: ApplyWorkspaceEditParams) => Thenable<ApplyWorkspaceEditResult>,
  ): Promise<ApplyWorkspaceEditResult> {
    const annotations = Object.values(params.edit.changeAnnotations ?? {});
    const change = params.edit.documentChanges?.[0];
    if (!annotations.some((one) => one.needsConfirmation) || !change || !('edits' in change)) {
      return make(params);
    }
    if (get<boolean>('previewRewrites') !== false && !(await this.accepted(change, params.label ?? 'Inscope'))) {
      return { applied: false, failureReason: 'discarded' };
    }
    return make(withoutQuestions(params, change));
  }

  private async accepted(change: TextDocumentEdit, label: string): Promise<boolean> {
    const uri = vscode.Uri.parse(change.textDocument.uri);
    const document = await vscode.workspace.openTextDocument(uri);
    this.text = edited(document, change);
    const draft = uri.with({ scheme: SCHEME, query: String(++this.count) });
    await vscode.languages.setTextDocumentLanguage(await vscode.workspace.openTextDocument(draft), document.languageId);
    await vscode.commands.executeCommand('vscode.diff', uri, draft, label, { preview: true });
    await vscode.commands.executeCommand('setContext', SHOWN, true);
    const answer = await new Promise<boolean>((resolve) => {
      this.decided = resolve;
    });
    this.decided = undefined;
    await vscode.commands.executeCommand('setContext', SHOWN, false);
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => isPreview(tab));
    await vscode.window.tabGroups.close(tabs);
    await vscode.window.showTextDocument(document);
    return answer;
  }
}

function isPreview(tab: vscode.Tab): boolean {
  return tab.input instanceof vscode.TabInputTextDiff && tab.input.modified.scheme === SCHEME;
}

function edited(document: vscode.TextDocument, change: TextDocumentEdit): string {
  let text = document.getText();
  const edits = (change.edits as AnnotatedTextEdit[]).map(({ range, newText }) => ({
    start: document.offsetAt(new vscode.Position(range.start.line, range.start.character)),
    end: document.offsetAt(new vscode.Position(range.end.line, range.end.character)),
    newText,
  }));
  for (const edit of edits.sort((one, other) => other.start - one.start)) {
    text = text.slice(0, edit.start) + edit.newText + text.slice(edit.end);
  }
  return text;
}

/** The same edit, of the same version, that VS Code does not ask about once more. */
function withoutQuestions(params: ApplyWorkspaceEditParams, change: TextDocumentEdit): ApplyWorkspaceEditParams {
  const edits = (change.edits as AnnotatedTextEdit[]).map(({ range, newText }) => ({ range, newText }));
  return { ...params, edit: { documentChanges: [{ textDocument: change.textDocument, edits }] } };
}
