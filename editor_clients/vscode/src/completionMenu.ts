// Our entries of the completion menu as VS Code shows them: each has our name beside it, which tells it from those of
// other extensions. Beside others, a name that brings an import is left to them where they list it, too.
import * as vscode from 'vscode';
import type { Others } from './others';
import { setting } from './settings';

const NAME = 'Inscope';
const ACCESSOR = /\??\.$/;

type Answer = vscode.CompletionItem[] | vscode.CompletionList | null | undefined;

/** What the server sends along with an entry (LSP's `data`). */
interface EntryData {
  /** The name that the entry inserts. Its label differs if the server has marked it with a star. */
  text?: string;
  /** The import that it brings. */
  import?: unknown;
}

/** The server's answer as VS Code shows it; asks the others, so that no name with an import is there twice. */
export async function menuOf(
  answer: Answer, others: Others, document: vscode.TextDocument, position: vscode.Position,
): Promise<Answer> {
  const list = Array.isArray(answer) ? new vscode.CompletionList(answer) : answer;
  if (!list) {
    return list;
  }
  if (others.languages.has(document.languageId) && setting<string>('completion.mode') !== 'all') {
    const imported = new Set(list.items.filter((item) => dataOf(item).import !== undefined && !item.preselect));
    const names = [...imported].map((item) => dataOf(item).text ?? '');
    const theirs = names.length > 0 ? await others.listed(document, position, names) : new Set<string>();
    const isTwice = (item: vscode.CompletionItem): boolean =>
      imported.has(item) && !isStarred(item) && theirs.has(dataOf(item).text ?? '');
    list.items = list.items.filter((item) => !isTwice(item));
  }
  for (const item of list.items) {
    if (isStarred(item)) {
      includeAccessor(item, document);
    }
    const label = typeof item.label === 'string' ? { label: item.label } : item.label;
    item.label = { ...label, description: label.description ?? NAME }; // a name from elsewhere has its module there
  }
  return list;
}

/**
 * Have an entry for a member replace the `.` or `?.` before it, too, and write it again.
 *
 * VS Code's own service for TypeScript does so in a menu that opens after the dot. VS Code puts entries that match the
 * dot and the letters after it above those that match the letters alone, in whatever order the entries ask to be.
 */
function includeAccessor(item: vscode.CompletionItem, document: vscode.TextDocument): void {
  const { range } = item;
  const { inserting, replacing } = range && 'inserting' in range ? range : { inserting: range, replacing: range };
  if (!inserting || !replacing || typeof item.insertText !== 'string') {
    return;
  }
  const before = document.lineAt(inserting.start).text.slice(0, inserting.start.character);
  const accessor = ACCESSOR.exec(before)?.[0];
  if (accessor) {
    const start = inserting.start.translate(0, -accessor.length);
    item.range = { inserting: inserting.with(start), replacing: replacing.with(start) };
    item.filterText = accessor + (item.filterText ?? item.insertText);
    item.insertText = accessor + item.insertText;
  }
}

function dataOf(item: vscode.CompletionItem): EntryData {
  return (item as { data?: EntryData }).data ?? {};
}

function isStarred(item: vscode.CompletionItem): boolean {
  const shown = typeof item.label === 'string' ? item.label : item.label.label;
  return shown !== dataOf(item).text;
}
