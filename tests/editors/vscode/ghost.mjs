// Ghost text and the menu.
import fs from 'node:fs';
import path from 'node:path';
import { must, say } from './user.mjs';

const NEXT = '    const next = pri';

export async function ghostText(user) {
  await user.newLine(6, 'items');
  const offered = await user.asked();
  say(`ok  ghost text: ${JSON.stringify(offered)}`);
  await user.page.waitForTimeout(600); // the cursor's own animation
  await user.shot('ghost');
  await user.key('Escape', 'Control+Shift+k');
  await user.newLine(6, NEXT.trimStart());
  await user.shown();
}

export async function typing(user) {
  const { page } = user;
  const offered = await user.ghost();
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
  await user.type(along, 60);
  await user.until(async () => (await user.ghost()) === rest, 'the rest of it');
  await page.waitForTimeout(600); // answers that come late
  const [gaps, looks] = await page.evaluate(() => ((window.watching = false), [window.gaps, window.looks]));
  must(gaps === 0 && looks > along.length, `in none of ${looks} frames it is gone while it is typed along`);
  must((await user.ghost()) === rest, 'what is left of it is shown');
  await user.key('Tab');
  await user.contains(NEXT + first);
  say('ok  Tab takes the rest');
  await user.key('Control+z');
  const typed = NEXT + along; // which stands there before as well, with the rest after it
  await user.until(async () => (await user.lines()).includes(typed), 'the line as it was typed');
  say('ok  one undo takes back what Tab took');
  await user.key('Control+Shift+k');

  await user.newLine(6, NEXT.trimStart());
  const before = await user.shown();
  await user.key('Control+ArrowRight');
  await user.contains(NEXT + before.match(/^\w+/)[0]);
  await user.until(async () => before.endsWith(await user.ghost()) && (await user.ghost()), 'the rest stays');
  say('ok  Ctrl+Right takes a word, the rest stays');
  await user.key('Escape');
  await user.gone();
  say('ok  Escape puts it away');
  await user.key('Control+Shift+k');
}

/** Every suggestion at the cursor, in the order in which one goes round them; the first is shown again. */
async function goRound(user) {
  const seen = [await user.asked()];
  for (let count = 0; count < 4 && (count === 0 || seen.at(-1) !== seen[0]); count++) {
    await user.key('Alt+BracketRight');
    seen.push(await user.shown(seen.at(-1)));
  }
  const different = [...new Set(seen)];
  must(seen.at(-1) === seen[0] && different.length > 1 && different.length <= 4, `Alt+] goes round: ${different.join(' | ')}`);
  return different;
}

/** The start of a text that no other has, with more of it left; VS Code goes back to the first text that fits. */
function apart(text, offered) {
  const others = offered.filter((one) => one !== text);
  const length = [...text].findIndex((_, at) => others.every((one) => !one.startsWith(text.slice(0, at + 1)))) + 1;
  const start = text.slice(0, length);
  return length > 0 && length < text.length && !/[([{'"`]/.test(start) ? start : ''; // what is opened, the editor closes
}

export async function alternatives(user) {
  await user.newLine(6, NEXT.trimStart());
  const different = await goRound(user);
  await user.key('Alt+BracketLeft');
  must((await user.shown(different[0])) === different.at(-1), 'Alt+[ goes back');
  await user.page.hover('.view-lines [class*="ghost-text"]');
  await user.page.waitForTimeout(800); // until the bar above it is there
  await user.shot('alternatives');
  await user.page.mouse.move(5, 300);
  await user.key('Escape', 'Control+Shift+k');

  let followed = '';
  for (const [line, what] of [[6, 'items'], [6, 'return '], [9, 'const total = '], [13, 'const total = ']]) {
    await user.newLine(line, what);
    const offered = await goRound(user);
    const chosen = offered.slice(1).find((text) => apart(text, offered));
    if (chosen) {
      for (let now = await user.shown(); now !== chosen; now = await user.shown(now)) await user.key('Alt+BracketRight');
      followed = apart(chosen, offered);
      await user.type(followed, 60);
      await user.until(async () => (await user.ghost()) === chosen.slice(followed.length), `the rest of ${chosen}`);
    }
    await user.key('Escape', 'Control+Shift+k');
    if (followed) break;
  }
  must(followed, 'one that was chosen stays while it is typed along');

  // the next line, of ghost text that has several; which places the model fills with several lines is its own matter
  for (const [line, what] of [[9, 'const total = (prices) => {'], [10, 'const total = (prices) => {'], [9, 'export function sum(prices) {'], [13, 'export function sum(prices) {'], [9, 'while (parent) {']]) {
    await user.newLine(line, what);
    await user.key('Enter');
    const whole = await user.asked();
    if (whole.includes('\n')) {
      const before = await user.text();
      await user.shot('lines');
      await user.key('Alt+End');
      const wanted = before.split('\n').length;
      const first = whole.split('\n')[0].trim();
      const times = (text) => text.split(first).length;
      await user.until(async () => times(await user.text()) > times(before), 'a line of it');
      const after = await user.text();
      must(after.split('\n').length <= wanted + 1 && times(after) === times(before) + 1, 'Alt+End takes a line');
      const rest = await user.shown();
      must(rest.length < whole.length, 'the lines after it stay');
      await user.key('Escape');
      await user.until(async () => (await user.key('Control+z'), await user.text()) === user.config.code.trimEnd() + '\n', 'undone');
      return;
    }
    await user.until(async () => (await user.key('Control+z'), await user.text()) === user.config.code.trimEnd() + '\n', 'undone');
  }
  throw new Error('the model says nothing of several lines at any of the places');
}

/** Who asks where nothing comes is told why. */
export async function nothing(user) {
  const settings = path.join(user.config.work, '.vscode', 'settings.json');
  const before = fs.readFileSync(settings, 'utf8');
  const numbered = (any) => user.holds((wanted) => wanted === !!document.querySelector('.editor-instance .line-numbers'), any);
  const off = { ...JSON.parse(before), 'inscope.inline.trigger': 'off', 'editor.lineNumbers': 'off' };
  fs.writeFileSync(settings, JSON.stringify(off));
  await numbered(false); // so the settings are in force
  await user.goTo(6);
  await user.key('Alt+Backslash');
  await user.holds(() => document.querySelector('.part.statusbar').innerText.includes('Inscope: Ghost text is switched off'));
  say('ok  who asks is told why nothing comes');
  fs.writeFileSync(settings, before);
  await numbered(true);
}

export async function menu(user) {
  const clean = await user.text();
  await user.newLine(6, 'ite');
  await user.key('Control+Space');
  const first = user.page.locator('.suggest-widget.visible .monaco-list-row').first();
  await first.waitFor();
  const said = await first.innerText();
  must(/^items\b/.test(said.trim()) && said.includes('Inscope'), 'the menu is ranked, and marked with our name');
  await user.page.waitForTimeout(600);
  await user.shot('menu');
  await user.key('Enter');
  await user.until(async () => /\n {4}items\n/.test(await user.text()), 'an entry is taken');
  say('ok  Enter takes an entry');
  await user.key('Control+Shift+k');
  await user.becomes(clean);
}
