// A stand-in for the Python extension: the selected interpreter is what a file says.
const fs = require('node:fs');
const vscode = require('vscode');

const file = process.env.INSCOPE_TEST_SELECTED;
const selected = () => fs.readFileSync(file, 'utf8').trim();

exports.activate = (context) => {
  const changed = new vscode.EventEmitter();
  fs.watchFile(file, { interval: 100 }, () => changed.fire({ path: selected() }));
  context.subscriptions.push(changed, { dispose: () => fs.unwatchFile(file) });
  return {
    environments: {
      getActiveEnvironmentPath: () => ({ id: selected(), path: selected() }),
      resolveEnvironment: async ({ path }) => ({ path, executable: { uri: vscode.Uri.file(path) } }),
      onDidChangeActiveEnvironmentPath: changed.event,
    },
  };
};
