// Where the server's program is: the setting, then the environment of the selected Python interpreter, then the PATH.
// Opening a folder starts nothing from it: a program that lies in one is started only if the folder is trusted and the
// setting names the program. The selected interpreter is no choice of a person: the Python extension may take a folder's own.
import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';
import type { PythonExtension } from '@vscode/python-extension';
import * as vscode from 'vscode';
import { setting } from './settings';

const NAMES = process.platform === 'win32' ? ['inscope.exe', 'inscope.cmd', 'inscope.bat'] : ['inscope'];

export type Found = { program: string } | { missing: string };

export async function findServer(): Promise<Found> {
  const opened = await workspaces();
  const named = setting<string>('path')?.trim();
  if (named) {
    return namedProgram(named.replace(/^~(?=[/\\])/, homedir()), opened);
  }
  const folders = [...(await environmentFolders()), ...(process.env['PATH'] ?? '').split(path.delimiter)];
  let passedOver = '';
  for (const folder of folders.filter((one) => path.isAbsolute(one))) {
    for (const name of NAMES) {
      const program = path.join(folder, name);
      if (!(await isProgram(program))) {
        continue;
      }
      if (!(await liesIn(program, opened))) {
        return { program };
      }
      passedOver ||= program;
    }
  }
  const missing = 'The program inscope is neither in the selected Python environment nor on the PATH.';
  return {
    missing: passedOver
      ? `The program '${passedOver}' lies in the folder that is open. Trust the folder and name it in inscope.path to start it.`
      : missing,
  };
}

async function namedProgram(program: string, opened: string[]): Promise<Found> {
  if (!path.isAbsolute(program)) {
    return { missing: `'${program}' is not an absolute path (setting inscope.path).` };
  }
  if (!vscode.workspace.isTrusted && (await liesIn(program, opened))) {
    return { missing: `'${program}' lies in the folder that is open, which is not trusted (setting inscope.path).` };
  }
  return (await isProgram(program)) ? { program } : { missing: `There is no program '${program}' (setting inscope.path).` };
}

/** The folders that are open, except the home folder: what lies there the person installed. */
async function workspaces(): Promise<string[]> {
  const home = await resolved(homedir());
  const roots = (vscode.workspace.workspaceFolders ?? []).map((one) => one.uri.fsPath);
  const real = await Promise.all(roots.map(resolved));
  return [...roots, ...real].filter((root) => !isWithin(home, root));
}

/** Whether a program lies in one of the folders, itself or by a link. */
async function liesIn(program: string, folders: string[]): Promise<boolean> {
  const places = [program, ...(await Promise.all([program, path.dirname(program)].map(resolved)))];
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

/** The folder of the selected interpreter; none in a workspace that is not trusted, as its settings may name one. */
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

/** Call `changed` whenever another interpreter is selected. */
export async function onInterpreterChanged(changed: () => void): Promise<vscode.Disposable | undefined> {
  return (await pythonApi())?.environments.onDidChangeActiveEnvironmentPath(changed);
}
