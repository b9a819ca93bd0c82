// The names that other extensions list in the same file, such as VS Code's own service for JavaScript and TypeScript.
// They are asked as VS Code asks them: once for a language whether they list anything, and about names that would bring
// an import, which they may bring as well. Nothing is known of any extension by its name.
import * as vscode from 'vscode';

const AGAIN_MS = 30_000; // a service may come later than the first menu
const WAIT_MS = 150; // for what others list: our own menu is not held up any longer
const NO_NAMES = new Set([
  vscode.CompletionItemKind.Text, vscode.CompletionItemKind.Keyword, vscode.CompletionItemKind.Snippet,
  vscode.CompletionItemKind.File, vscode.CompletionItemKind.Folder,
]);

interface Place {
  uri: string;
  position: vscode.Position;
}

export class Others {
  /** Languages in which others list names. */
  readonly languages = new Set<string>();
  private readonly silentSince = new Map<string, number>();
  private readonly learning = new Map<string, Promise<void>>(); // by language, until the others have answered
  private readonly lists = new Map<string, boolean>(); // by document and name
  private readonly asked = new Set<Place>();

  /** Whether a request is our own, which asks the others only. */
  isOwn(document: vscode.TextDocument, position: vscode.Position): boolean {
    const uri = document.uri.toString();
    return [...this.asked].some((place) => place.uri === uri && place.position.isEqual(position));
  }

  /**
   * Find out whether others list names in a language; `tell` where that is news, which may come later. Asked `ahead`,
   * when a document is shown, it is known before the first menu: a service that starts takes seconds to answer. One
   * that is silent then may not be there yet, and is asked again at the menu.
   */
  async learn(
    document: vscode.TextDocument, position: vscode.Position, tell: () => Promise<void>, ahead = false,
  ): Promise<void> {
    const language = document.languageId;
    const isKnown = this.languages.has(language) || Date.now() - (this.silentSince.get(language) ?? 0) < AGAIN_MS;
    if (!isKnown && !this.learning.has(language)) {
      const learnt = this.names(document, position).then(async (theirs) => {
        if (theirs.size > 0) {
          this.languages.add(language);
          await tell();
        } else if (!ahead) {
          this.silentSince.set(language, Date.now());
        }
      });
      this.learning.set(language, learnt.finally(() => this.learning.delete(language)));
    }
    await soon(this.learning.get(language) ?? Promise.resolve());
  }

  /** Extensions or settings are others now. */
  forget(): void {
    this.languages.clear();
    this.silentSince.clear();
    this.lists.clear();
  }

  /** Which of some names others list at a place; of names that take too long to find out, all. */
  async listed(document: vscode.TextDocument, position: vscode.Position, names: string[]): Promise<Set<string>> {
    const key = (name: string): string => `${document.uri.toString()} ${name}`;
    if (names.some((name) => !this.lists.has(key(name)))) {
      const found = this.names(document, position).then((theirs) => {
        names.forEach((name) => this.lists.set(key(name), theirs.has(name)));
      });
      await soon(found);
    }
    return new Set(names.filter((name) => this.lists.get(key(name)) ?? true));
  }

  private async names(document: vscode.TextDocument, position: vscode.Position): Promise<Set<string>> {
    const asked = { uri: document.uri.toString(), position };
    this.asked.add(asked);
    try {
      const found = await vscode.commands.executeCommand<vscode.CompletionList | undefined>(
        'vscode.executeCompletionItemProvider', document.uri, position,
      );
      const named = (found?.items ?? []).filter(({ kind }) => kind !== undefined && !NO_NAMES.has(kind));
      return new Set(named.map(({ label }) => (typeof label === 'string' ? label : label.label)));
    } finally {
      this.asked.delete(asked);
    }
  }
}

/** Wait for something, but not for long. */
function soon(what: Promise<void>): Promise<void> {
  return Promise.race([what, new Promise<void>((done) => setTimeout(done, WAIT_MS))]);
}
