// The first start, in a workspace that is not trusted; and where the server is found, once it is.
import fs from 'node:fs';
import path from 'node:path';
import { must, say } from './user.mjs';

/** Programs that were started as the server so far, by what found them. */
const started = (config) => fs.readFileSync(config.started, { encoding: 'utf8', flag: 'a+' }).trim().split('\n').filter(Boolean);

async function startedBy(user, name, count) {
  await user.until(() => started(user.config).length >= count, `server ${count} is started`);
  await user.status('Inscope: (unloaded|loading|ready)');
  must(started(user.config).at(-1) === name, `the server is the one that ${name} names`);
}

export async function firstStart(user) {
  const { page, config } = user;
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
  await startedBy(user, 'path', 1);
  await user.message('not run, as the workspace is not trusted: theirs.js');
  say('ok  no controllers of an untrusted workspace are run, and a message says so');
  await user.message('TypeScript 7 is not installed');
  await page.waitForTimeout(400); // until it has slid in
  await user.shot('question');
  await page.click('.notifications-toasts .monaco-button:has-text("Never")');
  await user.noMessage('TypeScript 7 is not installed');
  say('ok  a person is asked whether to install TypeScript, and only once');
  await user.message('suggestions come as you type');
  await user.serving();
  await user.focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Alt+Backslash'); // before anything is typed
  await user.shown();
  await page.keyboard.press('Escape');
  await user.gone();
  await user.showMe();
  await page.waitForSelector('.gettingStartedContainer .getting-started-step');
  await page.getByText('Start with Inscope').first().waitFor();
  await ticked(user, 'install').waitFor();
  await page.waitForTimeout(2000); // until what is done is ticked, and pictures and fonts are there
  for (const step of ['setup', 'type']) {
    await page.locator(`.getting-started-step[data-step-id$="#${step}"] .step-title`).click(); // to look at it is not to do it
    await page.waitForTimeout(500);
    must((await ticked(user, step).count()) === 0, `nobody has done ${step}, and the step is not ticked`);
  }
  await user.command('Notifications: Clear All Notifications');
  await user.shot('walkthrough');
  say('ok  the walkthrough is offered at the first start');
  await user.closeTab('Welcome');
  await user.focus();
}

/** The mark of a step of the walkthrough that is done. */
function ticked({ page }, step) {
  return page.locator(`[data-done-step-id$="#${step}"].codicon-getting-started-step-checked, [data-done-step-id$="#${step}"].complete`).first();
}

export async function typedIsTicked(user) {
  await user.command('Welcome: Open Walkthrough');
  await user.pick('Start with Inscope');
  await ticked(user, 'type').waitFor();
  say('ok  somebody has typed, and that step is ticked');
  await user.closeTab('Welcome');
  await user.focus();
}

async function trustTheFolder(user) {
  await user.command('Workspaces: Manage Workspace Trust');
  await user.page.locator('.workspace-trust-editor .monaco-button', { hasText: /^\s*Trust\s*$/ }).first().click();
}

export async function trust(user) {
  const { config } = user;
  must(started(config).join() === 'path', 'no program of an untrusted workspace is run');
  fs.rmSync(path.join(config.work, '.inscope'), { recursive: true }); // if the workspace is trusted, a person is asked about it
  await trustTheFolder(user);
  await startedBy(user, 'setting', 2);
  await user.closeTab('Workspace Trust');
  const others = JSON.stringify({ 'inscope.inline.comments': false }); // so that there is a reason for silence later
  fs.writeFileSync(path.join(config.work, '.vscode', 'settings.json'), others);
  await startedBy(user, 'path', 3); // the server of the selected interpreter lies in the workspace, so it is not used, trusted or not
  fs.writeFileSync(config.selected, path.join(path.dirname(config.programs.interpreter), 'python'));
  await startedBy(user, 'interpreter', 4);
  fs.writeFileSync(config.selected, '/nowhere/bin/python'); // another interpreter is selected, without a server
  await startedBy(user, 'path', 5);
  await user.serving();
  await user.command('View: Toggle Primary Side Bar Visibility');
}

/** A workspace whose programs leave a mark when they are run; test_vscode.py looks for the marks. */
export async function hostile(user) {
  const { page, config } = user;
  await page.waitForSelector('.explorer-folders-view .monaco-list-row');
  await user.find(config.files[0]);
  await startedBy(user, 'path', 1);
  await user.message('suggestions come as you type');
  await user.message('TypeScript 7 is not installed');
  await user.command('Notifications: Clear All Notifications');
  for (const file of config.files) await edit(user, file);
  must(started(config).join() === 'path', 'one server was started, and not one of the workspace');
  await user.shot('hostile');
}

/** The same workspace, trusted: no setting names a program of it, so none is run. */
export async function hostileTrusted(user) {
  const { config } = user;
  await trustTheFolder(user);
  await user.until(() => user.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).count().then((count) => !count), 'trust');
  await user.closeTab('Workspace Trust');
  for (const file of config.files) await edit(user, file);
  must(started(config).join() === 'path', 'trusted, no program of it is run that no setting names');
}

/** Edit a file, and make all requests that an editor makes while somebody types. */
async function edit(user, file) {
  const { page } = user;
  await user.open(file);
  await page.keyboard.press('Control+End');
  await user.serving();
  await page.keyboard.press('Enter');
  await page.keyboard.type('const next = ', { delay: 30 });
  await page.waitForTimeout(1500); // ghost text, or none
  await page.keyboard.press('Escape');
  await page.keyboard.type('i', { delay: 30 });
  await page.keyboard.press('Control+Space');
  await page.locator('.suggest-widget.visible .monaco-list-row').first().waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Control+i'); // the hover at the cursor
  await page.waitForTimeout(500);
  say(`ok  ${file}: ghost text, menu and hover were asked for`);
}
