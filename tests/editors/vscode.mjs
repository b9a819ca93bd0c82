// Drives VS Code (code-server) in a headless browser, as a person would. One line per step; ends with 0 if all hold.
// usage: node vscode.mjs CONFIG.json   {codeServer, playwright, chromium, vsix, server, folder, out, pids, hold}
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { createRequire } from 'node:module';

const config = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const { chromium } = createRequire(import.meta.url)(config.playwright);
const PATIENCE = 120_000; // only bounds a failing test
const data = path.join(config.folder, 'data');
const work = path.join(config.folder, 'work');
const extensions = path.join(config.folder, 'extensions');
const began = Date.now();
const say = (text) => console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)}s  ${text}`);
const must = (holds, what) => {
  if (!holds) throw new Error(`does not hold: ${what}`);
  say(`ok  ${what}`);
};

const settings = {
  'inscope.inline.deadlineMs': 60000, // no suggestion is cut short on a busy machine
  'security.workspace.trust.enabled': false,
  'workbench.startupEditor': 'none',
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.colorTheme': 'Default Light Modern',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'typescript.disableAutomaticTypeAcquisition': true,
  'javascript.suggest.enabled': false,
  'javascript.validate.enable': false,
  'editor.wordBasedSuggestions': 'off',
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'editor.minimap.enabled': false,
  'editor.fontSize': 15,
};
for (const folder of [path.join(data, 'User'), path.join(data, 'Machine'), work, extensions, config.out]) fs.mkdirSync(folder, { recursive: true });
fs.writeFileSync(path.join(data, 'User', 'settings.json'), JSON.stringify(settings));
const there = { 'inscope.path': config.server }; // what names a program belongs to the machine on which it runs
fs.writeFileSync(path.join(data, 'Machine', 'settings.json'), JSON.stringify(there));
fs.writeFileSync(path.join(work, 'cart.js'), config.code);

const freePort = () =>
  new Promise((done) => {
    const listener = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = listener.address();
      listener.close(() => done(port));
    });
  });
const folders = ['--user-data-dir', data, '--extensions-dir', extensions];
const env = { ...process.env, HOME: config.folder, XDG_CONFIG_HOME: config.folder, XDG_DATA_HOME: config.folder };
execFileSync(process.execPath, [config.codeServer, ...folders, '--install-extension', config.vsix], { env, stdio: 'pipe' });
say('extension installed');
const port = await freePort();
const options = ['--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry', '--disable-update-check'];
options.push('--disable-workspace-trust', '--disable-getting-started-override', '--disable-proxy');
const editor = spawn(process.execPath, [config.codeServer, ...options, ...folders], { env, stdio: 'ignore', detached: true });
let browser, page;
try {
  const base = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries++) {
    if (await fetch(`${base}/healthz`).then((answer) => answer.ok, () => false)) break;
    if (tries > 600) throw new Error('code-server did not come up');
    await new Promise((done) => setTimeout(done, 100));
  }
  const quiet = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
  browser = await chromium.launch({ executablePath: config.chromium, args: quiet });
  page = await (await browser.newContext({ viewport: { width: 1100, height: 640 } })).newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.goto(`${base}/?folder=${work}`);
  await run();
} catch (fault) {
  say(`FAIL  ${fault.message}`);
  await page?.screenshot({ path: path.join(config.out, 'vscode-failed.png') }).catch(() => {});
  process.exitCode = 1;
} finally {
  await browser?.close();
  try {
    process.kill(-editor.pid, 'SIGKILL'); // the extension host outlives its parent otherwise
  } catch (fault) {
    if (fault.code !== 'ESRCH') throw fault;
  }
}

async function run() {
  const key = (name) => page.keyboard.press(name);
  const type = (text) => page.keyboard.type(text, { delay: 30 });
  const shot = (name) => page.screenshot({ path: path.join(config.out, `vscode-${name}.png`) });
  const holds = (condition, argument) => page.waitForFunction(condition, argument, { timeout: PATIENCE, polling: 100 });
  /** Shown text of the first editor: with ghost text, or without. */
  const lines = (ghost) =>
    page.evaluate((withGhost) => {
      const view = document.querySelector('.editor-instance .view-lines');
      const rows = [...view.querySelectorAll(':scope > .view-line')].sort((a, b) => a.offsetTop - b.offsetTop);
      return rows.map((row) => {
        const copy = row.cloneNode(true);
        if (!withGhost) copy.querySelectorAll('[class*="ghost-text"]').forEach((one) => one.remove());
        return copy.textContent.replace(/\u00a0/g, ' ');
      });
    }, ghost);
  const ghost = () =>
    page.evaluate(() => [...document.querySelectorAll('[class*="ghost-text"]')].map((one) => one.textContent.replace(/\u00a0/g, ' ')).join(''));
  const shown = () => holds(() => [...document.querySelectorAll('[class*="ghost-text"]')].some((one) => one.textContent.trim()));
  /** Try again where the focus went elsewhere in between: a notification that closes takes it, and so closes a box. */
  const insist = async (attempt) => {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt();
      } catch (error) {
        if (tries === 6) throw error;
        await key('Escape');
        await page.click('.editor-instance .view-lines');
      }
    }
  };
  const command = (title) =>
    insist(async () => {
      await key('F1');
      await page.waitForSelector('.quick-input-widget input', { timeout: 5000 });
      await type(title);
      await page.waitForSelector(`.quick-input-list .monaco-list-row[aria-label*="${title}"]`, { timeout: 5000 });
      await key('Enter');
    });
  /** The item in the status bar says something that fits. */
  const status = (said) =>
    holds((pattern) => [...document.querySelectorAll('.statusbar-item[id^="inscope"]')].some((one) => one.outerHTML.match(pattern)), said);
  const message = (text) => holds((said) => document.querySelector('.notifications-toasts')?.innerText.includes(said), text);
  /** The text itself, ghost text apart, comes to say something. */
  const becomes = async (text) => {
    for (const end = Date.now() + PATIENCE; !(await lines(false)).join('\n').includes(text); ) {
      if (Date.now() > end) throw new Error(`still not in the text: ${text}`);
      await page.waitForTimeout(50);
    }
  };

  await page.waitForSelector('.explorer-folders-view .monaco-list-row');
  await page.dblclick('.explorer-folders-view .monaco-list-row[aria-label*="cart.js"]');
  await page.waitForSelector('.editor-instance .view-line');
  await status('Inscope: (unloaded|loading|ready)');
  say('ok  the server is attached');

  // ghost text
  await page.click('.editor-instance .view-lines');
  const goTo = async (line) => {
    await key('Control+g');
    await page.waitForSelector('.quick-input-widget input');
    await type(String(line));
    await key('Enter');
    await page.waitForSelector('.quick-input-widget', { state: 'hidden' });
    await key('End');
  };
  await goTo(6);
  await key('Enter');
  await type('const next = ');
  await shown();
  const offered = await ghost();
  await shot('ghost');
  say(`ok  ghost text: ${JSON.stringify(offered)}`);

  // typing through it
  await page.evaluate(() => {
    window.gaps = 0;
    window.watch = setInterval(() => {
      if (![...document.querySelectorAll('[class*="ghost-text"]')].some((one) => one.textContent)) window.gaps++;
    }, 4);
  });
  const first = offered.split('\n')[0];
  await page.keyboard.type(first.slice(0, -2), { delay: 60 });
  await page.waitForTimeout(600);
  const gaps = await page.evaluate(() => (clearInterval(window.watch), window.gaps));
  must(gaps === 0, `it never disappears while it is typed along (${gaps} gaps)`);
  must((await ghost()) === first.slice(-2), 'what is left of it is shown');
  await key('Tab');
  await becomes(`const next = ${first}`);
  say('ok  Tab takes the rest');
  await shot('accepted');

  // a word of it, in a new line
  await key('Control+Shift+k');
  await goTo(6);
  await key('Enter');
  await type('const next = ');
  await shown();
  const before = await ghost();
  await key('Control+ArrowRight');
  await becomes(`const next = ${before.match(/^\w+/)[0]}`);
  await shown();
  const left = await ghost();
  must(left.length > 0 && left.length < before.length && before.endsWith(left), 'Ctrl+Right takes a word, the rest stays');
  await key('Escape');
  await holds(() => ![...document.querySelectorAll('[class*="ghost-text"]')].some((one) => one.textContent.trim()));
  say('ok  Escape puts it away');
  await key('Control+Shift+k');

  // menu
  await goTo(6);
  await key('Enter');
  await type('pri');
  await key('Control+Space');
  await page.waitForSelector('.suggest-widget.visible .monaco-list-row[aria-label*="price"]');
  await shot('menu');
  await key('Enter');
  await becomes('    price\n  }');
  say('ok  the menu lists names, and Enter takes one');
  await key('Control+Shift+k');
  const clean = (await lines(false)).join('\n');
  must(clean.includes('sum += price;\n  }'), 'the file is as it was');

  /** The box that asks for an instruction is opened. */
  const asked = (open) =>
    insist(async () => {
      await open();
      await page.waitForSelector('.quick-input-widget input[placeholder*="rename"]', { timeout: 5000 });
    });

  // rewrite: cancelled
  fs.writeFileSync(config.hold, '');
  await asked(() => key('Control+Alt+i'));
  await type('rename radius to r');
  await key('Enter');
  await message('rename radius to r');
  await shot('progress');
  await page.click('.notifications-toasts .monaco-button:has-text("Cancel")');
  await page.waitForTimeout(500);
  fs.unlinkSync(config.hold);
  await holds(() => !document.querySelector('.notifications-toasts')?.innerText.includes('rename radius'));
  must((await lines(false)).join('\n') === clean, 'a cancelled rewrite changes nothing');

  // rewrite: discarded, then made
  for (const accept of [false, true]) {
    await asked(() => (accept ? command('Inscope: Rewrite') : key('Control+Alt+i')));
    await key('Control+a');
    await type('rename radius to r');
    await key('Enter');
    await page.waitForSelector('.diff-editor, .monaco-diff-editor');
    await holds(() => [...document.querySelectorAll('.modified .view-line, .modified-in-monaco-diff-editor .view-line')].some((one) => one.textContent.replace(/\u00a0/g, ' ').includes('area(r)')));
    await page.waitForTimeout(500);
    await holds(() => !document.querySelector('.notifications-toasts')?.innerText.includes('rename radius'));
    if (accept) await shot('preview');
    await page.click(`.editor-actions .action-label[aria-label*="${accept ? 'Make This' : 'Discard This'}"]`);
    await page.waitForSelector('.monaco-diff-editor', { state: 'detached' });
    if (!accept) must((await lines(false)).join('\n') === clean, 'a discarded rewrite changes nothing');
  }
  await becomes('Math.PI * r **');
  await shot('rewritten');
  must((await lines(false)).join('\n').includes('area(r)'), 'an accepted rewrite is made');
  await page.click('.editor-instance .view-lines');
  await key('Control+z');
  await becomes('Math.PI * radius');
  must((await lines(false)).join('\n') === clean, 'one undo takes the rewrite back');

  // light bulb
  await key('Control+.');
  await page.waitForSelector('.action-widget [aria-label*="Inscope: rewrite"], .action-widget .action-item:has-text("Inscope: rewrite")');
  await shot('lightbulb');
  await key('Escape');
  say('ok  the light bulb offers a rewrite');

  // pause
  await command('Inscope: Pause');
  await status('paused');
  await goTo(6);
  await key('Enter');
  await type('const next = ');
  await page.waitForTimeout(1500);
  must((await ghost()) === '', 'paused, nothing is suggested');
  await command('Inscope: Go On');
  await status('ready');
  await key('Backspace');
  await type(' ');
  await shown();
  say('ok  and afterwards it is again');
  await key('Escape');

  // the menu of the status bar
  await command('Inscope: Menu');
  await page.waitForSelector('.quick-input-list .monaco-list-row[aria-label*="Restart"]');
  await page.waitForTimeout(400); // until it is opaque
  await shot('status');
  await key('Escape');

  // the server dies
  const pids = () => fs.readFileSync(config.pids, 'utf8').trim().split('\n').map(Number);
  const count = pids().length;
  process.kill(pids().at(-1), 'SIGKILL');
  await message('the server ended; it is being started again');
  await shot('killed');
  for (const end = Date.now() + PATIENCE; pids().length === count; ) {
    if (Date.now() > end) throw new Error('the server was not started again');
    await page.waitForTimeout(100);
  }
  await page.click('.editor-instance .view-lines');
  await goTo(7);
  for (const end = Date.now() + PATIENCE; !(await ghost()); ) {
    if (Date.now() > end) throw new Error('nothing is suggested after the restart');
    await key('Backspace'); // nobody is asked while the server starts: a person goes on typing
    await type(' ');
    await page.waitForTimeout(2000);
  }
  say('ok  a server that is killed is told of, comes back and suggests');
  memory();
}

/** Proportional memory of the editor with all its children, and of the browser, in MiB. */
function memory() {
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
  const all = sum(process.pid);
  say(`memory: editor and server ${sum(editor.pid)} MiB, all with the browser ${all} MiB`);
}
