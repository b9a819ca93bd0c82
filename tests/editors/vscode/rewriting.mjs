// Rewrites: asked for in three ways, cancelled, discarded, made, undone.
import fs from 'node:fs';
import path from 'node:path';
import { must, say } from './user.mjs';

const WHAT = 'say r for radius';

/** The box that asks what is to change, and says where, is answered. */
async function asked(user) {
  await user.page.locator('.quick-input-widget input[placeholder*="rename"]').waitFor();
  const title = await user.page.locator('.quick-input-widget .quick-input-title').innerText();
  must(title === 'Inscope: rewrite area (lines 11 to 13)', `without a selection the function is taken: ${title}`);
  await user.answer(WHAT);
}

/** The difference is shown, and all of it. */
async function previewed(user) {
  await user.holds(() => {
    const rows = [...document.querySelectorAll('.monaco-diff-editor .view-line')].map((one) => one.textContent.replace(/\u00a0/g, ' '));
    return rows.some((row) => row.includes('area(r)')) && rows.some((row) => row.includes('area(radius)'));
  });
  await user.noMessage(WHAT); // the bar is gone
  await user.page.locator(`.tab.active[aria-label*="${WHAT} ("][aria-label*="lines 11 to 13)"]`).waitFor();
}

async function decided(user, title) {
  await user.page.click(`.editor-actions .action-label[aria-label*="${title}"]`);
  await user.page.locator('.monaco-diff-editor').waitFor({ state: 'detached' });
  await user.focused(); // by the extension: it would close a list that was opened before
}

export async function rewriting(user) {
  const { page, config } = user;
  const clean = await user.text();
  await user.goTo(12); // in a function
  fs.writeFileSync(config.hold, '');
  await user.key('Control+Alt+i');
  await asked(user);
  await user.message(WHAT);
  await page.waitForTimeout(400); // until it has slid in
  await user.shot('progress');
  await page.click('.notifications-toasts .monaco-button:has-text("Cancel")');
  await user.noMessage(WHAT);
  fs.unlinkSync(config.hold);
  await user.holds(() => document.querySelector('.part.statusbar').innerText.includes('the rewrite was cancelled'));
  must((await user.text()) === clean, 'a cancelled rewrite changes nothing');

  await user.key('Control+Alt+i');
  await asked(user);
  await previewed(user);
  await decided(user, 'Discard This');
  await user.becomes(clean);
  say('ok  a discarded rewrite changes nothing');

  await user.command('Inscope: Rewrite');
  await asked(user);
  await previewed(user);
  await page.mouse.move(5, 300);
  await page.waitForTimeout(1500); // until a hover that was there is gone
  await user.shot('preview');
  await decided(user, 'Apply This');
  const made = clean.replace('radius) {', 'r) {').replace('radius **', 'r **');
  await user.becomes(made);
  say('ok  an accepted rewrite is made');
  await user.key('Control+z');
  await user.becomes(clean);
  say('ok  one undo takes the rewrite back');

  const settings = path.join(config.work, '.vscode', 'settings.json');
  const before = fs.readFileSync(settings, 'utf8');
  const numbered = (any) => user.holds((wanted) => wanted === !!document.querySelector('.editor-instance .line-numbers'), any);
  const without = { ...JSON.parse(before), 'inscope.previewRewrites': false, 'editor.lineNumbers': 'off' };
  fs.writeFileSync(settings, JSON.stringify(without));
  await numbered(false); // so the settings are in force
  await user.command('Inscope: Rewrite');
  await asked(user);
  await previewed(user);
  await decided(user, 'Apply This');
  await user.becomes(made);
  await user.key('Control+z');
  await user.becomes(clean);
  say('ok  what the built-in model wrote waits for a yes, whatever the setting says');
  fs.writeFileSync(settings, before);
  await numbered(true);

  await user.key('Control+.');
  const entry = page.locator('.action-widget .action-item, .action-widget .monaco-list-row', { hasText: 'Inscope: rewrite' }).first();
  await entry.waitFor();
  await page.waitForTimeout(300);
  await user.shot('lightbulb');
  await entry.click();
  await asked(user);
  await previewed(user);
  await decided(user, 'Discard This');
  await user.becomes(clean);
  say('ok  the light bulb offers a rewrite');
}
