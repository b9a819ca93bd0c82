// VS Code as it comes, with its own service for JavaScript and TypeScript beside ours: the first minute, menus, ghost text
// beside them, ghost text by hand, a notebook, and what is closed.
import fs from 'node:fs';
import path from 'node:path';
import { must, say } from './user.mjs';

const FILE = 'feed.ts';
const STAR = '★ ';

/** The entries of the menu as they are drawn, once they stay the same: what each says, and whether it is selected. */
export async function entries(user) {
  const read = () =>
    user.page.evaluate(() => {
      const rows = [...document.querySelectorAll('.suggest-widget.visible .monaco-list-row')];
      rows.sort((a, b) => Number(a.dataset.index) - Number(b.dataset.index));
      return rows.map((row) => ({
        label: row.querySelector('.label-name')?.textContent ?? '',
        details: row.querySelector('.qualifier-label, .details-label')?.textContent ?? '',
        isSelected: row.classList.contains('focused'),
      }));
    });
  let before = '';
  let looks = 0;
  return user.until(async () => {
    const now = await read();
    const text = JSON.stringify(now);
    looks = text === before ? looks + 1 : 0;
    before = text;
    return looks > 3 && now.length > 0 && now.some((one) => one.isSelected) && now;
  }, 'a menu');
}

const userSettings = (user) => JSON.parse(fs.readFileSync(path.join(user.config.folder, 'data', 'User', 'settings.json'), 'utf8'));
const text = (user) => user.textOf(FILE);
/** A line of its own at the end of the file, without menu and ghost text. */
async function line(user, what) {
  const { page } = user;
  await user.focus(FILE);
  for (const key of ['Escape', 'Escape', 'Control+End']) await page.keyboard.press(key);
  await page.keyboard.type(`${what}`, { delay: 60 });
}
/** Take the last line away, whatever is on it. */
async function away(user) {
  const { page } = user;
  await user.focus(FILE);
  for (const key of ['Escape', 'Escape', 'Control+End', 'Shift+Home', 'Shift+Home', 'Delete']) await page.keyboard.press(key);
  await user.until(async () => (await text(user)).endsWith('feed.add("two");\n'), 'the line is gone');
}
const last = async (user) => (await text(user)).split('\n').at(-1);
async function setting(user, name, value) {
  const file = path.join(user.config.work, '.vscode', 'settings.json');
  const settings = JSON.parse(fs.readFileSync(file, 'utf8'));
  if (value === undefined) delete settings[name];
  else settings[name] = value;
  const before = Object.hasOwn(settings, 'editor.lineNumbers');
  if (before) delete settings['editor.lineNumbers'];
  else settings['editor.lineNumbers'] = 'off'; // to be seen once the settings are in force
  fs.writeFileSync(file, JSON.stringify(settings));
  await user.holds((wanted) => wanted === !!document.querySelector('.editor-instance .line-numbers'), before);
}

export async function firstMinute(user) {
  const { page } = user;
  await page.waitForSelector('.explorer-folders-view .monaco-list-row');
  await page.dblclick(`.explorer-folders-view .monaco-list-row[aria-label*="${FILE}"]`);
  await page.waitForSelector(`.editor-instance .monaco-editor[data-uri$="/${FILE}"] .view-line`);
  await page.keyboard.press('Control+End');
  let typed = '';
  const isOpen = () => page.getByText('Start with Inscope').first().isVisible();
  let early = 0;
  for (let count = 0; count < 120 && !(await user.isServing()); count++) {
    await page.keyboard.type('x');
    typed += 'x';
    await page.waitForTimeout(1000);
    early += await isOpen();
  }
  must(early === 0, 'nothing opens while somebody types');
  await user.until(isOpen, 'the walkthrough, once nobody types');
  await page.keyboard.type('yyy', { delay: 100 });
  typed += 'yyy';
  await user.until(async () => (await text(user)).endsWith(typed), 'all keys went to the file');
  say('ok  the walkthrough opens beside the file, which keeps the keys');
  await page.locator('[data-done-step-id$="#install"].complete, [data-done-step-id$="#install"].codicon-getting-started-step-checked').first().waitFor();
  say('ok  the server runs, and its step is ticked');
  await page.waitForTimeout(500);
  await user.shot('first-start');
  await user.closeTab('Welcome');
  await user.serving();
  await away(user);
}

