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
  // what a workspace may try: programs of its own, by a setting and as the selected interpreter's environment
  fs.mkdirSync(path.join(config.work, '.vscode'));
  const settings = path.join(config.work, '.vscode', 'settings.json');
  fs.writeFileSync(settings, JSON.stringify({ 'inscope.path': config.programs.setting }));
  await page.waitForSelector('.explorer-folders-view .monaco-list-row');
  await page.dblclick('.explorer-folders-view .monaco-list-row[aria-label*="cart.js"]');
  await page.waitForSelector('.editor-instance .monaco-editor[data-uri$="/cart.js"] .view-line');
  await page.waitForSelector('.gettingStartedContainer .getting-started-step');
  await page.getByText('Start with Inscope').first().waitFor();
  await startedBy(at, 'path', 1);
  await page.waitForTimeout(500); // until pictures and fonts are there
  await at.shot('walkthrough');
  say('ok  the walkthrough is opened at the first start');
  await at.closeTab('Welcome');
  await at.focus();
}

export async function trust(at) {
  const { page, config } = at;
  must(started(config).join() === 'path', 'not trusted, a workspace has no program of its own run');
  await at.command('Workspaces: Manage Workspace Trust');
  await page.locator('.workspace-trust-editor .monaco-button', { hasText: /^\s*Trust\s*$/ }).first().click();
  await startedBy(at, 'setting', 2);
  await at.closeTab('Workspace Trust');
  fs.writeFileSync(path.join(config.work, '.vscode', 'settings.json'), '{}');
  await startedBy(at, 'interpreter', 3);
  fs.writeFileSync(config.selected, '/nowhere/bin/python'); // another interpreter is selected, without a server
  await startedBy(at, 'path', 4);
  await at.serving();
  await at.command('View: Toggle Primary Side Bar Visibility');
}
