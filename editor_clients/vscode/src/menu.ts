// The menu's entries carry our name, so that one knows among those of other extensions who says so.
import type * as vscode from 'vscode';

const MARK = 'Inscope';

type Answer = vscode.CompletionItem[] | vscode.CompletionList | null | undefined;

export function marked(answer: Answer): Answer {
  for (const item of Array.isArray(answer) ? answer : (answer?.items ?? [])) {
    const label = typeof item.label === 'string' ? { label: item.label } : item.label;
    item.label = { ...label, description: label.description ?? MARK }; // or the module that it comes from
  }
  return answer;
}
