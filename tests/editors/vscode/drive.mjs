// Drives VS Code (code-server) in a headless browser, as a person would. One line per step; ends with 0 if all hold.
// usage: node drive.mjs CONFIG.json, whose fields `drive` in test_vscode.py writes
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { alternatives, ghostText, menu, nothing, typing } from './ghost.mjs';
import { PATIENCE, say, userOf } from './user.mjs';
import { asksAtTheStart, killed, paused, statusMenu } from './running.mjs';
import { program } from './program.mjs';
import { rewriting } from './rewriting.mjs';
import { memory, prepare, start } from './editor.mjs';
import { setup } from './setup.mjs';
import * as asItComes from './as_it_comes.mjs';
import { firstStart, hostile, hostileTrusted, trust, typedIsTicked } from './trust.mjs';

const everyday = [firstStart, trust, ghostText, typing, typedIsTicked, alternatives, nothing, menu, rewriting, program, paused, statusMenu, setup, asksAtTheStart, killed];
const scenarios = { everyday, hostile: [hostile, hostileTrusted], asItComes: asItComes.steps };
const config = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const { chromium } = createRequire(import.meta.url)(config.playwright);

prepare(config);
const editor = await start(config);
let browser, page;
try {
  const quiet = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
  browser = await chromium.launch({ executablePath: config.chromium, args: quiet });
  const context = await browser.newContext({ viewport: config.viewport ?? { width: 960, height: 540 }, deviceScaleFactor: 2 });
  page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.goto(`${editor.url}/?folder=${config.work}`);
  const user = userOf(page, config);
  for (const step of scenarios[config.scenario]) {
    say(`-- ${step.name}`);
    await step(user);
  }
  say(memory(editor.pid));
} catch (fault) {
  say(`FAIL  ${fault.stack}`);
  await page?.screenshot({ path: path.join(config.out, 'vscode-failed.png') }).catch(() => {});
  process.exitCode = 1;
} finally {
  await browser?.close();
  editor.stop();
}
