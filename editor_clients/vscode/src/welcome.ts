// The walkthrough, which a message offers when the extension has started for the first time.
import * as vscode from 'vscode';

const WELCOMED = 'welcomed';
const WALKTHROUGH = 'inscope.inscope#inscope.start';
const PAUSE_MS = 3000; // without a key or a click in an editor: then nobody is typing
const SETTLED_MS = 1500; // its page takes so long until it is drawn
const SHOW = 'Show Me';

/** Offer the walkthrough once; open it at once where that takes no room from a file. `prepare` ticks what is done. */
export async function welcome(memory: vscode.Memento, prepare: () => Promise<void>): Promise<void> {
  if (memory.get<boolean>(WELCOMED)) {
    return;
  }
  await memory.update(WELCOMED, true);
  await pause();
  const isAnyOpen = vscode.window.tabGroups.all.some((group) => group.tabs.length > 0);
  const sentence = 'Inscope: suggestions come as you type; Alt+\\ asks for one.';
  if (!isAnyOpen || (await vscode.window.showInformationMessage(sentence, SHOW)) === SHOW) {
    await openWalkthrough();
    await prepare();
  }
}

export async function openWalkthrough(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH, false);
  setTimeout(() => done.forEach(mark), SETTLED_MS); // before that there may be no such steps
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
  // the event of the step in the manifest: without one, VS Code ticks a step that somebody looks at
  void vscode.commands.executeCommand('setContext', `inscope.done.${step}`, true);
  vscode.commands.executeCommand('welcome.markStepComplete', `${WALKTHROUGH}#${step}`).then(undefined, () => undefined);
}

const typedInto = new WeakSet<vscode.TextDocument>();

/** Note in which documents somebody types: a change from the disk leaves a document as clean as it was. */
export function watchTyping(): vscode.Disposable {
  return vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
    if (contentChanges.length > 0 && document.isDirty && vscode.window.activeTextEditor?.document === document) {
      typedInto.add(document);
    }
  });
}

/** Ghost text is shown in a document: the step is done once somebody has typed there. */
export function tickTyping(document: vscode.TextDocument): void {
  if (typedInto.has(document)) {
    tick('type');
  }
}
