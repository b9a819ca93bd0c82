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
  await at.command('Notifications: Clear All Notifications');
  await page.waitForTimeout(500); // until pictures and fonts are there
  await at.shot('walkthrough');
  say('ok  the walkthrough is opened at the first start');
  await at.closeTab('Welcome');
  await at.focus();
}

export async function trust(at) {
  const { page, config } = at;
  must(started(config).join() === 'path', 'not trusted, a workspace has no program of its own run');
  fs.rmSync(path.join(config.work, '.inscope'), { recursive: true }); // a trusted one is asked about
  await at.command('Workspaces: Manage Workspace Trust');
  await page.locator('.workspace-trust-editor .monaco-button', { hasText: /^\s*Trust\s*$/ }).first().click();
  await startedBy(at, 'setting', 2);
  await at.closeTab('Workspace Trust');
  const others = JSON.stringify({ 'inscope.inline.comments': false }); // so that there is a reason for silence later
  fs.writeFileSync(path.join(config.work, '.vscode', 'settings.json'), others);
  await startedBy(at, 'interpreter', 3);
  fs.writeFileSync(config.selected, '/nowhere/bin/python'); // another interpreter is selected, without a server
  await startedBy(at, 'path', 4);
  await at.serving();
  await at.command('View: Toggle Primary Side Bar Visibility');
}
