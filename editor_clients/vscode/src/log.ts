// The server's log, which it writes to standard error, in the output channel: each line at its own level.
import { createInterface } from 'node:readline';
import type { LogOutputChannel } from 'vscode';

const LINE = /^[\d-]+ [\d:,]+ (DEBUG|INFO|WARNING|ERROR|CRITICAL) (.*)$/; // the channel has a clock of its own

export function follow(stream: NodeJS.ReadableStream, log: LogOutputChannel): void {
  let tell = log.error.bind(log); // what comes before the first line of the log is a fault
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
    const [, level, text] = LINE.exec(line) ?? [];
    if (level) {
      tell = { DEBUG: log.debug, INFO: log.info, WARNING: log.warn }[level]?.bind(log) ?? log.error.bind(log);
    }
    tell(text ?? line); // a line of a trace has the level of the one that it belongs to
  });
}