/** The menu begins with at most three starred entries; the first is selected, and nothing else is there twice. */
function mustAgree(found, what) {
  const starred = found.filter((one) => one.label.startsWith(STAR)).length;
  must(starred >= 1 && starred <= 3, `${what}: ${found.slice(0, 6).map((one) => one.label).join(', ')}`);
  must(found.slice(0, starred).every((one) => one.label.startsWith(STAR)), `${what}: the starred come first`);
  must(found[0].isSelected, `${what}: the first is selected`);
  const others = found.slice(starred).map((one) => `${one.label} ${one.details}`);
  must(new Set(others).size === others.length, `${what}: nothing else is there twice`);
  must(found.slice(starred).every((one) => !one.label.startsWith(STAR) && !one.details.includes('Inscope')), `${what}: the others are the other service's`);
}

export async function menus(user) {
  const { page } = user;
  await line(user, 'feed.');
  const members = await entries(user);
  mustAgree(members, 'members');
  for (const name of ['add', 'fetchedAt', 'latest', 'refresh', 'title']) {
    must(members.some((one) => one.label === name), `the other service's ${name} stays`);
  }
  await page.waitForTimeout(600);
  await user.shot('members');
  await page.keyboard.type('re', { delay: 200 });
  const begun = await user.until(async () => {
    const now = await entries(user);
    return now[0].label === `${STAR}refresh` && now[0].isSelected && now;
  }, 'what begins as it was typed, ours first');
  mustAgree(begun, 'members that begin so');
  await away(user);
  await line(user, 'feed.');
  await entries(user);
  await page.keyboard.press('Enter');
  const taken = members[0].label.slice(STAR.length);
  await user.until(async () => (await last(user)).startsWith(`feed.${taken}`), 'the first entry is taken');
  await away(user);

  await line(user, 'price(fe');
  mustAgree(await entries(user), 'names');
  await page.waitForTimeout(600);
  await user.shot('names');
  await away(user);

  await line(user, 'const cents = format');
  const imports = await entries(user);
  const named = imports.filter((one) => one.label.endsWith('formatCents')).map((one) => one.label);
  must(named.length > 0 && named.filter((one) => !one.startsWith(STAR)).length <= 1, `an import is listed once beside its star: ${named}`);
  await page.waitForTimeout(600);
  await user.shot('imports');
  await away(user);

  await line(user, 'feed.latest(2).');
  const array = await entries(user);
  mustAgree(array, 'members of an array');
  must(!array[0].label.includes('Symbol'), 'what cannot be typed after a dot is not first');
  await away(user);
}

export async function ghostBesideTheMenu(user) {
  const { page } = user;
  await setting(user, 'inscope.inline.eagerness', 'eager');
  let both = 0;
  for (const what of ['feed.', 'feed.ref', 'feed.add(feed.', 'const all = feed.', 'const text = pri', 'price(fe', 'return fe', 'const again = fee']) {
    await line(user, what);
    await page.waitForTimeout(2500); // until what is shown unasked would be there
    const isOpen = await page.locator('.suggest-widget.visible .monaco-list-row.focused').count(); // not beside ghost text
    const found = isOpen ? await entries(user) : [];
    if (isOpen && !(await user.ghost())) {
      await page.keyboard.press('Alt+Backslash');
      await page.waitForTimeout(2500);
    }
    const selected = found.find((one) => one.isSelected)?.label.replace(STAR, '');
    const ghost = await user.ghost();
    say(`    ${what}: selected ${selected}, ghost ${JSON.stringify(ghost)}`);
    if (selected && ghost) {
      both++;
      const word = what.match(/\w*$/)[0];
      must((word + ghost).startsWith(selected), `the ghost text of ${what} begins with what is selected`);
      await user.shot('ghost-with-menu');
      await page.keyboard.press('Tab');
      const whole = what + ghost.split('\n')[0];
      await user.until(async () => (await text(user)).includes(whole), `Tab inserts ${whole}`);
    }
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await setText(user);
  }
  must(both > 0, 'ghost text and a menu at once');
  await setting(user, 'inscope.inline.eagerness', undefined);
}

