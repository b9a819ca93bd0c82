// The server's process and the connection to it.
import * as vscode from 'vscode';
import type { ApplyWorkspaceEditParams, ApplyWorkspaceEditResult } from 'vscode-languageclient/node';
import { CloseAction, ErrorAction, LanguageClient, TransportKind, type LanguageClientOptions } from 'vscode-languageclient/node';
import { tellWhyNothing } from './asking';
import { menuOf } from './completionMenu';
import { findServer } from './find';
import { ImportNote } from './importNote';
import { copyLog } from './log';
import { Others } from './others';
import type { Asked } from './rewrite';
import { LANGUAGES, SECTION, forServer, setting, showSetting } from './settings';
import { openWalkthrough, tick, tickTyping } from './welcome';

const RESTARTS = 5;
const WITHIN_MS = 180_000;
const MINUTE_MS = 60_000;

export interface Status {
  /** The server's process, then its model: that starts again while it reads the first document. */
  state: 'starting' | 'unloaded' | 'loading' | 'ready' | 'failed' | 'stopped';
  model: string;
  message: string;
  /** Why the last ghost text was not shown: a code, a sentence, and a checker's own words where the sentence sums them up. */
  lastWithheld: { reason: string; message: string; details?: string } | null;
  problems?: { name: string; message: string }[];
}

interface Health {
  findings: { name: string; status: 'ok' | 'absent' | 'failed' }[];
}

type ApplyEdit = (
  params: ApplyWorkspaceEditParams,
  make: (params: ApplyWorkspaceEditParams) => Thenable<ApplyWorkspaceEditResult>,
) => Thenable<ApplyWorkspaceEditResult>;

