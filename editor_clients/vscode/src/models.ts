// "Choose a model": the list of `inscope models`, which the server makes; the choice goes into the person's own file.
import * as vscode from 'vscode';
import { showFault, showNotRunning } from './messages';
import type { Server } from './server';
import { SECTION } from './settings';

interface StoredModel {
  name: string;
  kind: string;
  cache: string;
  bytes: number;
  family: string | null;
  extra: string | null;
  extra_installed: boolean;
  problem: string | null;
}

interface KnownModel {
  name: string;
  memory_bytes: number;
  licence: string;
  fetch: string | null;
  fits: string[];
  stored: boolean;
}

interface ModelList {
  chosen: string;
  stored: StoredModel[];
  known: KnownModel[];
}

interface ModelChoice {
  model: string;
  needs: string[];
  overridden: string | null;
}

const COMMAND = 'inscope.models';

export async function chooseModel(server: Server): Promise<void> {
  const client = server.running;
  if (!client) {
    showNotRunning();
    return;
  }
  const ask = <Answer>(given: unknown[]): Promise<Answer> =>
    client.sendRequest<Answer>('workspace/executeCommand', { command: COMMAND, arguments: given });
  try {
    const picked = await vscode.window.showQuickPick<vscode.QuickPickItem>(ask<ModelList>([]).then(itemsOf), {
      title: 'Inscope: choose a model',
      placeHolder: 'The choice is written into your own configuration',
      matchOnDescription: true,
    });
    if (picked) {
      const choice = await ask<ModelChoice>([{ use: picked.label }]);
      const isInForce = (await updateOwnSetting(choice.model)) || choice.overridden === null;
      const sentences = [`Inscope: the model is ${choice.model}.`, ...choice.needs, ...(isInForce ? [] : [choice.overridden])];
      void vscode.window.showInformationMessage(sentences.join(' '));
    }
  } catch (fault) {
    showFault(fault);
  }
}

/** What is on this machine and can be used, then what may be fetched. */
function itemsOf({ chosen, stored, known }: ModelList): vscode.QuickPickItem[] {
  const here = stored.filter((model) => model.problem === null);
  const others = known.filter((model) => !model.stored);
  return [
    { label: 'On this machine', kind: vscode.QuickPickItemKind.Separator },
    ...here.map((model) => ({
      label: model.name,
      description: [
        ...(model.name === chosen ? ['chosen'] : []), sizeOf(model.bytes), model.kind, model.family ?? 'unknown family',
      ].join(', '),
      ...(model.extra_installed ? {} : { detail: `needs inscope[${model.extra ?? ''}]` }),
    })),
    { label: 'May be fetched', kind: vscode.QuickPickItemKind.Separator },
    ...others.map((model) => ({
      label: model.name,
      description: `${sizeOf(model.memory_bytes)} of memory (${model.fits.length > 0 ? 'fits' : 'more than is free'}), ${model.licence}`,
      detail: model.fetch ?? 'fetched at its first use',
    })),
  ];
}

/**
 * Writes the choice into the person's own setting of the editor, if there is one, as it goes before the file.
 * Returns whether there is one.
 */
async function updateOwnSetting(model: string): Promise<boolean> {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const isSet = settings.inspect('model')?.globalValue !== undefined;
  if (isSet) {
    await settings.update('model', model === 'built-in' ? undefined : model, vscode.ConfigurationTarget.Global);
  }
  return isSet;
}

function sizeOf(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(0)} MB`;
}