/** The file as it was: what was added at its end is taken away, a line at a time. */
async function setText(user) {
  const { page } = user;
  const wanted = user.config.texts[FILE];
  await user.focus(FILE);
  for (const key of ['Escape', 'Escape']) await page.keyboard.press(key);
  for (let now = await text(user); now !== wanted; now = await text(user)) {
    const keys = now.endsWith('\n') ? ['Backspace'] : ['Shift+Home', 'Shift+Home', 'Delete'];
    for (const key of ['Control+End', ...keys]) await page.keyboard.press(key);
    await user.until(async () => (await text(user)) !== now, 'less of the file');
  }
}

const UNASKED = 'export function again(money: Money): str'; // after which ghost text comes by itself, with the menu

export async function byHand(user) {
  const { page } = user;
  const ask = async (by) => {
    await line(user, UNASKED);
    await page.waitForTimeout(4000); // until what is shown unasked would be there
    const unasked = await user.ghost();
    await (by === 'key' ? page.keyboard.press('Alt+Backslash') : user.command(by));
    return { unasked, asked: await user.shown() };
  };
  await user.command('Inscope: Eagerness');
  await user.pick('eager');
  await user.until(() => userSettings(user)['inscope.inline.eagerness'] === 'eager', 'the eagerness is set');
  await line(user, UNASKED);
  must((await user.shown()) !== '', `automatic: ${await user.ghost()} comes by itself`);
  await setText(user);
  for (const by of ['key', 'Trigger Inline Suggestion', 'Inscope: Suggest Here']) {
    await setting(user, 'inscope.inline.trigger', 'manual');
    const { unasked, asked } = await ask(by);
    must(unasked === '' && asked !== '', `manual: nothing unasked, ${JSON.stringify(asked)} by ${by}`);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await user.gone();
    await page.keyboard.press('Alt+Backslash');
    const again = await user.shown();
    must(again !== '', 'what was dismissed is shown again to whom asks');
    await page.keyboard.type(again[0], { delay: 60 });
    await user.until(async () => (await last(user)) === UNASKED + again[0], 'a letter of it');
    await page.waitForTimeout(2500);
    must(again.startsWith(again[0] + (await user.ghost())) && (again.length < 2 || (await user.ghost())), 'it stays while one types along');
    await setText(user);
  }
  await setting(user, 'inscope.inline.trigger', undefined);
  await setting(user, '[typescript]', { 'inscope.inline.trigger': 'manual' });
  must((await ask('key')).unasked === '', 'manual for one language');
  await setText(user);
  await setting(user, '[typescript]', { 'inscope.inline.trigger': 'off' });
  await line(user, UNASKED);
  await page.keyboard.press('Alt+Backslash');
  await page.waitForTimeout(4000);
  must((await user.ghost()) === '', 'off: nothing, whoever asks');
  await setText(user);
  await setting(user, '[typescript]', undefined);

  await user.command('Inscope: Snooze');
  await user.pick('5 minutes');
  await user.status('snoozed until');
  await user.shot('snoozed');
  const { unasked, asked } = await ask('key');
  must(unasked === '' && asked !== '', 'snoozed, nothing is shown unasked, and what is asked for is');
  await setText(user);
  await user.command('Inscope: End the Snooze');
  await user.status('Inscope: ready');
  await line(user, UNASKED);
  must((await user.shown()) !== '', 'after the snooze it comes by itself again');
  await setText(user);

  await user.command('Inscope: When Ghost Text Comes');
  await user.pick('manual');
  await user.until(() => userSettings(user)['inscope.inline.trigger'] === 'manual', 'the trigger is set');
  must((await ask('key')).unasked === '', 'the trigger is set by a command');
  await setText(user);
  await user.command('Inscope: When Ghost Text Comes');
  await user.pick('automatic');
}

