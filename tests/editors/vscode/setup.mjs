// Setup: the command, its progress, and what the server says when it is over.
import fs from 'node:fs';
import { say } from './hands.mjs';

export async function setup(at) {
  const { page, config } = at;
  fs.writeFileSync(config.hold, '');
  await at.command('Inscope: Set Up');
  await at.message('TypeScript 7.0.2: downloading');
  await page.waitForTimeout(400); // until it has slid in
  await at.shot('setup');
  fs.unlinkSync(config.hold);
  await at.message('installed: TypeScript 7.0.2, QuickJS');
  say('ok  setup shows its steps, and what it has installed');
  await at.command('Notifications: Clear All Notifications');
  await at.noMessage('Inscope');
}
