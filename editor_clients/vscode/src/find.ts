// Where the server's program is: the setting, then the environment of the selected Python interpreter, then the PATH.
// In a workspace that is not trusted, none that lies in it is taken, whatever the PATH says.
import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';
import type { PythonExtension } from '@vscode/python-extension';
import * as vscode from 'vscode';
import { get } from './settings';

const NAMES = process.platform === 'win32' ? ['inscope.exe', 'inscope.cmd', 'inscope.bat'] : ['inscope'];

export type Found = { program: string } | { missing: string };

export async function findServer(): Promise<Found> {
  const named = get<string>('path')?.trim();
  if (named) {
    const program = named.replace(/^~(?=[/\\])/, process.env['HOME'] ?? '~');
    return (await isProgram(program)) ? { program } : { missing: `There is no program '${program}' (setting inscope.path).` };
  }
  const folders = [...(await environmentFolders()), ...(process.env['PATH'] ?? '').split(path.delimiter)];
  const forbidden = vscode.workspace.isTrusted ? [] : await workspaces();
  for (const folder of folders.filter((one) => path.isAbsolute(one))) {
    for (const name of NAMES) {
      const program = path.join(folder, name);
      if ((await isProgram(program)) && !(await liesIn(program, forbidden))) {
        return { program };
      }
    }
  }
  return { missing: 'The program inscope is neither in the selected Python environment nor on the PATH.' };
}

/** The folders that are open. A home folder is nobody else's, and holds what a person installed. */
async function workspaces(): Promise<string[]> {
  const home = await resolved(homedir());
  const roots = await Promise.all((vscode.workspace.workspaceFolders ?? []).map((one) => resolved(one.uri.fsPath)));
  return roots.filter((root) => !isWithin(home, root));
}

/** Whether a program, or its folder, leads into one of some folders. */
async function liesIn(program: string, folders: string[]): Promise<boolean> {
  const places = await Promise.all([program, path.dirname(program)].map(resolved));
  return places.some((place) => folders.some((folder) => isWithin(place, folder)));
}

function isWithin(place: string, folder: string): boolean {
  const between = path.relative(folder, place);
  return between === '' || (!path.isAbsolute(between) && between.split(path.sep)[0] !== '..');
}

async function resolved(place: string): Promise<string> {
  return realpath(place).catch(() => place);
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The folder of the interpreter that was selected; none in a workspace that is not trusted, which may hold it. */
async function environmentFolders(): Promise<string[]> {
  const python = await pythonApi();
  if (!python || !vscode.workspace.isTrusted) {
    return [];
  }
  const environment = await python.environments.resolveEnvironment(python.environments.getActiveEnvironmentPath());
  const executable = environment?.executable.uri?.fsPath;
  return executable ? [path.dirname(executable)] : [];
}

async function pythonApi(): Promise<PythonExtension | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>('ms-python.python');
  return extension && (extension.isActive ? extension.exports : await extension.activate());
}

/** Tell when another interpreter is selected. */
export async function onInterpreter(changed: () => void): Promise<vscode.Disposable | undefined> {
  return (await pythonApi())?.environments.onDidChangeActiveEnvironmentPath(changed);
}
