// A rewrite as a diff that waits for a yes: the file on the left, the file with the rewrite on the right, where each change
// can be rejected by itself. Changes of several files are shown by VS Code's own refactoring preview.
import * as vscode from 'vscode';
import type { AnnotatedTextEdit, ApplyWorkspaceEditParams, ApplyWorkspaceEditResult, TextDocumentEdit } from 'vscode-languageclient/node';
import { setting } from './settings';

const SCHEME = 'inscope-rewrite';
const SHOWN = 'inscope.previewShown';
/** The annotation of an edit that is confirmed whatever the settings say. */
const DOUBTED = 'inscope.doubted';
const TOGGLE = 'inscope.toggleChange';

/** One change, which may be rejected. */
interface Hunk {
  edit: AnnotatedTextEdit;
  start: number;
  end: number;
  isKept: boolean;
}

export class Preview implements vscode.TextDocumentContentProvider, vscode.CodeLensProvider, vscode.Disposable {
  private text = '';
  private hunks: Hunk[] = [];
  private draft: vscode.Uri | undefined;
  private count = 0;
  private decided: ((accepted: boolean) => void) | undefined;
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly lensesChanged = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];
  readonly onDidChange = this.changed.event;
  readonly onDidChangeCodeLenses = this.lensesChanged.event;

  constructor() {
    this.subscriptions = [
      this.changed,
      this.lensesChanged,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.languages.registerCodeLensProvider({ scheme: SCHEME }, this),
      vscode.commands.registerCommand('inscope.acceptRewrite', () => this.decided?.(true)),
      vscode.commands.registerCommand('inscope.discardRewrite', () => this.decided?.(false)),
      vscode.commands.registerCommand(TOGGLE, (number: number) => {
        this.toggle(number);
      }),
      vscode.window.tabGroups.onDidChangeTabs((change) => {
        if (change.closed.some((tab) => isPreview(tab))) {
          this.decided?.(false);
        }
      }),
    ];
  }

  provideTextDocumentContent(): string {
    let text = '';
    let copied = 0;
    for (const hunk of this.hunks.filter((one) => one.isKept)) {
      text += this.text.slice(copied, hunk.start) + hunk.edit.newText;
      copied = hunk.end;
    }
    return text + this.text.slice(copied);
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (document.uri.toString() !== this.draft?.toString()) {
      return [];
    }
    let shift = 0;
    return this.hunks.map((hunk, number) => {
      const place = document.positionAt(hunk.start + shift);
      shift += hunk.isKept ? hunk.edit.newText.length - (hunk.end - hunk.start) : 0;
      const title = hunk.isKept ? '$(close) Reject this change' : '$(check) Accept this change';
      return new vscode.CodeLens(new vscode.Range(place, place), { title, command: TOGGLE, arguments: [number] });
    });
  }

  dispose(): void {
    this.decided?.(false);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Apply an edit of the server's; one that needs confirmation is shown first, and others of that kind are refused meanwhile. */
  async apply(
    params: ApplyWorkspaceEditParams,
    make: (params: ApplyWorkspaceEditParams) => Thenable<ApplyWorkspaceEditResult>,
  ): Promise<ApplyWorkspaceEditResult> {
    const annotations = params.edit.changeAnnotations ?? {};
    const changes = params.edit.documentChanges ?? [];
    const change = changes[0];
    if (!Object.values(annotations).some((one) => one.needsConfirmation) || !change || !('edits' in change)) {
      return make(params);
    }
    if (setting<boolean>('previewRewrites') === false && !(DOUBTED in annotations)) {
      return make(withoutQuestions(params));
    }
    if (changes.length > 1) {
      return make(params);
    }
    if (this.draft) {
      return { applied: false, failureReason: 'another rewrite waits for a yes' };
    }
    if (!(await this.accepted(change, params.label ?? 'Inscope'))) {
      return { applied: false, failureReason: 'discarded' };
    }
    const edits = this.hunks.filter((hunk) => hunk.isKept).map((hunk) => hunk.edit);
    return make(withoutQuestions({ ...params, edit: { documentChanges: [{ ...change, edits }] } }));
  }

  private toggle(number: number): void {
    const hunk = this.hunks[number];
    if (hunk && this.draft) {
      hunk.isKept = !hunk.isKept;
      this.changed.fire(this.draft);
      this.lensesChanged.fire();
    }
  }

  private async accepted(change: TextDocumentEdit, label: string): Promise<boolean> {
    const uri = vscode.Uri.parse(change.textDocument.uri);
    const draft = uri.with({ scheme: SCHEME, query: String(++this.count) });
    this.draft = draft;
    try {
      const document = await vscode.workspace.openTextDocument(uri);
      this.text = document.getText();
      this.hunks = hunksOf(document, change);
      await vscode.languages.setTextDocumentLanguage(await vscode.workspace.openTextDocument(draft), document.languageId);
      const decision = new Promise<boolean>((resolve) => {
        this.decided = resolve; // before the diff is there, as it may be closed at once
      });
      await vscode.commands.executeCommand('vscode.diff', uri, draft, label, { preview: true });
      await vscode.commands.executeCommand('setContext', SHOWN, true);
      const answer = await decision;
      await vscode.window.showTextDocument(document); // first: a focus that comes later closes a list opened in between
      const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => isPreview(tab));
      await vscode.window.tabGroups.close(tabs);
      return answer && this.hunks.some((hunk) => hunk.isKept);
    } finally {
      this.decided = undefined;
      this.draft = undefined;
      await vscode.commands.executeCommand('setContext', SHOWN, false);
    }
  }
}

function isPreview(tab: vscode.Tab): boolean {
  return tab.input instanceof vscode.TabInputTextDiff && tab.input.modified.scheme === SCHEME;
}

function hunksOf(document: vscode.TextDocument, change: TextDocumentEdit): Hunk[] {
  const offset = (place: { line: number; character: number }): number => document.offsetAt(new vscode.Position(place.line, place.character));
  return (change.edits as AnnotatedTextEdit[])
    .map((edit) => ({ edit, start: offset(edit.range.start), end: offset(edit.range.end), isKept: true }))
    .sort((one, other) => one.start - other.start);
}

/** The same edit without its annotations, so that VS Code does not ask once more. */
function withoutQuestions(params: ApplyWorkspaceEditParams): ApplyWorkspaceEditParams {
  const documentChanges = (params.edit.documentChanges ?? []).map((change) =>
    'edits' in change
      ? { ...change, edits: (change.edits as AnnotatedTextEdit[]).map(({ range, newText }) => ({ range, newText })) }
      : change,
  );
  return { ...params, edit: { documentChanges } };
}
