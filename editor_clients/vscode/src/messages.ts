// Messages that several commands show.
import * as vscode from 'vscode';

export function showFault(fault: unknown): void {
  void vscode.window.showErrorMessage(`Inscope: ${fault instanceof Error ? fault.message : String(fault)}`);
}

export function showNotRunning(): void {
  void vscode.window.showInformationMessage('Inscope: the server is not running.');
}