/** What a person is asked for: a yes to an edit, an instruction for a rewrite. */
export interface Questions {
  applyEdit: ApplyEdit;
  rewrite(asked: Asked): Promise<void>;
}

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly statusChanged = new vscode.EventEmitter<Status>();
  private readonly restarts: number[] = [];
  private turn: Promise<void> = Promise.resolve();
  readonly onStatus = this.statusChanged.event;
  status: Status = { state: 'starting', model: '', message: '', lastWithheld: null };
  paused = false;
  snoozedUntil: Date | undefined;
  program = '';
  private readonly others = new Others();
  private readonly importNote = new ImportNote();
  private awaking: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly questions: Questions,
  ) {}

  get running(): LanguageClient | undefined {
    return this.client?.isRunning() ? this.client : undefined;
  }

  start(): Promise<void> {
    return this.inTurn(() => this.begin());
  }

  /** Wait until no start or end is under way. */
  settled(): Promise<void> {
    return this.turn;
  }

  restart(): Promise<void> {
    return this.inTurn(async () => {
      await this.end();
      await this.begin();
    });
  }

  /** Look for the server's program again; start that if it is another one, else send the settings. */
  restartIfMoved(): Promise<void> {
    return this.inTurn(async () => {
      const found = await findServer();
      if (this.running && 'program' in found && found.program === this.program) {
        await this.sendSettings(); // the workspace may be trusted now
        return;
      }
      await this.end();
      await this.begin();
    });
  }

  stop(): Promise<void> {
    return this.inTurn(() => this.end());
  }

  /** Stop suggestions, or resume them. */
  async pause(paused: boolean): Promise<void> {
    this.paused = paused;
    this.set(this.status);
    await this.sendSettings();
    if (paused) {
      await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
    }
  }

  /** Show nothing unasked for some minutes; 0 ends that, and undefined changes nothing. */
  async snooze(minutes: number | undefined): Promise<void> {
    if (minutes === undefined) {
      return;
    }
    clearTimeout(this.awaking);
    this.snoozedUntil = minutes > 0 ? new Date(Date.now() + minutes * MINUTE_MS) : undefined;
    this.awaking = minutes > 0 ? setTimeout(() => void this.snooze(0), minutes * MINUTE_MS) : undefined;
    this.set(this.status);
    void vscode.commands.executeCommand('setContext', SNOOZED, minutes > 0);
    await this.sendSettings();
    if (minutes > 0) {
      await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
    }
  }

  /** Other extensions may complete now, or no longer. */
  async othersChanged(): Promise<void> {
    this.others.forget();
    await this.sendSettings();
  }

  async sendSettings(): Promise<void> {
    await this.running?.sendNotification('workspace/didChangeConfiguration', {
      settings: { [SECTION]: this.settings() },
    });
  }

  /** The value of a setting that counts in the document that is edited, whoever set it: an editor, or a file. */
  async valueInForce(name: string): Promise<unknown> {
    if (!this.running) {
      return setting(name);
    }
    const edited = vscode.window.activeTextEditor?.document;
    const args = edited && LANGUAGES.includes(edited.languageId) ? [edited.uri.toString()] : [];
    const command = { command: 'inscope.settings', arguments: args };
    return (await this.running.sendRequest<Record<string, unknown>>('workspace/executeCommand', command))[name];
  }

  /** Tick the step of the walkthrough that installs TypeScript, if there is one that works. */
  async tickSetUp(): Promise<void> {
    const command = { command: 'inscope.health', arguments: [] };
    const health = await this.running?.sendRequest<Health>('workspace/executeCommand', command);
    if (health?.findings.some(({ name, status }) => name === 'checker typescript' && status === 'ok')) {
      tick('setup');
    }
  }

  private settings(): Record<string, unknown> {
    return forServer({ paused: this.paused, snoozing: this.snoozedUntil !== undefined, others: this.others.languages });
  }

  dispose(): void {
    clearTimeout(this.awaking);
    void this.stop();
    this.statusChanged.dispose();
    this.importNote.dispose();
  }

  private inTurn(what: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(what, what);
    return this.turn;
  }

  private async begin(): Promise<void> {
    const found = await findServer();
    if ('missing' in found) {
      this.program = '';
      this.set({ ...this.status, state: 'stopped', message: found.missing });
      void this.offerInstallation(found.missing);
      return;
    }
    this.program = found.program;
    this.set({ ...this.status, state: 'starting', message: '' });
    const run = { command: found.program, args: ['lsp'], transport: TransportKind.stdio };
    const client = new LanguageClient('inscope', 'Inscope', run, this.options());
    this.client = client;
    client.onNotification('inscope/status', (status: Status) => {
      this.set(status);
    });
    try {
      await client.start();
      this.learnOthers(vscode.window.activeTextEditor);
    } catch (fault) {
      this.set({ ...this.status, state: 'stopped', message: String(fault) });
      this.log.error(String(fault));
    }
  }

  /** Find out, before the first menu, whether others list names in the document that is shown. */
  learnOthers(editor: vscode.TextEditor | undefined): void {
    if (editor && this.client?.isRunning() && LANGUAGES.includes(editor.document.languageId)) {
      const { document } = editor;
      const end = document.lineAt(document.lineCount - 1).range.end;
      void this.others.learn(document, end, () => this.sendSettings(), true);
    }
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.isRunning()) {
      await client.stop();
    }
    this.set({ ...this.status, state: 'stopped', message: '' });
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: LANGUAGES.flatMap((language) =>
        ['file', 'untitled', 'vscode-notebook-cell'].map((scheme) => ({ language, scheme })),
      ),
      outputChannel: this.log,
      stdioOptions: { stdout: () => undefined, stderr: copyLog }, // standard output is the protocol's
      initializationOptions: () => this.settings(),
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue }),
        closed: () => this.closed(),
      },
      middleware: {
        // a code action names no instruction; a person is asked for one
        executeCommand: (command, args: unknown[], next) => {
          this.importNote.hide(); // a text was accepted
          return command === 'inscope.rewrite' ? this.questions.rewrite(args[0] as Asked) : next(command, args);
        },
        provideSignatureHelp: () => undefined, // VS Code's own languages have theirs
        provideCompletionItem: async (document, position, context, token, next) => {
          if (this.others.takeOwn(document, position)) {
            return undefined;
          }
          await this.others.learn(document, position, () => this.sendSettings());
          return menuOf(await next(document, position, context, token), this.others, document, position);
        },
        provideInlineCompletionItems: async (document, position, context, token, next) => {
          const answer = await next(document, position, context, token);
          const items = Array.isArray(answer) ? answer : (answer?.items ?? []);
          const isAny = items.length > 0;
          if (isAny) {
            tickTyping(document);
          }
          if (!token.isCancellationRequested) {
            this.importNote.show(document, position, items);
            if (!isAny && context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke) {
              tellWhyNothing(this.status); // which came before the answer
            }
          }
          // Tab then takes what the ghost text says, and not only the entry that it begins with
          void vscode.commands.executeCommand('setContext', SHOWN_IN_MENU, isAny && context.selectedCompletionInfo !== undefined);
          return answer;
        },
        workspace: {
          // the client would send all that is set below `inscope`, ours included
          didChangeConfiguration: () => this.sendSettings(),
          configuration: (params) =>
            params.items.map((item) => (item.section === SECTION ? this.settings() : null)),
          handleApplyEdit: (params, next) =>
            this.questions.applyEdit(params, async (edit) => (await next(edit, NEVER)) as ApplyWorkspaceEditResult),
        },
      },
    };
  }

  /** The process ended by itself: report it, and start it again unless it has ended too often of late. */
  private closed(): { action: CloseAction; message?: string; handled?: boolean } {
    const now = Date.now();
    this.restarts.splice(0, this.restarts.length, ...this.restarts.filter((at) => now - at < WITHIN_MS), now);
    this.set({ ...this.status, state: 'stopped', message: 'The server ended.' });
    if (this.restarts.length > RESTARTS) {
      void vscode.window.showErrorMessage(
        'Inscope: the server ended again and again and is not started again.', 'Show log', 'Restart',
      ).then(choose(this));
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    void vscode.window.showWarningMessage('Inscope: the server ended; it is being started again.', 'Show log').then(choose(this));
    return { action: CloseAction.Restart, handled: true };
  }

  private async offerInstallation(missing: string): Promise<void> {
    const picked = await vscode.window.showErrorMessage(`Inscope: ${missing}`, 'How to install', 'Settings');
    if (picked === 'How to install') {
      await openWalkthrough();
    } else if (picked === 'Settings') {
      await showSetting('path');
    }
  }

  private set(status: Status): void {
    this.status = status;
    if (status.state !== 'stopped' && status.state !== 'starting') {
      tick('install');
    }
    this.statusChanged.fire(status);
  }

  showLog(): void {
    this.log.show();
  }
}

const SNOOZED = 'inscope.snoozed';
const SHOWN_IN_MENU = 'inscope.shownInMenu';
const NEVER = new vscode.CancellationTokenSource().token; // an edit that was accepted is not cancelled

function choose(server: Server): (picked: string | undefined) => void {
  return (picked) => {
    if (picked === 'Show log') {
      server.showLog();
    } else if (picked === 'Restart') {
      void server.restart();
    }
  };
}
