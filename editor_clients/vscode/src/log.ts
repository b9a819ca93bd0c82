// Copies the server's log, which it writes to standard error, to the output channel: each line at its own level.
import { createInterface } from 'node:readline';
import type { LogOutputChannel } from 'vscode';

const LINE = /^[\d-]+ [\d:,]+ (DEBUG|INFO|WARNING|ERROR|CRITICAL) (.*)$/; // the channel has a clock of its own

export function copyLog(stream: NodeJS.ReadableStream, log: LogOutputChannel): void {
  let write = log.error.bind(log); // what comes before the first line of the log is a fault
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
    const [, level, text] = LINE.exec(line) ?? [];
    if (level) {
      write = { DEBUG: log.debug, INFO: log.info, WARNING: log.warn }[level]?.bind(log) ?? log.error.bind(log);
    }
    write(text ?? line); // a line of a traceback has the level of the line that it belongs to
  });
}
