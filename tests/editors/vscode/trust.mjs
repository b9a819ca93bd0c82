// The first start, in a workspace that is not trusted; and where the server is found, once it is.
import fs from 'node:fs';
import path from 'node:path';
import { must, say } from './hands.mjs';

/** Programs that were started as the server so far, by what found them. */
const started = (config) => fs.readFileSync(config.started, { encoding: 'utf8', flag: 'a+' }).trim().split('\n').filter(Boolean);

async function startedBy(at, name, count) {
  await at.until(() => started(at.config).length >= count, `server ${count} is started`);
  await at.status('Inscope: (unloaded|loading|ready)');
  must(started(at.config).at(-1) === name, `the server is the one that ${name} names`);
}

export async function firstStart(at) {
  const { page, config } = at;
  // what a workspace may try: programs of its own, by a setting and as the selected interpreter's environment, and
  // programs that take part in completions
  fs.mkdirSync(path.join(config.work, '.inscope', 'controllers'), { recursive: true });
  fs.writeFileSync(path.join(config.work, '.inscope', 'config.json'), JSON.stringify({ controllers: [{ use: '*.js' }] }));
  fs.writeFileSync(path.join(config.work, '.inscope', 'controllers', 'theirs.js'), 'function step() {}\n');
  fs.mkdirSync(path.join(config.work, '.vscode'));
  const settings = path.join(config.work, '.vscode', 'settings.json');
  fs.writeFileSync(settings, JSON.stringify({ 'inscope.path': config.programs.setting }));
  await page.waitForSelector('.explorer-folders-view .monaco-list-row');
  await page.dblclick('.explorer-folders-view .monaco-list-row[aria-label*="cart.js"]');
  await page.waitForSelector('.editor-instance .monaco-editor[data-uri$="/cart.js"] .view-line');
  await page.waitForSelector('.gettingStartedContainer .getting-started-step');
  await page.getByText('Start with Inscope').first().waitFor();
  await startedBy(at, 'path', 1);
  await at.message('not run, as the workspace is not trusted: theirs.js');
  say('ok  not trusted, a workspace has no controllers run, and is told of');
  await at.message('TypeScript 7 is not installed');
  await page.waitForTimeout(400); // until it has slid in
  await at.shot('question');
  await page.click('.notifications-toasts .monaco-button:has-text("Never")');
  await at.noMessage('TypeScript 7 is not installed');
  say('ok  a person is asked whether TypeScript shall be installed, and will not be again');
  await at.command('Notifications: Clear All Notifications');
  await page.waitForTimeout(500); // until pictures and fonts are there
  await at.shot('walkthrough');
  say('ok  the walkthrough is opened at the first start');
  await at.closeTab('Welcome');
  await at.focus();
}

async function trustTheFolder(at) {
  await at.command('Workspaces: Manage Workspace Trust');
  await at.page.locator('.workspace-trust-editor .monaco-button', { hasText: /^\s*Trust\s*$/ }).first().click();
}

export async function trust(at) {
  const { config } = at;
  must(started(config).join() === 'path', 'not trusted, a workspace has no program of its own run');
  fs.rmSync(path.join(config.work, '.inscope'), { recursive: true }); // a trusted one is asked about
  await trustTheFolder(at);
  await startedBy(at, 'setting', 2);
  await at.closeTab('Workspace Trust');
  const others = JSON.stringify({ 'inscope.inline.comments': false }); // so that there is a reason for silence later
  fs.writeFileSync(path.join(config.work, '.vscode', 'settings.json'), others);
  await startedBy(at, 'path', 3); // trusted or not, the selected interpreter's own lies in the workspace
  fs.writeFileSync(config.selected, path.join(path.dirname(config.programs.interpreter), 'python'));
  await startedBy(at, 'interpreter', 4);
  fs.writeFileSync(config.selected, '/nowhere/bin/python'); // another interpreter is selected, without a server
  await startedBy(at, 'path', 5);
  await at.serving();
  await at.command('View: Toggle Primary Side Bar Visibility');
}

/** A workspace whose programs leave a mark when they are run; who started us looks for it. */
export async function hostile(at) {
  const { page, config } = at;
  await page.waitForSelector('.explorer-folders-view .monaco-list-row');
  // The walkthrough opens over the first file, before we look at that or after: so its editor is not waited for until
  // the whole first start is over and nothing is left that could come to the front.
  await at.find(config.files[0]);
  await startedBy(at, 'path', 1);
  await page.getByText('Start with Inscope').first().waitFor();
  await at.message('TypeScript 7 is not installed');
  await at.command('Notifications: Clear All Notifications');
  await at.closeTab('Welcome');
  for (const file of config.files) await edit(at, file);
  must(started(config).join() === 'path', 'one server was started, and not one of the workspace');
  await at.shot('hostile');
}

/** The same workspace, trusted: as no setting names a program of it, none is run. */
export async function hostileTrusted(at) {
  const { config } = at;
  await trustTheFolder(at);
  await at.until(() => at.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).count().then((count) => !count), 'trust');
  await at.closeTab('Workspace Trust');
  for (const file of config.files) await edit(at, file);
  must(started(config).join() === 'path', 'trusted, it has no program of its own run that no setting names');
}

/** Edit a file, and ask for all that the server answers while one types. */
async function edit(at, file) {
  const { page } = at;
  await at.open(file);
  await page.keyboard.press('Control+End');
  await at.serving();
  await page.keyboard.press('Enter');
  await page.keyboard.type('const next = ', { delay: 30 });
  await page.waitForTimeout(1500); // ghost text, or none
  await page.keyboard.press('Escape');
  await page.keyboard.type('i', { delay: 30 });
  await page.keyboard.press('Control+Space');
  await page.locator('.suggest-widget.visible .monaco-list-row').first().waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Control+i'); // what is below the cursor
  await page.waitForTimeout(500);
  say(`ok  ${file}: ghost text, menu and hover were asked for`);
}
