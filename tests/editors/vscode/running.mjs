// The server while it runs: paused, asked through the item in the status bar, killed.
import { must, say } from './user.mjs';

export async function paused(user) {
  const clean = await user.text();
  await user.command('Inscope: Pause');
  await user.status('paused');
  await user.newLine(6, 'const next = pri');
  await user.page.waitForTimeout(1500); // a suggestion would be there by then
  must((await user.ghost()) === '', 'paused, nothing is suggested');
  await user.command('Inscope: Resume');
  await user.status('ready');
  await user.key('Backspace');
  await user.type('i');
  await user.shown();
  say('ok  and afterwards it is again');
  await user.key('Escape', 'Control+Shift+k');
  await user.becomes(clean);
}

export async function statusMenu(user) {
  const { page } = user;
  const open = () => page.click('.statusbar-item[id="inscope.inscope"], .statusbar-item[id^="inscope"]');
  await user.newLine(6, 'sum = pri'); // not a line that was there before: what was shown there is shown again
  const offered = (await user.asked()).split('\n')[0];

  await open(); // before the line is deleted, after which the server is asked again
  await user.choose('Trace of the last suggestion');
  const trace = '.editor-instance .monaco-editor[data-uri^="inscope-page"] .view-lines';
  await user.holds(
    ([place, said]) => {
      const seen = document.querySelector(place)?.innerText.replace(/\u00a0/g, ' ') ?? '';
      return seen.includes(said) && seen.includes('probability');
    },
    [trace, offered.slice(0, 5)],
  );
  say('ok  the trace shows the suggestion');
  await page.waitForTimeout(400);
  await user.shot('trace');
  await user.closeTab('Trace of the last suggestion');
  await user.key('Escape', 'Control+Shift+k');

  await user.newLine(6, '// and');
  await user.status('Suggestions are off in comments');
  say('ok  the item says why nothing is suggested');
  await open();
  const labels = ['Pause', 'Restart the server', 'Show log', 'Trace of the last suggestion', 'Doctor', 'Settings'];
  for (const label of labels) {
    await user.input.fill(label); // a row that is out of sight does not exist
    await page.locator(`.quick-input-list .monaco-list-row[aria-label*="${label}"]`).first().waitFor();
  }
  await user.input.fill('');
  const title = await page.locator('.quick-input-widget').innerText();
  must(/model built-in, ready/.test(title), 'the menu shows the model and its state');
  await page.waitForTimeout(400); // until it is opaque
  await user.shot('status');
  await user.pick('Not shown: Suggestions are off in comments');
  const dialog = page.locator('.monaco-dialog-box', { hasText: 'Not shown: Suggestions are off in comments' });
  await dialog.waitFor();
  await dialog.locator('.monaco-button').first().click();
  await dialog.waitFor({ state: 'detached' });
  say('ok  and the reason why nothing is shown, all of it in a dialog');
  await user.key('Control+Shift+k');

  await open();
  await user.choose('Doctor');
  await user.holds((place) => /python/i.test(document.querySelector(place)?.innerText ?? ''), trace);
  say('ok  the doctor is asked');
  await user.shot('doctor');
  await user.closeTab('Doctor');

  await open();
  await user.choose('Choose a model');
  for (const label of ['built-in', 'Qwen/Qwen2.5-Coder-0.5B']) {
    await user.input.fill(label);
    await page.locator(`.quick-input-list .monaco-list-row[aria-label*="${label}"]`).first().waitFor();
  }
  await user.input.fill('built-in');
  must(/chosen, 17 MB, folder, embedded/.test(await page.locator('.quick-input-widget').innerText()), 'what is said of a model');
  await page.waitForTimeout(400);
  await user.shot('models');
  await user.input.press('Escape');
  say('ok  the models are listed');

  await open();
  await user.choose('Show log');
  // its lines are not: output channels are files of a native module, and this VS Code was installed without those
  await user.holds(() => document.querySelector('.part.panel .monaco-select-box')?.value === 'Inscope');
  say('ok  the log is shown');
  await user.command('View: Hide Panel');

  const count = user.servers().length;
  await open();
  await user.choose('Restart the server');
  await user.until(() => user.servers().length > count, 'another server');
  await user.serving();
  say('ok  the server is restarted');

  const item = page.locator('.statusbar-item[id="status.languageStatus"], .statusbar-item[aria-label*="Language Status"]').first();
  await item.click();
  await page.locator('.hover-language-status', { hasText: 'Inscope' }).first().waitFor();
  must(/ready/.test(await page.locator('.hover-language-status', { hasText: 'Inscope' }).first().innerText()), 'it shows the state');
  await page.waitForTimeout(400);
  await user.shot('language-status');
  await page.mouse.move(5, 300);
  await user.focus();
}

/** Who asks while the server starts is told so, and gets the text once it has started. */
export async function asksAtTheStart(user) {
  const clean = await user.text();
  await user.newLine(6, 'const next = pri');
  await user.asked();
  await user.key('Escape');
  await user.gone();
  const count = user.servers().length;
  await user.command('Inscope: Restart the Server');
  await user.status('Inscope: (stopped|starting)');
  await user.key('Alt+Backslash');
  await user.shown();
  must(user.servers().length > count, 'what is asked for while the server starts comes once it has');
  await user.key('Escape', 'Control+Shift+k');
  await user.becomes(clean);
}

export async function killed(user) {
  const toasts = () => user.page.evaluate(() => document.querySelector('.notifications-toasts')?.innerText ?? '');
  must(!(await toasts()).includes('Inscope'), 'no message was shown that nobody asked for');
  const count = user.servers().length;
  process.kill(user.servers().at(-1), 'SIGKILL');
  await user.message('the server ended; it is being started again');
  await user.page.waitForTimeout(400);
  await user.shot('killed');
  await user.until(() => user.servers().length > count, 'the server is started again');
  await user.serving();
  await user.newLine(6, 'const next = pri');
  await user.shown();
  say('ok  that a server was killed is reported; it comes back and suggests');
}
