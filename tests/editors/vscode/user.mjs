// The person at VS Code: presses keys in the right place, and reads the screen.
// No step is repeated. Each waits until what it needs is there.
import fs from 'node:fs';
import path from 'node:path';

export const PATIENCE = 120_000; // milliseconds; only bounds a failing test
const began = Date.now();
const INPUT = '.quick-input-widget input.input';

export const say = (text) => console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)}s  ${text}`);
export const must = (holds, what) => {
  if (!holds) throw new Error(`does not hold: ${what}`);
  say(`ok  ${what}`);
};

export function userOf(page, config) {
  const holds = (condition, argument) => page.waitForFunction(condition, argument, { timeout: PATIENCE, polling: 50 });
  const shot = (name, clip) => page.screenshot({ path: path.join(config.out, `vscode-${name}.png`), ...(clip && { clip }) });

  /** Wait until a condition, asked again and again from here, holds. */
  async function until(is, what) {
    for (const end = Date.now() + PATIENCE; ; await page.waitForTimeout(60)) {
      const found = await is();
      if (found) return found;
      if (Date.now() > end) throw new Error(`still not: ${what}`);
    }
  }

  /** The lines of the file on the screen, with ghost text or without. */
  const lines = (withGhost = false, file = 'cart.js') =>
    page.evaluate(([ghostToo, name]) => {
      const view = document.querySelector(`.editor-instance .monaco-editor[data-uri$="/${name}"] .view-lines`);
      const rows = [...(view?.querySelectorAll(':scope > .view-line') ?? [])].sort((a, b) => a.offsetTop - b.offsetTop);
      return rows.map((row) => {
        const copy = row.cloneNode(true);
        if (!ghostToo) copy.querySelectorAll('[class*="ghost-text"]').forEach((one) => one.remove());
        return copy.textContent.replace(/\u00a0/g, ' ');
      });
    }, [withGhost, file]);
  /** All of a file, which has to fit on the screen. */
  const textOf = async (file) => (await lines(false, file)).join('\n');
  const text = async () => (await lines()).join('\n');
  const becomes = (wanted) => until(async () => (await text()) === wanted, `the text is ${JSON.stringify(wanted)}`);
  const contains = (part) => until(async () => (await text()).includes(part), `in the text: ${JSON.stringify(part)}`);

  /** The ghost text; its lines are separated by line breaks. */
  const ghost = () =>
    page.evaluate(() => {
      const plain = (one) => one.textContent.replace(/\u00a0/g, ' ');
      const first = [...document.querySelectorAll('.view-lines [class*="ghost-text"]')].map(plain).join('');
      const more = [...document.querySelectorAll('.suggest-preview-text .view-line')].sort((a, b) => a.offsetTop - b.offsetTop);
      return [first, ...more.map(plain)].join('\n');
    });
  /** Ghost text once it is drawn completely: three looks in a row see the same. It is another one than `other`. */
  const shown = async (other = '') => {
    let before = '';
    let looks = 0;
    return until(async () => {
      const now = await ghost();
      looks = now === before ? looks + 1 : 0;
      before = now;
      return looks > 1 && now !== other && now;
    }, other ? 'another suggestion' : 'ghost text');
  };
  /** Ask for ghost text, and wait for it: what is shown unasked is a matter of tests of its own. */
  const asked = async () => {
    await page.waitForTimeout(1000); // until what is shown unasked would be there
    if (!(await ghost())) await command('Trigger Inline Suggestion');
    return shown();
  };
  const gone = () => until(async () => !(await ghost()), 'no ghost text');

  const editorOf = (file) => `.editor-instance .monaco-editor[data-uri$="/${file}"]`;
  /** Wait until a file has the focus. */
  const focused = (file = 'cart.js') =>
    holds((place) => document.activeElement?.closest(place) && document.hasFocus(), editorOf(file));
  /** Give a file the focus. Not by a click, which would move the cursor. */
  async function focus(file = 'cart.js') {
    const there = editorOf(file);
    await page.locator(`${there} .native-edit-context, ${there} textarea.inputarea`).first().focus();
    await focused(file);
  }
  async function key(...names) {
    for (const name of names) {
      await focus();
      await page.keyboard.press(name);
    }
  }
  async function type(what, delay = 30) {
    await focus();
    await page.keyboard.type(what, { delay });
  }
  /** Go to the end of a line; ghost text is dismissed. */
  const goTo = (line) => key('Escape', 'Control+Home', ...Array(line - 1).fill('ArrowDown'), 'End');
  /** Insert a line after a line, and type something on it. */
  async function newLine(line, what) {
    await goTo(line);
    await key('Enter');
    await type(what);
  }

  /** Fill in the box at the top, wherever the focus is. */
  async function answer(what) {
    await page.locator(INPUT).fill(what);
    await page.locator(INPUT).press('Enter');
    await page.locator(INPUT).waitFor({ state: 'hidden' });
  }
  async function command(title) {
    await page.keyboard.press('F1');
    await page.locator(INPUT).fill(`>${title}`);
    await pick(title);
  }
  /** Ask for a file by its name. */
  async function find(file) {
    await page.keyboard.press('Control+p');
    await page.locator(INPUT).fill(file);
    await pick(file);
  }
  /** Bring a file to the front and give it the focus, wherever it was before. */
  async function open(file) {
    await find(file);
    await page.locator(`.tab.active[data-resource-name="${file}"]`).waitFor();
    await focus(file);
  }
  /** Take an entry of the list at the top, which says something; or begins with it: what it is called, and not about. */
  async function pick(title, begins = false) {
    const row = page.locator(`.quick-input-list .monaco-list-row[aria-label${begins ? '^' : '*'}="${title}"]`).first();
    await row.waitFor();
    await page.waitForTimeout(200); // the list is filtered a moment after the text is there
    await row.click();
    await row.waitFor({ state: 'hidden' });
  }
  /** Take an entry of a list of any length: a row that is out of sight does not exist. */
  async function choose(title) {
    await page.locator(INPUT).fill(title);
    await pick(title);
  }

  /** Wait until the server that was started last has its model, so that all that is typed from now on is answered. */
  const numbers = (file) => fs.readFileSync(file, { encoding: 'utf8', flag: 'a+' }).trim().split('\n').filter(Boolean).map(Number);
  const servers = () => numbers(config.pids);
  const isServing = () => numbers(config.ready).includes(servers().at(-1));
  const serving = async () => {
    await until(isServing, 'the server has its model');
    await status('Inscope: ready');
  };

  /** Wait until the item in the status bar shows what fits a pattern. */
  const status = (said) =>
    holds((pattern) => [...document.querySelectorAll('.statusbar-item[id^="inscope"]')].some((one) => one.outerHTML.match(pattern)), said);
  const message = (said) => holds((part) => document.querySelector('.notifications-toasts')?.innerText.includes(part), said);
  const noMessage = (said) => holds((part) => !document.querySelector('.notifications-toasts')?.innerText.includes(part), said);
  /** Take up the offer of the walkthrough, which may have left the screen for the list of notifications. */
  const showMe = async () => {
    await command('Notifications: Show Notifications');
    await page.click('.notifications-center .monaco-button:has-text("Show Me")');
  };
  /** Close the tab with a title, whatever it shows. */
  const closeTab = async (title) => {
    const tab = page.locator(`.tab[data-resource-name*="${title}"], .tab[aria-label*="${title}"]`).first();
    await tab.hover();
    await tab.locator('.tab-actions .action-label').click();
    await tab.waitFor({ state: 'detached' });
  };

  return {
    page, config, holds, shot, until, lines, text, textOf, isServing, becomes, contains, ghost, asked, shown, gone, focused, focus, key, type, goTo, newLine,
    answer, find, open, command, pick, choose, servers, serving, status, message, noMessage, showMe, closeTab, input: page.locator(INPUT),
  };
}
