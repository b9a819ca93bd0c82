// code-server: its folders and settings, its start and end, and the memory that it takes.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

const SETTINGS = {
  'inscope.inline.deadlineMs': 60000, // no suggestion is cut short on a busy machine
  'inscope.inline.eagerness': 'eager', // what is shown unasked is a matter of tests of its own
  'inscope.inline.learn': false, // nor what a tour that dismisses most of it would change
  'inscope.completion.deadlineMs': 10000, // and none is left unranked
  'security.workspace.trust.startupPrompt': 'never', // trust is given in the test itself
  'security.workspace.trust.banner': 'never',
  'workbench.quickOpen.closeOnFocusLost': false, // what a notification that closes does with the focus is not our matter
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.editor.useModal': 'off',
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.activityBar.location': 'hidden',
  'workbench.layoutControl.enabled': false,
  'workbench.colorTheme': 'Default Light Modern',
  'window.commandCenter': false,
  'window.menuBarVisibility': 'hidden',
  'breadcrumbs.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'git.enabled': false,
  'typescript.disableAutomaticTypeAcquisition': true,
  'javascript.suggest.enabled': false,
  'javascript.validate.enable': false,
  'editor.wordBasedSuggestions': 'off',
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'editor.minimap.enabled': false,
  'editor.fontSize': 15,
  'editor.scrollBeyondLastLine': false,
};

/** What a test of VS Code as it comes must change, each with its reason; everything else is the default. */
const AS_IT_COMES = {
  'inscope.inline.deadlineMs': 60000, // no suggestion is cut short on a busy machine
  'inscope.completion.deadlineMs': 10000, // and no menu is left unranked
  'inscope.checker.deadlineMs': 10000, // nor any text unjudged
  'inscope.inline.learn': false, // what is dismissed in one step does not change what is shown in the next
  'security.workspace.trust.enabled': false, // its question is a matter of other tests
  'workbench.quickOpen.closeOnFocusLost': false, // a notification that closes may take the focus
  'workbench.secondarySideBar.defaultVisibility': 'hidden', // room for what is looked at
  'extensions.ignoreRecommendations': true, // there is no gallery to ask
  'typescript.disableAutomaticTypeAcquisition': true, // nor npm's registry
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'git.enabled': false, // its questions would cover the menu
};

const data = (config) => path.join(config.folder, 'data');
const extensions = (config) => path.join(config.folder, 'extensions');
const environment = (config) => {
  const home = { HOME: config.folder, XDG_CONFIG_HOME: config.folder, XDG_DATA_HOME: config.folder };
  return { ...process.env, ...home, ...config.environment };
};
const codeServer = (config) => [config.codeServer, '--user-data-dir', data(config), '--extensions-dir', extensions(config)];

/** Settings, the folder to work in, and the extensions. */
export function prepare(config) {
  for (const folder of [path.join(data(config), 'User'), config.work, extensions(config), config.out]) {
    fs.mkdirSync(folder, { recursive: true });
  }
  fs.writeFileSync(path.join(data(config), 'User', 'settings.json'), JSON.stringify(config.asItComes ? AS_IT_COMES : SETTINGS));
  if (config.code) fs.writeFileSync(path.join(config.work, 'cart.js'), config.code);
  for (const [name, text] of Object.entries(config.texts ?? {})) {
    fs.mkdirSync(path.dirname(path.join(config.work, name)), { recursive: true });
    fs.writeFileSync(path.join(config.work, name), text);
  }
  fs.writeFileSync(path.join(config.folder, '.profile'), config.profile); // VS Code asks the person's shell for the PATH
  for (const vsix of [config.python, config.vsix]) {
    const options = { env: environment(config), stdio: 'pipe' };
    execFileSync(process.execPath, [...codeServer(config), '--install-extension', vsix], options);
  }
}

const freePort = () =>
  new Promise((done) => {
    const listener = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = listener.address();
      listener.close(() => done(port));
    });
  });

/** The editor, once it answers. */
export async function start(config) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const options = ['--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry', '--disable-update-check'];
  options.push('--disable-getting-started-override', '--disable-proxy');
  const env = environment(config);
  const how = { env, cwd: config.work, stdio: 'ignore', detached: true };
  const editor = spawn(process.execPath, [...codeServer(config), ...options], how);
  const stop = () => {
    try {
      process.kill(-editor.pid, 'SIGKILL'); // the extension host outlives its parent otherwise
    } catch (fault) {
      if (fault.code !== 'ESRCH') throw fault;
    }
  };
  for (let tries = 0; ; tries++) {
    if (await fetch(`${url}/healthz`).then((answer) => answer.ok, () => false)) return { url, pid: editor.pid, stop };
    if (tries > 1200) {
      stop();
      throw new Error('code-server did not come up');
    }
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** Proportional memory of the editor with all its children, and of everything with the browser, in MiB. */
export function memory(editor) {
  const rows = execFileSync('ps', ['-eo', 'pid,ppid'], { encoding: 'utf8' }).trim().split('\n').slice(1);
  const parents = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const tree = (root) => {
    const all = [root];
    for (const one of all) all.push(...parents.filter(([, parent]) => parent === one).map(([pid]) => pid));
    return all;
  };
  const pss = (pid) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]);
    } catch {
      return 0; // it has ended meanwhile
    }
  };
  const sum = (root) => Math.round(tree(root).reduce((all, pid) => all + pss(pid), 0) / 1024);
  return `memory: editor and server ${sum(editor)} MiB, all with the browser ${sum(process.pid)} MiB`;
}
