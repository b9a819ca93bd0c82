// Rewrites: asked for in three ways, cancelled, discarded, made, undone.
import fs from 'node:fs';
import path from 'node:path';
import { must, say } from './hands.mjs';

const WHAT = 'say r for radius';

/** The box that asks what is to change is answered. */
async function asked(at) {
  await at.page.locator('.quick-input-widget input[placeholder*="rename"]').waitFor();
  await at.answer(WHAT);
}

/** The difference is shown, and all of it. */
async function previewed(at) {
  await at.holds(() => {
    const rows = [...document.querySelectorAll('.monaco-diff-editor .view-line')].map((one) => one.textContent.replace(/\u00a0/g, ' '));
    return rows.some((row) => row.includes('area(r)')) && rows.some((row) => row.includes('area(radius)'));
  });
  await at.noMessage(WHAT); // the bar is gone
}

async function decided(at, title) {
  await at.page.click(`.editor-actions .action-label[aria-label*="${title}"]`);
  await at.page.locator('.monaco-diff-editor').waitFor({ state: 'detached' });
}

export async function rewriting(at) {
  const { page, config } = at;
  const clean = await at.text();
  fs.writeFileSync(config.hold, '');
  await at.key('Control+Alt+i');
  await asked(at);
  await at.message(WHAT);
  await page.waitForTimeout(400); // until it has slid in
  await at.shot('progress');
  await page.click('.notifications-toasts .monaco-button:has-text("Cancel")');
  await at.noMessage(WHAT);
  fs.unlinkSync(config.hold);
  await at.holds(() => document.querySelector('.part.statusbar').innerText.includes('the rewrite was cancelled'));
  must((await at.text()) === clean, 'a cancelled rewrite changes nothing');

  await at.key('Control+Alt+i');
  await asked(at);
  await previewed(at);
  await decided(at, 'Discard This');
  await at.becomes(clean);
  say('ok  a discarded rewrite changes nothing');

  await at.command('Inscope: Rewrite');
  await asked(at);
  await previewed(at);
  await page.mouse.move(5, 300);
  await page.waitForTimeout(1500); // until a hover that was there is gone
  await at.shot('preview');
  await decided(at, 'Make This');
  const made = clean.replace('radius) {', 'r) {').replace('radius **', 'r **');
  await at.becomes(made);
  say('ok  an accepted rewrite is made');
  await at.key('Control+z');
  await at.becomes(clean);
  say('ok  one undo takes the rewrite back');

  const settings = path.join(config.work, '.vscode', 'settings.json');
  const before = fs.readFileSync(settings, 'utf8');
  const numbered = (any) => at.holds((wanted) => wanted === !!document.querySelector('.editor-instance .line-numbers'), any);
  const without = { ...JSON.parse(before), 'inscope.previewRewrites': false, 'editor.lineNumbers': 'off' };
  fs.writeFileSync(settings, JSON.stringify(without));
  await numbered(false); // so the settings are in force
  await at.command('Inscope: Rewrite');
  await asked(at);
  await at.becomes(made);
  await at.key('Control+z');
  await at.becomes(clean);
  say('ok  where the setting says so, a rewrite is made at once');
  fs.writeFileSync(settings, before);
  await numbered(true);

  await at.key('Control+.');
  const entry = page.locator('.action-widget .action-item, .action-widget .monaco-list-row', { hasText: 'Inscope: rewrite' }).first();
  await entry.waitFor();
  await page.waitForTimeout(300);
  await at.shot('lightbulb');
  await entry.click();
  await asked(at);
  await previewed(at);
  await decided(at, 'Discard This');
  await at.becomes(clean);
  say('ok  the light bulb offers a rewrite');
}
