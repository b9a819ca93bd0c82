// The server while it runs: paused, asked through the item in the status bar, killed.
import { must, say } from './hands.mjs';

export async function paused(at) {
  const clean = await at.text();
  await at.command('Inscope: Pause');
  await at.status('paused');
  await at.newLine(6, 'const next = ');
  await at.page.waitForTimeout(1500); // a suggestion would be there by then
  must((await at.ghost()) === '', 'paused, nothing is suggested');
  await at.command('Inscope: Go On');
  await at.status('ready');
  await at.key('Backspace');
  await at.type(' ');
  await at.shown();
  say('ok  and afterwards it is again');
  await at.key('Escape', 'Control+Shift+k');
  await at.becomes(clean);
}

export async function statusMenu(at) {
  const { page } = at;
  const open = () => page.click('.statusbar-item[id="inscope.inscope"], .statusbar-item[id^="inscope"]');
  await at.newLine(6, 'const next = ');
  const offered = (await at.shown()).split('\n')[0];
  await at.key('Escape', 'Control+Shift+k');

  await open();
  await at.pick('Trace of the last suggestion');
  const trace = '.editor-instance .monaco-editor[data-uri^="inscope-page"] .view-lines';
  await at.holds(
    ([place, said]) => {
      const seen = document.querySelector(place)?.innerText.replace(/\u00a0/g, ' ') ?? '';
      return seen.includes(said) && seen.includes('probability');
    },
    [trace, offered.slice(0, 5)],
  );
  say('ok  the trace tells of the suggestion');
  await page.waitForTimeout(400);
  await at.shot('trace');
  await at.closeTab('Trace of the last suggestion');

  await at.newLine(6, '// and');
  await at.status('Suggestions are off in comments');
  say('ok  the item tells why nothing is suggested');
  await open();
  const labels = ['Pause', 'Restart the server', 'Show log', 'Trace of the last suggestion', 'Doctor', 'Settings'];
  for (const label of labels) await page.locator(`.quick-input-list .monaco-list-row[aria-label*="${label}"]`).first().waitFor();
  const title = await page.locator('.quick-input-widget').innerText();
  must(/model built-in, ready/.test(title), 'the menu tells model and state');
  const placeholder = await at.input.getAttribute('placeholder');
  must(placeholder.includes('not shown: Suggestions are off in comments'), 'and the reason why nothing is shown');
  await page.waitForTimeout(400); // until it is opaque
  await at.shot('status');
  await at.input.press('Escape');
  await at.key('Control+Shift+k');

  await open();
  await at.pick('Doctor');
  await at.holds((place) => /python/i.test(document.querySelector(place)?.innerText ?? ''), trace);
  say('ok  the doctor is asked');
  await at.shot('doctor');
  await at.closeTab('Doctor');

  await open();
  await at.pick('Show log');
  // its lines are not: this VS Code was installed without native modules, and output channels are files of one of them
  await at.holds(() => document.querySelector('.part.panel .monaco-select-box')?.value === 'Inscope');
  say('ok  the log is shown');
  await at.command('View: Hide Panel');

  const count = at.servers().length;
  await open();
  await at.pick('Restart the server');
  await at.until(() => at.servers().length > count, 'another server');
  await at.serving();
  say('ok  the server is restarted');

  const item = page.locator('.statusbar-item[id="status.languageStatus"], .statusbar-item[aria-label*="Language Status"]').first();
  await item.click();
  await page.locator('.hover-language-status', { hasText: 'Inscope' }).first().waitFor();
  must(/ready/.test(await page.locator('.hover-language-status', { hasText: 'Inscope' }).first().innerText()), 'it tells the state');
  await page.waitForTimeout(400);
  await at.shot('language-status');
  await page.mouse.move(5, 300);
  await at.focus();
}

export async function killed(at) {
  const toasts = () => at.page.evaluate(() => document.querySelector('.notifications-toasts')?.innerText ?? '');
  must(!(await toasts()).includes('Inscope'), 'nobody was told of anything that was not asked for');
  const count = at.servers().length;
  process.kill(at.servers().at(-1), 'SIGKILL');
  await at.message('the server ended; it is being started again');
  await at.page.waitForTimeout(400);
  await at.shot('killed');
  await at.until(() => at.servers().length > count, 'the server is started again');
  await at.serving();
  await at.newLine(6, 'const next = ');
  await at.shown();
  say('ok  a server that is killed is told of, comes back and suggests');
}
