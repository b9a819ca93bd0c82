// Setup: the command, its progress, and what the server says when it is over.
import fs from 'node:fs';
import { say } from './user.mjs';

export async function setup(user) {
  const { page, config } = user;
  fs.writeFileSync(config.hold, '');
  await user.command('Inscope: Set Up');
  await user.message('TypeScript 7.0.2: downloading');
  await page.waitForTimeout(400); // until it has slid in
  await user.shot('setup');
  fs.unlinkSync(config.hold);
  await user.message('installed: TypeScript 7.0.2, QuickJS');
  say('ok  setup shows its steps, and what it has installed');
  await user.command('Notifications: Clear All Notifications');
  await user.noMessage('Inscope');
}
