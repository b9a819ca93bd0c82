// The extension's settings, and those that are sent to the server. What names a program or a model (`inscope.path`,
// `inscope.typescript.path`, `inscope.model`) or lets more through is never taken from a workspace that is not trusted:
// package.json lists it as restricted. The server is told whether the workspace is trusted; if not, it runs nothing that
// lies in it. In a trusted one it runs, and we start, only what these settings name there.
import * as vscode from 'vscode';

export const SECTION = 'inscope';

const OURS = new Set(['path', 'previewRewrites']);
const TRIGGER = 'inline.trigger';
/** The languages of the server, each with those of VS Code; the settings of the first count. */
const BY_SERVER: [string, ...string[]][] = [
  ['javascript', 'javascript', 'javascriptreact'],
  ['typescript', 'typescript'],
  ['tsx', 'typescriptreact'],
  ['python', 'python'],
  ['c', 'c'],
  ['cpp', 'cpp'],
];
export const LANGUAGES = BY_SERVER.flatMap(([, ...ids]) => ids);

/** What silences suggestions for a while, and which languages other extensions complete. */
export interface Circumstances {
  paused: boolean;
  snoozing: boolean;
  others: ReadonlySet<string>;
}

/**
 * The server's own settings; null where nobody has set one, so that the server's configuration files have effect. The
 * defaults in the manifest are the server's.
 */
export function forServer({ paused, snoozing, others }: Circumstances): Record<string, unknown> {
  const given = vscode.workspace.getConfiguration(SECTION, null);
  const settings: Record<string, unknown> = {};
  for (const name of serverSettings()) {
    settings[name] = isSet(given.inspect(name)) ? (given.get(name) ?? null) : null;
  }
  settings['workspace.trusted'] = vscode.workspace.isTrusted;
  settings['completion.others'] = BY_SERVER.filter(([, ...ids]) => ids.some((id) => others.has(id))).map(([name]) => name);
  settings[TRIGGER] = paused ? 'off' : triggers(snoozing);
  if (paused) {
    settings['completion.mode'] = 'off';
  }
  return settings;
}

/** When ghost text comes, by language, as `"[python]": {...}` may set it; null where nobody says. */
function triggers(snoozing: boolean): Record<string, string> | null {
  const found = BY_SERVER.map(([name, languageId = name]) => {
    const given = vscode.workspace.getConfiguration(SECTION, { languageId });
    const value = given.get<string>(TRIGGER, 'automatic');
    return { name, value: snoozing && value === 'automatic' ? 'manual' : value, isSet: snoozing || isSet(given.inspect(TRIGGER)) };
  });
  return found.some((one) => one.isSet) ? Object.fromEntries(found.map(({ name, value }) => [name, value])) : null;
}

function isSet(found: ReturnType<vscode.WorkspaceConfiguration['inspect']>): boolean {
  return [
    found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue,
    found?.globalLanguageValue, found?.workspaceLanguageValue, found?.workspaceFolderLanguageValue,
  ].some((value) => value !== undefined);
}

function serverSettings(): string[] {
  const manifest = vscode.extensions.getExtension('inscope.inscope')?.packageJSON as Manifest | undefined;
  const names = Object.keys(manifest?.contributes.configuration.properties ?? {});
  return names.map((name) => name.slice(SECTION.length + 1)).filter((name) => !OURS.has(name));
}

interface Manifest {
  contributes: { configuration: { properties: Record<string, { enum?: string[]; enumDescriptions?: string[] }> } };
}

/** The values that a setting may have, and what each does, as the manifest lists them. */
export function choicesOf(name: string): { value: string; does: string }[] {
  const manifest = vscode.extensions.getExtension('inscope.inscope')?.packageJSON as Manifest | undefined;
  const { enum: values = [], enumDescriptions: says = [] } = manifest?.contributes.configuration.properties[`${SECTION}.${name}`] ?? {};
  return values.map((value, index) => ({ value, does: says[index] ?? '' }));
}

export function setting<T>(name: string): T | undefined {
  return vscode.workspace.getConfiguration(SECTION).get<T>(name);
}

/** Set a setting where it is set now, for the language that is edited or for all; else for all folders of this person. */
export async function change(name: string, value: string): Promise<void> {
  const languageId = vscode.window.activeTextEditor?.document.languageId;
  const given = vscode.workspace.getConfiguration(SECTION, languageId === undefined ? null : { languageId });
  const found = given.inspect(name);
  const { Global, Workspace } = vscode.ConfigurationTarget;
  if (found?.workspaceLanguageValue !== undefined || found?.globalLanguageValue !== undefined) {
    await given.update(name, value, found.workspaceLanguageValue === undefined ? Global : Workspace, true);
  } else {
    await given.update(name, value, found?.workspaceValue === undefined ? Global : Workspace);
  }
}

/** Show a setting in the settings editor, in the tab in which it counts: one of a machine, in that of the server's. */
export async function showSetting(name: string): Promise<void> {
  const page = vscode.env.remoteName === undefined ? 'workbench.action.openSettings' : 'workbench.action.openRemoteSettings';
  await vscode.commands.executeCommand(page, { query: `${SECTION}.${name}` });
}
