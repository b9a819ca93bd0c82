// The server's process and the connection to it.
import * as vscode from 'vscode';
import type { ApplyWorkspaceEditParams, ApplyWorkspaceEditResult } from 'vscode-languageclient/node';
import { CloseAction, ErrorAction, LanguageClient, TransportKind, type LanguageClientOptions } from 'vscode-languageclient/node';
import { marked } from './completionMenu';
import { findServer } from './find';
import { copyLog } from './log';
import type { Asked } from './rewrite';
import { SECTION, forServer } from './settings';
import { openWalkthrough } from './welcome';

export const LANGUAGES = ['javascript', 'javascriptreact', 'typescript', 'typescriptreact', 'python'];

const RESTARTS = 5;
const WITHIN_MS = 180_000;

export interface Status {
  state: 'unloaded' | 'loading' | 'ready' | 'failed' | 'stopped';
  model: string;
  message: string;
  lastWithheld: { reason: string; message: string } | null;
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
  status: Status = { state: 'stopped', model: '', message: '', lastWithheld: null };
  paused = false;
  program = '';

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

  async sendSettings(): Promise<void> {
    await this.running?.sendNotification('workspace/didChangeConfiguration', {
      settings: { [SECTION]: forServer(this.paused) },
    });
  }

  dispose(): void {
    void this.stop();
    this.statusChanged.dispose();
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
    const run = { command: found.program, args: ['lsp'], transport: TransportKind.stdio };
    const client = new LanguageClient('inscope', 'Inscope', run, this.options());
    this.client = client;
    client.onNotification('inscope/status', (status: Status) => {
      this.set(status);
    });
    try {
      await client.start();
    } catch (fault) {
      this.set({ ...this.status, state: 'stopped', message: String(fault) });
      this.log.error(String(fault));
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
        ['file', 'untitled'].map((scheme) => ({ language, scheme })),
      ),
      outputChannel: this.log,
      stdioOptions: { stdout: () => undefined, stderr: copyLog }, // standard output is the protocol's
      initializationOptions: forServer(this.paused),
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue }),
        closed: () => this.closed(),
      },
      middleware: {
        // a code action names no instruction; a person is asked for one
        executeCommand: (command, args: unknown[], next) =>
          command === 'inscope.rewrite' ? this.questions.rewrite(args[0] as Asked) : next(command, args),
        provideSignatureHelp: () => undefined, // VS Code's own languages have theirs
        provideCompletionItem: async (document, position, context, token, next) =>
          marked(await next(document, position, context, token)),
        workspace: {
          // the client would send all that is set below `inscope`, ours included
          didChangeConfiguration: () => this.sendSettings(),
          configuration: (params) =>
            params.items.map((item) => (item.section === SECTION ? forServer(this.paused) : null)),
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
      await vscode.commands.executeCommand('workbench.action.openSettings', 'inscope.path');
    }
  }

  private set(status: Status): void {
    this.status = status;
    this.statusChanged.fire(status);
  }

  showLog(): void {
    this.log.show();
  }
}

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
