// What happens when the extension is switched on; each part is in a file of its own.
import * as vscode from 'vscode';
import { onInterpreter } from './find';
import { Preview } from './preview';
import { rewrite, type Asked } from './rewrite';
import { Server } from './server';
import { SECTION } from './settings';
import { createStatusItem, doctor, showMenu } from './statusItem';

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel('Inscope', { log: true });
  const preview = new Preview();
  const server: Server = new Server(log, {
    applyEdit: (params, make) => preview.apply(params, make),
    rewrite: (asked) => rewrite(server, asked),
  });
  const command = vscode.commands.registerCommand.bind(vscode.commands);
  context.subscriptions.push(
    log,
    preview,
    server,
    createStatusItem(server),
    command('inscope.rewriteCode', (given?: Asked) => rewrite(server, given)),
    command('inscope.menu', () => showMenu(server)),
    command('inscope.pause', () => server.pause(true)),
    command('inscope.resume', () => server.pause(false)),
    command('inscope.restart', () => server.restart()),
    command('inscope.showLog', () => server.showLog()),
    command('inscope.doctor', () => doctor(server)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${SECTION}.path`)) {
        void server.restart();
      } else if (event.affectsConfiguration(SECTION)) {
        void server.tellSettings();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.restart()),
  );
  await server.start();
  const interpreter = await onInterpreter(() => void server.restart());
  if (interpreter) {
    context.subscriptions.push(interpreter);
  }
}
