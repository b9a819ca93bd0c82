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

/** What the others have answered while extensions and settings were the same. */
class Known {
  /** Languages in which others list names. */
  readonly languages = new Set<string>();
  /** By language: when they last listed none, in milliseconds since 1970. */
  readonly silentSince = new Map<string, number>();
  /** By language: until the others have answered whether they list names. */
  readonly learning = new Map<string, Promise<void>>();
  /** By document and name: whether they list it. */
  readonly lists = new Map<string, boolean>();
}

export class Others {
  private known = new Known();
  private readonly asked = new Set<Place>(); // by `names`; VS Code has not passed it on to us yet

  /** Languages in which others list names. */
  get languages(): ReadonlySet<string> {
    return this.known.languages;
  }

  /**
   * Whether a request is one of `names`, which VS Code passes on to us as well: we leave it to the others.
   *
   * Each of `names` comes back to us once. So a person who asks at the same place, while the others still think, gets a
   * menu.
   */
  takeOwn(document: vscode.TextDocument, position: vscode.Position): boolean {
    const uri = document.uri.toString();
    const own = [...this.asked].find((place) => place.uri === uri && place.position.isEqual(position));
    return own !== undefined && this.asked.delete(own);
  }

  /**
   * Find out whether others list names in a language. Waits a moment for it; a late answer counts for later menus.
   *
   * `tell` is called once others are found that were not known. `ahead` says that no menu is open yet: a document has
   * just been shown, and a service that starts takes seconds. Whoever is silent then is asked again at the first menu.
   */
  async learn(
    document: vscode.TextDocument, position: vscode.Position, tell: () => Promise<void>, ahead = false,
  ): Promise<void> {
    const language = document.languageId;
    const { languages, silentSince, learning } = this.known; // what is found out counts for these, see `forget`
    const isKnown = languages.has(language) || Date.now() - (silentSince.get(language) ?? 0) < AGAIN_MS;
    if (!isKnown && !learning.has(language)) {
      const found = this.names(document, position).catch(() => new Set<string>()); // whoever failed lists nothing
      const learnt = found.then(async (theirs) => {
        if (theirs.size > 0) {
          languages.add(language);
          await tell().catch(() => undefined); // a server that is gone is told when it starts again
        } else if (!ahead) {
          silentSince.set(language, Date.now());
        }
      });
      learning.set(language, learnt.finally(() => learning.delete(language)));
    }
    await soon(learning.get(language) ?? Promise.resolve());
  }

  /** Extensions or settings are others now: what is known no longer holds, nor does an answer that is still to come. */
  forget(): void {
    this.known = new Known();
  }

  /** Which of some names others list at a place; of names that take too long to find out, all; if it fails, none. */
  async listed(document: vscode.TextDocument, position: vscode.Position, names: string[]): Promise<Set<string>> {
    const { lists } = this.known;
    const key = (name: string): string => `${document.uri.toString()} ${name}`;
    let isFailed = false;
    if (names.some((name) => !lists.has(key(name)))) {
      const found = this.names(document, position).then(
        (theirs) => names.forEach((name) => lists.set(key(name), theirs.has(name))),
        () => { isFailed = true; },
      );
      await soon(found);
    }
    return new Set(names.filter((name) => lists.get(key(name)) ?? !isFailed));
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
