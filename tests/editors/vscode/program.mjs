// Programs: the one in the editor is run. A page shows what it writes and each choice; a message says what is wrong with it.
import fs from 'node:fs';
import path from 'node:path';
import { say } from './user.mjs';

const PAGE = '.editor-instance .monaco-editor[data-uri^="inscope-page"] .view-lines';
const FILES = {
  'yes.py': "from decoder.program import gen, start\n\n\nasync def main():\n    await gen(options=['yes'])\n\n\nstart(main)\n",
  'wrong.py': 'from decoder.program import call_of\n\nCALL = call_of("if (x")\n',
};

export async function program(user) {
  const files = Object.entries(FILES).map(([name, text]) => [path.join(user.config.work, name), text]);
  for (const [file, text] of files) fs.writeFileSync(file, text);
  await user.open('yes.py');
  await user.command('Inscope: Run Program');
  await user.holds((place) => {
    const lines = (document.querySelector(place)?.innerText ?? '').replace(/\u00a0/g, ' ').split('\n');
    return lines.some((line) => /^yes\.py: \d+ tokens? in /.test(line)) && lines.includes('yes') && lines.some((line) => line.startsWith('chosen'));
  }, PAGE);
  say('ok  a page shows what the program writes, and its choices');
  await user.closeTab('What the program writes');
  await user.closeTab('yes.py');

  await user.open('wrong.py');
  await user.command('Inscope: Run Program');
  await user.message("'if (x' is not an expression that can be called");
  say('ok  a message says what is wrong with a program');
  await user.command('Notifications: Clear All Notifications');
  await user.closeTab('wrong.py');
  for (const [file] of files) fs.unlinkSync(file);
  await user.open('cart.js');
}
