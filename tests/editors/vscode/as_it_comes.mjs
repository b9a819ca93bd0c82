// VS Code as it comes, with its own service for JavaScript and TypeScript beside ours: the first minute, menus and their
// modes, ghost text beside them and by hand, brackets closed twice, a file that is closed, the path of the server, a notebook.
import fs from 'node:fs';
import path from 'node:path';
import { must, say } from './user.mjs';

const FILE = 'feed.ts';
const STAR = '★ ';

const MENU_COMES_MS = 8000;
let menusOpened = 0;
let menusAskedFor = 0;

/**
 * The entries of the menu as they are drawn, once they stay the same: what each says, and whether it is selected.
 *
 * A person presses the menu's key where none comes. On a machine with four times as many tasks as cores VS Code opened
 * none at 2 of 16 places: it had asked no service for the word whose letters came while it waited for another word's menu.
 */
export async function entries(user) {
  const read = () =>
    user.page.evaluate(() => {
      const rows = [...document.querySelectorAll('.suggest-widget.visible .monaco-list-row')];
      rows.sort((a, b) => Number(a.dataset.index) - Number(b.dataset.index));
      return rows.map((row) => {
        const label = row.querySelector('.label-name')?.textContent ?? '';
        return { label, details: row.textContent.replace(label, ''), isSelected: row.classList.contains('focused') };
      });
    });
  let before = '';
  let looks = 0;
  let asked = Date.now();
  menusOpened++;
  return user.until(async () => {
    const now = await read();
    if (now.length === 0 && Date.now() - asked > MENU_COMES_MS) {
      asked = Date.now();
      menusAskedFor++;
      await user.page.keyboard.press('Control+Space');
    }
    const text = JSON.stringify(now);
    looks = text === before ? looks + 1 : 0;
    before = text;
    return looks > 3 && now.length > 0 && now.some((one) => one.isSelected) && now;
  }, 'a menu');
}

/** What the person has set; nothing while VS Code is writing it. */
function userSettings(user) {
  const written = fs.readFileSync(path.join(user.config.folder, 'data', 'User', 'settings.json'), 'utf8');
  return written ? JSON.parse(written) : {};
}
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
  const isOffered = () => page.evaluate(() => !!document.querySelector('.notifications-toasts')?.innerText.includes('suggestions come as you type'));
  let early = 0;
  for (let count = 0; count < 120 && !(await user.isServing()); count++) {
    await page.keyboard.type('x');
    typed += 'x';
    await page.waitForTimeout(1000);
    early += await isOffered();
  }
  must(early === 0, 'nothing is said while somebody types');
  await user.until(isOffered, 'the walkthrough is offered, once nobody types');
  await page.keyboard.type('yyy', { delay: 100 });
  typed += 'yyy';
  await user.until(async () => (await text(user)).endsWith(typed), 'all keys went to the file');
  must((await page.locator('.editor-group-container').count()) === 1, 'and the file keeps the keys and all of the room');
  await page.waitForTimeout(500);
  await user.shot('first-start');
  await user.showMe();
  await page.locator('[data-done-step-id$="#install"].complete, [data-done-step-id$="#install"].codicon-getting-started-step-checked').first().waitFor();
  say('ok  the server runs, and its step is ticked');
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

  const names = await user.until(async () => {
    await line(user, 'price(fe');
    const now = await entries(user); // on a busy machine a snippet of the editor's own may be there before both services
    if (now[0].label.startsWith(STAR)) return now;
    await away(user);
    return false;
  }, 'a menu of names');
  mustAgree(names, 'names');
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
  must(menusAskedFor < menusOpened / 2, `menus open by themselves: ${menusOpened - menusAskedFor} of ${menusOpened}`);
}

export async function ghostBesideTheMenu(user) {
  const { page } = user;
  for (const what of ['feed.', 'const all = feed.']) {
    await line(user, what);
    const selected = (await entries(user)).find((one) => one.isSelected).label.replace(STAR, '');
    await page.keyboard.press('Alt+Backslash');
    const ghost = await user.shown();
    const word = what.match(/\w*$/)[0];
    must((word + ghost).startsWith(selected), `beside the menu of ${what}, with ${selected}, the ghost text is ${ghost}`);
    await user.shot('ghost-with-menu');
    await page.keyboard.press('Tab');
    const whole = what + ghost.split('\n')[0];
    await user.until(async () => (await text(user)).includes(whole), `Tab inserts ${whole}`);
    await setText(user);
  }
}

