// Entries of the completion menu carry our name, which tells them from those of other extensions. Beside others, a name
// that brings an import is left to them where they list it, too.
import * as vscode from 'vscode';
import type { Others } from './others';
import { setting } from './settings';

const NAME = 'Inscope';
const ACCESSOR = /\??\.$/;

type Answer = vscode.CompletionItem[] | vscode.CompletionList | null | undefined;

/** What an entry of the server's stands for. */
interface Stands {
  text?: string;
  import?: unknown;
}

export async function menuOf(
  answer: Answer, others: Others, document: vscode.TextDocument, position: vscode.Position,
): Promise<Answer> {
  const list = Array.isArray(answer) ? new vscode.CompletionList(answer) : answer;
  if (!list) {
    return list;
  }
  if (others.languages.has(document.languageId) && setting<string>('completion.mode') !== 'all') {
    const imported = list.items.filter((item) => stands(item).import !== undefined && !item.preselect);
    const names = imported.map((item) => stands(item).text ?? '');
    const theirs = names.length > 0 ? await others.listed(document, position, names) : new Set<string>();
    const isTwice = (item: vscode.CompletionItem): boolean =>
      imported.includes(item) && !isStarred(item) && theirs.has(stands(item).text ?? '');
    list.items = list.items.filter((item) => !isTwice(item));
  }
  for (const item of list.items) {
    if (isStarred(item)) {
      reachBack(item, document);
    }
    const label = typeof item.label === 'string' ? { label: item.label } : item.label;
    item.label = { ...label, description: label.description ?? NAME }; // a name from elsewhere has its module there
  }
  return list;
}

/**
 * Have an entry replace the sign that members follow, too, and write it again. VS Code's own service for TypeScript does
 * in a menu that opens after the sign, and VS Code puts what matches the sign, and what is typed after it, above what
 * matches the letters alone, whatever the entries ask for.
 */
function reachBack(item: vscode.CompletionItem, document: vscode.TextDocument): void {
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

function stands(item: vscode.CompletionItem): Stands {
  return (item as { data?: Stands }).data ?? {};
}

function isStarred(item: vscode.CompletionItem): boolean {
  const shown = typeof item.label === 'string' ? item.label : item.label.label;
  return shown !== stands(item).text;
}
