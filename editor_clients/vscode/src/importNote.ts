// The import that ghost text brings, which VS Code does not show: dim words at the end of the line, as long as the text
// is there. VS Code says neither which of several texts is shown nor that one is hidden: of several, each import names its
// text, and Escape goes through a command of ours.
import * as vscode from 'vscode';

const COMMAND = 'inscope.import'; // what the server sends with such a text
const NOTED = 'inscope.importNoted';

interface Noted {
  editor: vscode.TextEditor;
  version: number;
  position: vscode.Position;
}

export class ImportNote implements vscode.Disposable {
  private readonly decoration = vscode.window.createTextEditorDecorationType({
    after: { color: new vscode.ThemeColor('editorGhostText.foreground'), margin: '0 0 0 2em' },
  });
  private noted: Noted | undefined;
  private readonly registrations = vscode.Disposable.from(
    vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
      const { noted } = this;
      // after a change of the text VS Code asks for ghost text again
      const isSameText = noted?.editor === textEditor && noted.version === textEditor.document.version;
      if (noted && isSameText && !selections[0]?.active.isEqual(noted.position)) {
        this.hide();
      }
    }),
    vscode.window.onDidChangeActiveTextEditor(() => this.hide()),
    vscode.commands.registerCommand('inscope.hideSuggestion', async () => {
      this.hide();
      await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
    }),
  );

  /** Say what the texts of an answer import. */
  show(document: vscode.TextDocument, position: vscode.Position, items: readonly vscode.InlineCompletionItem[]): void {
    const editor = vscode.window.activeTextEditor;
    const said = wordsFor(items);
    if (said === '' || editor?.document !== document) {
      this.hide();
      return;
    }
    const end = document.lineAt(position.line).range.end;
    editor.setDecorations(this.decoration, [{ range: new vscode.Range(end, end), renderOptions: { after: { contentText: said } } }]);
    this.noted = { editor, version: document.version, position };
    void vscode.commands.executeCommand('setContext', NOTED, true);
  }

  hide(): void {
    if (this.noted) {
      this.noted.editor.setDecorations(this.decoration, []);
      this.noted = undefined;
      void vscode.commands.executeCommand('setContext', NOTED, false);
    }
  }

  dispose(): void {
    this.registrations.dispose();
    this.decoration.dispose();
  }
}

/** `+ import dumps from json`; where only some of the texts bring it, with the names in them that it is for. */
function wordsFor(items: readonly vscode.InlineCompletionItem[]): string {
  const brought = items.map(({ command }) => (command?.command === COMMAND ? command : undefined));
  const isOfAll = brought.every((one) => one?.title === brought[0]?.title);
  const said = brought.flatMap((one) => (one ? [isOfAll ? plainly(one) : `${plainly(one)} (with ${namesOf(one)})`] : []));
  return [...new Set(said)].join(', ');
}

const plainly = ({ title }: vscode.Command): string => `+ ${title.charAt(0).toLowerCase()}${title.slice(1)}`;

function namesOf({ arguments: given }: vscode.Command): string {
  const names = (given?.[1] ?? []) as { name: string }[];
  return names.map(({ name }) => name).join(', ');
}
