// The walkthrough, which opens beside what is edited when the extension has started for the first time.
import * as vscode from 'vscode';

const WELCOMED = 'welcomed';
const WALKTHROUGH = 'inscope.inscope#inscope.start';
const PAUSE_MS = 3000; // without a key or a click in an editor: then nobody is typing
const SETTLED_MS = 1500; // its page takes the focus until it is drawn

export async function welcome(memory: vscode.Memento): Promise<void> {
  if (!memory.get<boolean>(WELCOMED)) {
    await memory.update(WELCOMED, true);
    await pause();
    await openWalkthrough();
  }
}

/** Beside what is edited, which keeps the focus. */
export async function openWalkthrough(): Promise<void> {
  const edited = vscode.window.activeTextEditor;
  const guard = vscode.window.onDidChangeActiveTextEditor((now) => {
    if (edited && !now) {
      void vscode.window.showTextDocument(edited.document, { viewColumn: edited.viewColumn ?? vscode.ViewColumn.One });
    }
  });
  await vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH, edited !== undefined);
  done.forEach(mark);
  setTimeout(() => {
    guard.dispose();
    done.forEach(mark);
  }, SETTLED_MS);
}

/** Wait until nobody types or moves the cursor. */
function pause(): Promise<void> {
  return new Promise((done) => {
    let timer: NodeJS.Timeout;
    const begin = (): void => {
      clearTimeout(timer);
      timer = setTimeout(end, PAUSE_MS);
    };
    const events = [vscode.workspace.onDidChangeTextDocument(begin), vscode.window.onDidChangeTextEditorSelection(begin)];
    const end = (): void => {
      vscode.Disposable.from(...events).dispose();
      done();
    };
    begin();
  });
}

type Step = 'install' | 'setup' | 'type';
const done = new Set<Step>();

/** Tick a step of the walkthrough that is done, whoever did it. */
export function tick(step: Step): void {
  if (!done.has(step)) {
    done.add(step);
    mark(step);
  }
}

function mark(step: Step): void {
  // until the walkthrough is known, there is no such step
  vscode.commands.executeCommand('welcome.markStepComplete', `${WALKTHROUGH}#${step}`).then(undefined, () => undefined);
}
