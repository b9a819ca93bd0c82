// Activation: creates the parts of the extension, each from a file of its own, and registers the commands.
import * as vscode from 'vscode';
import { askingCommands } from './asking';
import { onInterpreterChanged } from './find';
import { chooseModel } from './models';
import { Pages } from './pages';
import { Preview } from './preview';
import { rewrite, type Asked } from './rewrite';
import { Server } from './server';
import { setUp } from './setup';
import { SECTION, showSetting } from './settings';
import { createStatusItem, showMenu } from './statusItem';
import { watchTyping, welcome } from './welcome';

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel('Inscope', { log: true });
  const preview = new Preview();
  const server: Server = new Server(log, {
    applyEdit: (params, make) => preview.apply(params, make),
    rewrite: (asked) => rewrite(server, asked),
  });
  const pages = new Pages(server);
  const command = vscode.commands.registerCommand.bind(vscode.commands);
  context.subscriptions.push(
    log,
    preview,
    server,
    pages,
    createStatusItem(server),
    askingCommands(server),
    watchTyping(),
    command('inscope.rewriteCode', (given?: Asked) => rewrite(server, given)),
    command('inscope.menu', () => showMenu(server)),
    command('inscope.pause', () => server.pause(true)),
    command('inscope.resume', () => server.pause(false)),
    command('inscope.restart', () => server.restart()),
    command('inscope.showLog', () => server.showLog()),
    command('inscope.showTrace', () => pages.trace()),
    command('inscope.runProgram', () => pages.program()),
    command('inscope.setUpParts', () => setUp(server)),
    command('inscope.doctor', () => pages.doctor()),
    command('inscope.chooseModel', () => chooseModel(server)),
    command('inscope.setPath', () => showSetting('path')),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${SECTION}.path`)) {
        void server.restartIfMoved(); // changes of other settings the client sends
      } else if (!event.affectsConfiguration(SECTION)) {
        void server.othersChanged(); // a setting of another extension
      }
    }),
    vscode.extensions.onDidChange(() => void server.othersChanged()),
    vscode.window.onDidChangeActiveTextEditor((editor) => server.learnOthers(editor)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.restartIfMoved()),
  );
  await server.start();
  if (server.running) { // where it is missing, a message has said so
    void welcome(context.globalState, () => server.tickSetUp());
  }
  const interpreter = await onInterpreterChanged(() => void server.restartIfMoved());
  if (interpreter) {
    context.subscriptions.push(interpreter);
  }
}