/** Above a word of the grammar that is typed to its end, nothing has a star. */
export async function keyword(user) {
  for (const what of ['const', 'for (const', 'return']) {
    await line(user, what);
    const found = await entries(user);
    must(found.every((one) => !one.label.startsWith(STAR)), `no star at ${what}: ${found.slice(0, 4).map((one) => one.label).join(', ')}`);
    must(found[0].label === what.match(/\w+$/)[0], 'the word itself is first');
    await user.page.waitForTimeout(600);
    await user.shot('keyword');
    await setText(user);
  }
}

/** An import that ghost text brings is said at the end of its line, as long as the text is there. */
export async function importNote(user) {
  const { page } = user;
  const noted = () =>
    page.evaluate(() => {
      const spans = [...document.querySelectorAll('.editor-instance .view-lines span')];
      return spans.map((one) => getComputedStyle(one, '::after').content).filter((said) => said.includes('+ import')).join();
    });
  const asked = async () => {
    await user.until(async () => {
      if (await page.locator('.suggest-widget.visible').count()) await page.keyboard.press('Escape'); // it says itself where its entries come from
      await page.keyboard.press('Alt+Backslash');
      for (let looks = 0; looks < 200 && !(await user.ghost()); looks++) await page.waitForTimeout(100);
      return user.ghost();
    }, 'what is asked for');
    const ghost = await user.shown();
    must(ghost.startsWith('ents'), `the ghost text is ${ghost}`);
    await user.until(async () => (await noted()).includes('+ import formatCents from ./money'), 'its import');
  };
  await setting(user, 'inscope.inline.deadlineMs', 8000); // what the model is unsure of is looked for until then
  await line(user, 'const cents = formatC');
  await asked();
  await page.waitForTimeout(600);
  await user.shot('import');
  await user.until(async () => {
    await page.keyboard.press('Escape'); // the first one closes the menu, which may have opened meanwhile
    for (let looks = 0; looks < 10 && (await user.ghost()); looks++) await page.waitForTimeout(60);
    return !(await user.ghost());
  }, 'Escape hides the text');
  await user.until(async () => (await noted()) === '', 'it goes with the text');
  await asked();
  await page.keyboard.press('Tab');
  await user.until(async () => (await text(user)).includes(', formatCents }'), 'the import');
  must((await noted()) === '', 'nothing is said once it is taken');
  await user.until(async () => (await page.keyboard.press('Control+z'), !(await text(user)).includes('formatC')), 'undone');
  await setText(user);
  await setting(user, 'inscope.inline.deadlineMs', undefined);
}

