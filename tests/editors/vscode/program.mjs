// Programs: the one in the editor is run, and a page has what it writes with each choice, or a message what is wrong.
import fs from 'node:fs';
import path from 'node:path';
import { say } from './hands.mjs';

const PAGE = '.editor-instance .monaco-editor[data-uri^="inscope-page"] .view-lines';
const FILES = {
  'yes.py': "from decoder.program import gen, start\n\n\nasync def main():\n    await gen(options=['yes'])\n\n\nstart(main)\n",
  'wrong.py': 'from decoder.program import call_of\n\nCALL = call_of("if (x")\n',
};

export async function program(at) {
  const files = Object.entries(FILES).map(([name, text]) => [path.join(at.config.work, name), text]);
  for (const [file, text] of files) fs.writeFileSync(file, text);
  await at.open('yes.py');
  await at.command('Inscope: Run Program at Cursor');
  await at.holds((place) => {
    const lines = (document.querySelector(place)?.innerText ?? '').replace(/\u00a0/g, ' ').split('\n');
    return lines.some((line) => /^yes\.py: \d+ tokens? in /.test(line)) && lines.includes('yes') && lines.some((line) => line.startsWith('chosen'));
  }, PAGE);
  say('ok  a page has what the program writes, and its choices');
  await at.closeTab('What the program writes');
  await at.closeTab('yes.py');

  await at.open('wrong.py');
  await at.command('Inscope: Run Program at Cursor');
  await at.message("'if (x' is not an expression that can be called");
  say('ok  what is wrong with a program is a message');
  await at.command('Notifications: Clear All Notifications');
  await at.closeTab('wrong.py');
  for (const [file] of files) fs.unlinkSync(file);
  await at.open('cart.js');
}
