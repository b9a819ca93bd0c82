// Whether the Lua of the plugin for Neovim is formatted as its stylua.toml says. usage: node stylua.mjs [--write]
// npm has StyLua as WebAssembly, without its command line.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Config, IndentType, OutputVerification, QuoteStyle, formatCode } from '@johnnymorganz/stylua';

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'editor_clients', 'neovim');
const wanted = fs.readFileSync(path.join(folder, 'stylua.toml'), 'utf8');
const option = (name) => new RegExp(`^${name} *= *"?([^"\\n]+)"?$`, 'm').exec(wanted)[1];
/** As the file says; formatting takes it over, so each text needs one of its own. */
function config() {
  const made = Config.new();
  made.column_width = Number(option('column_width'));
  made.indent_width = Number(option('indent_width'));
  made.indent_type = IndentType[option('indent_type')];
  made.quote_style = QuoteStyle[option('quote_style')];
  return made;
}

const files = fs.readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.lua'));
for (const name of files.sort()) {
  const file = path.join(folder, name);
  const text = fs.readFileSync(file, 'utf8');
  const formatted = formatCode(text, config(), undefined, OutputVerification.Full);
  if (formatted !== text && process.argv.includes('--write')) fs.writeFileSync(file, formatted);
  else if (formatted !== text) {
    console.error(`editor_clients/neovim/${name} is not formatted: node tests/stylua.mjs --write`);
    process.exitCode = 1;
  }
}
if (!files.length) throw new Error('no Lua was found');