/** The file as it was: what was added at its end is taken away, a line at a time. */
export async function setText(user) {
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

/** Which of our entries the menu after a member's dot has in each mode: whether with stars, and whether without. */
const MODES = [['all', false, true], ['off', false, false], ['best', true, false], ['auto', true, false]];

export async function modes(user) {
  const { page } = user;
  for (const [mode, hasStars, hasOthers] of MODES) {
    await user.command('Inscope: What the Menu Lists');
    await user.pick(mode, true);
    await user.until(() => userSettings(user)['inscope.completion.mode'] === mode, 'the mode is set');
    await line(user, 'feed.');
    await user.until(async () => {
      const found = await entries(user); // the first menu may still be one of the mode before
      const starred = found.some((one) => one.label.startsWith(STAR));
      const others = found.some((one) => !one.label.startsWith(STAR) && one.details.includes('Inscope'));
      if (starred === hasStars && others === hasOthers) return true;
      for (const key of ['Backspace', '.']) await page.keyboard.press(key);
      return false;
    }, `the menu of ${mode}`);
    say(`ok  ${mode}: ${hasStars ? 'stars' : 'no stars'}, ${hasOthers ? 'all of ours' : 'no other entries of ours'}`);
    await away(user);
  }
}

const UNASKED = 'const other = new Fe'; // after which ghost text comes by itself

export async function byHand(user) {
  const { page } = user;
  const until = (name, value) => user.until(() => userSettings(user)[`inscope.${name}`] === value, `${name} is ${value}`);
  const chosen = async (title, name, value) => {
    await user.command(`Inscope: ${title}`);
    await user.pick(value, true);
    await until(name, value);
  };
  /** Nothing comes by itself; then what comes to whom asks. */
  const asked = async () => {
    await line(user, UNASKED);
    await page.waitForTimeout(1000); // what is shown unasked would be there by then
    must((await user.ghost()) === '', 'nothing unasked');
    await page.keyboard.press('Alt+Backslash');
    return user.shown();
  };
  const unasked = async () => {
    await line(user, UNASKED);
    await user.shown();
    await setText(user);
  };
  await chosen('Eagerness', 'inline.eagerness', 'eager');
  await unasked();
  say('ok  eager and automatic: it comes by itself');

  await chosen('When Ghost Text Comes', 'inline.trigger', 'manual');
  say(`ok  manual: ${JSON.stringify(await asked())} only to whom asks`);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await user.gone();
  await user.command('Inscope: Suggest Here');
  const again = await user.shown();
  say('ok  what was dismissed is shown again to whom asks, by the command as well');
  await page.keyboard.type(again[0], { delay: 60 });
  await user.until(async () => (await last(user)) === UNASKED + again[0], 'a letter of it');
  must(await user.until(async () => again.slice(1).startsWith(await user.ghost()) && user.ghost(), 'the rest'), 'it stays while one types along');
  await setText(user);
  await chosen('When Ghost Text Comes', 'inline.trigger', 'off');
  await line(user, UNASKED);
  await page.keyboard.press('Alt+Backslash');
  await page.waitForTimeout(1500);
  must((await user.ghost()) === '', 'off: nothing, whoever asks');
  await setText(user);
  await chosen('When Ghost Text Comes', 'inline.trigger', 'automatic');
  await setting(user, '[typescript]', { 'inscope.inline.trigger': 'manual' });
  await asked();
  say('ok  manual for one language');
  await setText(user);
  await setting(user, '[typescript]', undefined);

  await user.command('Inscope: Snooze');
  await user.pick('5 minutes');
  await user.status('snoozed until');
  await user.shot('snoozed');
  await asked();
  say('ok  snoozed: only to whom asks');
  await setText(user);
  await user.command('Inscope: End the Snooze');
  await user.status('Inscope: ready');
  await unasked();
  say('ok  after the snooze it comes by itself again');
  await chosen('Eagerness', 'inline.eagerness', 'balanced');
}

/** A bracket that VS Code closed, and whose end the suggestion has, too, is there once; typed all the same, it is typed over. */
export async function closing(user) {
  const { page } = user;
  for (const after of ['', ';']) {
    await line(user, `const shown = feed.add${after}`);
    for (const key of ['Escape', ...(after && ['ArrowLeft']), 'Alt+Backslash']) await page.keyboard.press(key);
    const asked = await user.shown();
    must(asked.startsWith('('), `a call: ${asked}`);
    await page.keyboard.type('(', { delay: 60 });
    const rest = await user.shown(asked);
    await page.keyboard.press('Tab');
    const argument = rest.replace(';', ''); // what the ghost text says on both sides of the bracket
    await user.until(async () => (await last(user)).includes(argument) && !(await user.ghost()), 'taken');
    const taken = await last(user);
    must(/^[^()]*\([^()]*\);?$/.test(taken), `a bracket, and one that closes it: ${taken}`);
    if (!rest.endsWith(';')) { // else the cursor is after the end of the statement, where nothing is typed over
      await page.keyboard.type(') ', { delay: 60 });
      await user.until(async () => (await last(user)) === taken.replace(')', ') '), 'the bracket is typed over');
    }
    await setText(user);
  }
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

/** The server runs where the files are, so its path is a setting of that machine: a browser's own settings do not count. */
export async function serverPath(user) {
  const { page } = user;
  await user.command("Inscope: Set the Server's Path");
  await page.locator('.settings-tabs-widget .checked', { hasText: 'Remote' }).first().waitFor();
  await page.locator('.settings-editor .setting-item-label', { hasText: 'Path' }).first().waitFor();
  say('ok  the path is set where the server runs');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.locator('.settings-tabs-widget').first().waitFor({ state: 'hidden' });
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
 * Instead of the first minute, where `STEPS` names the steps to be gone through, `REPEAT` times: `STEPS=modes,byHand
 * REPEAT=20`. `closing` is not in the tour: one time in six no ghost text comes after its second bracket.
 */
async function quick(user) {
  const { page } = user;
  await page.waitForSelector('.explorer-folders-view .monaco-list-row');
  await page.dblclick(`.explorer-folders-view .monaco-list-row[aria-label*="${FILE}"]`);
  await page.waitForSelector(`.editor-instance .monaco-editor[data-uri$="/${FILE}"] .view-line`);
  await user.message('suggestions come as you type');
  await user.command('Notifications: Clear All Notifications');
  await user.serving();
}

const tour = { menus, keyword, importNote, modes, ghostBesideTheMenu, byHand, closed, serverPath, notebook };
const all = { ...tour, closing };
const named = (process.env.STEPS ?? '').split(',').filter(Boolean).map((name) => all[name]);
const repeated = Array.from({ length: Number(process.env.REPEAT ?? 1) }, () => named).flat();
export const steps = named.length > 0 ? [quick, ...repeated] : [firstMinute, ...Object.values(tour)];
