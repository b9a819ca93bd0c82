// Messages that several commands show.
import * as vscode from 'vscode';

export function showFault(fault: unknown): void {
  void vscode.window.showErrorMessage(`Inscope: ${fault instanceof Error ? fault.message : String(fault)}`);
}

/** A number and the noun that it counts: `1 minute`, `2 minutes`. */
export const counted = (number: number, noun: string): string => `${String(number)} ${noun}${number === 1 ? '' : 's'}`;

export function showNotRunning(): void {
  void vscode.window.showInformationMessage('Inscope: the server is not running.');
}
