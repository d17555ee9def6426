// Structured logs: one JSON line an event on standard output, written synchronously, so that the last line
// before a crash is not lost. Secrets and customer data are removed by name before a line is made.
//
// Whoever reads the lines can be gone (EPIPE, ECONNRESET), behind (EAGAIN) or out of disk (ENOSPC), and none of that
// may stop a process, least of all one that says why it ends: a line that is not taken in WAIT_MS is dropped, and the
// next one that is taken comes with how many were. (pino's own destination waits for such a reader without an end: a
// gateway stood so for half an hour, listening and deaf.)
import { writeSync } from 'node:fs';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import type { Config } from './config.js';

export type Log = Logger;

const WAIT_MS = 100;
const STEP_MS = 5;
const TIMER = new Int32Array(new SharedArrayBuffer(4));

const SECRET_FIELDS = [
  'authorization',
  'x-api-key',
  'password',
  'secret',
  'token',
  'key',
  'idKey',
  'secretsKeys',
  'redisUrl',
  'databaseUrl',
  'serverKey',
  'secretKey',
  'callbackToken',
  'customer_name',
  'customer_email',
  'customer_phone',
];

/** The fields above, at the top of a log object and up to two levels down. */
const REDACTED = SECRET_FIELDS.flatMap((field) => [
  `["${field}"]`,
  `*["${field}"]`,
  `*.*["${field}"]`,
]);

/** A logger whose lines carry the process's name and id. `name` is that of the part that logs. */
export function createLog(
  config: Pick<Config, 'logLevel'>,
  name: string,
  output: Pick<LineOutput, 'write'> = new LineOutput(),
): Log {
  const options = {
    level: config.logLevel,
    base: { process: name, pid: process.pid },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: REDACTED, censor: '[redacted]' },
  };
  return pino(options, output);
}

/** Writes bytes from `from` on, as many as it can; answers how many. */
type WriteSome = (bytes: Buffer, from: number) => number;

export class LineOutput {
  readonly #writeSome: WriteSome;
  #dropped = 0;
  #isCut = false;

  constructor(writeSome: WriteSome = (bytes, from) => writeSync(1, bytes, from)) {
    this.#writeSome = writeSome;
  }

  /** Takes a line with its end. Never throws. */
  write(line: string): void {
    const bytes = Buffer.from(this.#dropped === 0 ? line : this.#tellDropped() + line);
    // After a line that nobody took, the next ones do not wait for it again.
    const written = this.#writeAll(bytes, this.#dropped === 0 ? WAIT_MS : 0);
    if (written === bytes.length) {
      this.#dropped = 0;
      this.#isCut = false;
    } else {
      this.#dropped += 1;
      this.#isCut ||= written > 0;
    }
  }

  #tellDropped(): string {
    const told = { level: 'warn', time: new Date().toISOString(), pid: process.pid };
    const text = JSON.stringify({ ...told, lines: this.#dropped, msg: 'log lines were dropped' });
    return `${this.#isCut ? '\n' : ''}${text}\n`;
  }

  #writeAll(bytes: Buffer, waitMs: number): number {
    const untilMs = performance.now() + waitMs;
    let written = 0;
    while (written < bytes.length) {
      try {
        written += this.#writeSome(bytes, written);
      } catch (error) {
        const isBehind = (error as NodeJS.ErrnoException).code === 'EAGAIN';
        if (!isBehind || performance.now() >= untilMs) return written;
        Atomics.wait(TIMER, 0, 0, STEP_MS);
      }
    }
    return written;
  }
}
