// The extension's settings, and those that are sent to the server. What names a program or a model (`inscope.path`,
// `inscope.typescript.path`, `inscope.model`) or lets more through is never taken from a workspace that is not trusted:
// package.json lists it as restricted. The server is told whether the workspace is trusted; if not, it runs nothing that
// lies in it. In a trusted one it runs, and we start, only what these settings name there.
import * as vscode from 'vscode';

export const SECTION = 'inscope';

const OURS = new Set(['path', 'previewRewrites']);

/**
 * The server's own settings; null where nobody has set one, so that the server's configuration files have effect. The
 * defaults in the manifest are the server's.
 */
export function forServer(paused: boolean): Record<string, unknown> {
  const given = vscode.workspace.getConfiguration(SECTION, null);
  const settings: Record<string, unknown> = {};
  for (const name of serverSettings()) {
    settings[name] = isSet(given.inspect(name)) ? (given.get(name) ?? null) : null;
  }
  settings['workspace.trusted'] = vscode.workspace.isTrusted;
  if (paused) {
    settings['inline.enabled'] = false;
    settings['completion.enabled'] = false;
  }
  return settings;
}

function isSet(found: ReturnType<vscode.WorkspaceConfiguration['inspect']>): boolean {
  return [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue].some((value) => value !== undefined);
}

function serverSettings(): string[] {
  const manifest = vscode.extensions.getExtension('inscope.inscope')?.packageJSON as Manifest | undefined;
  const names = Object.keys(manifest?.contributes.configuration.properties ?? {});
  return names.map((name) => name.slice(SECTION.length + 1)).filter((name) => !OURS.has(name));
}

interface Manifest {
  contributes: { configuration: { properties: Record<string, unknown> } };
}

export function setting<T>(name: string): T | undefined {
  return vscode.workspace.getConfiguration(SECTION).get<T>(name);
}