/** A bracket that VS Code closed, and whose end the suggestion has, too, is typed over. */
export async function closing(user) {
  const { page } = user;
  await setting(user, 'inscope.inline.eagerness', 'eager');
  await line(user, 'const shown = feed.add');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Alt+Backslash');
  const asked = await user.shown();
  must(asked.startsWith('('), `a call: ${asked}`);
  await page.keyboard.type('(', { delay: 60 });
  await page.keyboard.press('Alt+Backslash');
  const rest = await user.until(async () => { const now = await user.ghost(); return now !== asked && now; }, 'the rest');
  say(`    ${asked} then ${rest}`);
  await page.keyboard.press('Tab');
  await user.until(async () => (await user.ghost()) === '', 'taken');
  await page.keyboard.type(')', { delay: 60 });
  await page.waitForTimeout(500);
  const now = await last(user);
  must(!now.includes('))') && (now.match(/\(/g) ?? []).length === (now.match(/\)/g) ?? []).length, `no bracket too many: ${now}`);
  await setText(user);
  await setting(user, 'inscope.inline.eagerness', undefined);
}

export async function closed(user) {
  const { page } = user;
  await user.open('money.ts');
  await page.keyboard.press('Control+End');
  await page.keyboard.type('const unsaved = 1;', { delay: 30 });
  await user.command('View: Revert and Close Editor');
  await page.locator('.tab[data-resource-name="money.ts"]').waitFor({ state: 'detached' });
  await page.waitForTimeout(2000); // a message would be there by then
  await user.noMessage('Inscope');
  say('ok  a changed file is closed without saving, and nothing is said');
}

export async function notebook(user) {
  const { page } = user;
  await setting(user, 'inscope.inline.eagerness', 'eager');
  await user.find('rows.ipynb');
  const cell = page.locator('.notebook-editor .cell.code .monaco-editor').last();
  await cell.waitFor();
  await cell.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('first = ro', { delay: 60 }); // Escape would leave the cell
  await user.page.waitForTimeout(3000);
  if (!(await user.ghost())) await page.keyboard.press('Alt+Backslash');
  must((await user.shown()) !== '', `a notebook has ghost text: ${await user.ghost()}`);
  await page.waitForTimeout(500);
  await user.shot('notebook');
  await user.noMessage('Inscope');
}

/**
 * Instead of the first minute, where `STEPS` names the steps to be gone through: `STEPS=menus,closed`. Those that are not
 * in the tour are run by hand: `ghostBesideTheMenu` and `byHand` pass, `closing` does not.
 */
async function quick(user) {
  const { page } = user;
  await page.waitForSelector('.explorer-folders-view .monaco-list-row');
  await page.dblclick(`.explorer-folders-view .monaco-list-row[aria-label*="${FILE}"]`);
  await page.waitForSelector(`.editor-instance .monaco-editor[data-uri$="/${FILE}"] .view-line`);
  await user.until(() => page.getByText('Start with Inscope').first().isVisible(), 'walkthrough');
  await page.waitForTimeout(2000);
  await user.closeTab('Welcome');
  await user.serving();
}

const all = { menus, ghostBesideTheMenu, byHand, closing, closed, notebook };
export const steps = process.env.STEPS ? [quick, ...process.env.STEPS.split(',').map((name) => all[name])] : [firstMinute, menus, closed, notebook];
