// Entries of the completion menu carry our name, which tells them from those of other extensions.
import type * as vscode from 'vscode';

const NAME = 'Inscope';

type Answer = vscode.CompletionItem[] | vscode.CompletionList | null | undefined;

export function marked(answer: Answer): Answer {
  for (const item of Array.isArray(answer) ? answer : (answer?.items ?? [])) {
    const label = typeof item.label === 'string' ? { label: item.label } : item.label;
    item.label = { ...label, description: label.description ?? NAME }; // a name from elsewhere has its module there
  }
  return answer;
}
