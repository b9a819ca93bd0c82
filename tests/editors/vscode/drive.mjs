// Drives VS Code (code-server) in a headless browser, as a person would. One line per step; ends with 0 if all hold.
// usage: node drive.mjs CONFIG.json, of which test_vscode.py says what it holds
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { alternatives, ghostText, menu, typing } from './ghost.mjs';
import { PATIENCE, hands, say } from './hands.mjs';
import { killed, paused, statusMenu } from './running.mjs';
import { program } from './program.mjs';
import { rewriting } from './rewriting.mjs';
import { memory, prepare, start } from './editor.mjs';
import { setup } from './setup.mjs';
import { firstStart, hostile, hostileTrusted, trust } from './trust.mjs';

const day = [firstStart, trust, ghostText, typing, alternatives, menu, rewriting, program, paused, statusMenu, setup, killed];
const books = { day, hostile: [hostile, hostileTrusted] };
const config = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const { chromium } = createRequire(import.meta.url)(config.playwright);

prepare(config);
const editor = await start(config);
let browser, page;
try {
  const quiet = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
  browser = await chromium.launch({ executablePath: config.chromium, args: quiet });
  const context = await browser.newContext({ viewport: { width: 960, height: 540 }, deviceScaleFactor: 2 });
  page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.goto(`${editor.url}/?folder=${config.work}`);
  const at = hands(page, config);
  for (const chapter of books[config.book]) {
    say(`-- ${chapter.name}`);
    await chapter(at);
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
