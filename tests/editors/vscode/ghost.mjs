// Ghost text and the menu.
import { must, say } from './hands.mjs';

const NEXT = '    const next = ';

export async function ghostText(at) {
  await at.newLine(6, 'items');
  const offered = await at.shown();
  say(`ok  ghost text: ${JSON.stringify(offered)}`);
  await at.page.waitForTimeout(600); // the cursor's own animation
  await at.shot('ghost');
  await at.key('Escape', 'Control+Shift+k');
  await at.newLine(6, NEXT.trimStart());
  await at.shown();
}

export async function typing(at) {
  const { page } = at;
  const offered = await at.ghost();
  await page.evaluate(() => {
    window.gaps = 0;
    window.looks = 0;
    window.watching = true;
    const look = () => {
      window.looks++;
      if (![...document.querySelectorAll('[class*="ghost-text"]')].some((one) => one.textContent)) window.gaps++;
      if (window.watching) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  const first = offered.split('\n')[0];
  const along = first.match(/^[^([{'"`]*/)[0].slice(0, first.length - 2); // what is opened, the editor closes
  must(along, 'something to type along');
  const rest = first.slice(along.length);
  await at.type(along, 60);
  await at.until(async () => (await at.ghost()) === rest, 'the rest of it');
  await page.waitForTimeout(600); // answers that come late
  const [gaps, looks] = await page.evaluate(() => ((window.watching = false), [window.gaps, window.looks]));
  must(gaps === 0 && looks > along.length, `in none of ${looks} frames it is gone while it is typed along`);
  must((await at.ghost()) === rest, 'what is left of it is shown');
  await at.key('Tab');
  await at.contains(NEXT + first);
  say('ok  Tab takes the rest');
  await at.key('Control+z');
  const typed = NEXT + along; // which stands there before as well, with the rest behind it
  await at.until(async () => (await at.lines()).includes(typed), 'the line as it was typed');
  say('ok  one undo takes back what Tab took');
  await at.key('Control+Shift+k');

  await at.newLine(6, 'const next = ');
  const before = await at.shown();
  await at.key('Control+ArrowRight');
  await at.contains(NEXT + before.match(/^\w+/)[0]);
  await at.until(async () => before.endsWith(await at.ghost()) && (await at.ghost()), 'the rest stays');
  say('ok  Ctrl+Right takes a word, the rest stays');
  await at.key('Escape');
  await at.gone();
  say('ok  Escape puts it away');
  await at.key('Control+Shift+k');
}

export async function alternatives(at) {
  await at.newLine(6, 'const next = ');
  const first = await at.shown();
  const seen = [first];
  for (let count = 0; count < 4 && (count === 0 || seen.at(-1) !== first); count++) {
    await at.key('Alt+BracketRight');
    seen.push(await at.shown(seen.at(-1)));
  }
  const different = new Set(seen);
  must(seen.at(-1) === first && different.size > 1 && different.size <= 4, `Alt+] goes round: ${[...different].join(' | ')}`);
  await at.key('Alt+BracketLeft');
  const last = await at.shown(first);
  must(last === seen.at(-2), 'Alt+[ goes back');
  await at.page.hover('.view-lines [class*="ghost-text"]');
  await at.page.waitForTimeout(800); // until the bar above it is there
  await at.shot('alternatives');
  await at.page.mouse.move(5, 300);
  await at.type(last.slice(0, 2), 60);
  await at.until(async () => (await at.ghost()) === last.slice(2), 'one that was chosen stays while it is typed along');
  say('ok  one that was chosen stays while it is typed along');
  await at.key('Escape', 'Control+Shift+k');

  // the next line, of ghost text that has several; which places the model fills with several lines is its own matter
  for (const [line, what] of [[9, 'const total = (prices) => {'], [10, 'const total = (prices) => {'], [9, 'export function sum(prices) {'], [13, 'export function sum(prices) {'], [9, 'while (parent) {']]) {
    await at.newLine(line, what);
    await at.key('Enter');
    const whole = await at.shown();
    if (whole.includes('\n')) {
      const before = await at.text();
      await at.shot('lines');
      await at.key('Alt+End');
      const wanted = before.split('\n').length;
      const first = whole.split('\n')[0].trim();
      const times = (text) => text.split(first).length;
      await at.until(async () => times(await at.text()) > times(before), 'a line of it');
      const after = await at.text();
      must(after.split('\n').length <= wanted + 1 && times(after) === times(before) + 1, 'Alt+End takes a line');
      const rest = await at.shown();
      must(rest.length < whole.length, 'the lines behind it stay');
      await at.key('Escape');
      await at.until(async () => (await at.key('Control+z'), await at.text()) === at.config.code.trimEnd() + '\n', 'undone');
      return;
    }
    await at.until(async () => (await at.key('Control+z'), await at.text()) === at.config.code.trimEnd() + '\n', 'undone');
  }
  throw new Error('the model says nothing of several lines at any of the places');
}

export async function menu(at) {
  const clean = await at.text();
  await at.newLine(6, 'ite');
  await at.key('Control+Space');
  const first = at.page.locator('.suggest-widget.visible .monaco-list-row').first();
  await first.waitFor();
  const said = await first.innerText();
  must(/^items\b/.test(said.trim()) && said.includes('Inscope'), 'the menu is ranked, and marked with our name');
  await at.page.waitForTimeout(600);
  await at.shot('menu');
  await at.key('Enter');
  await at.until(async () => /\n {4}items\n/.test(await at.text()), 'an entry is taken');
  say('ok  Enter takes an entry');
  await at.key('Control+Shift+k');
  await at.becomes(clean);
}
