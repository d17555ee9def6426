// Structured logs: one JSON line per event on standard output, written synchronously, so that the last line before a
// crash is not lost. Secrets and customer data are redacted by field name.
//
// The reader may be gone (EPIPE, ECONNRESET), slow (EAGAIN) or out of disk (ENOSPC). No process may block on that: a
// line that cannot be written within WAIT_MS is dropped, and the next written line reports the number of dropped ones.
// (pino's own destination waits without limit: a gateway blocked for half an hour while its port stayed open.)
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
  'redisWebhooksUrl',
  'databaseUrl',
  'databaseUrlDirect',
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

/** A logger whose lines carry the process name and id. */
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

/** Writes as many bytes as possible, beginning at `from`; returns their number. */
type WriteSome = (bytes: Buffer, from: number) => number;

export class LineOutput {
  readonly #writeSome: WriteSome;
  #dropped = 0;
  #isCut = false;

  constructor(writeSome: WriteSome = (bytes, from) => writeSync(1, bytes, from)) {
    this.#writeSome = writeSome;
  }

  /** Writes a line that ends with a line feed. Never throws. */
  write(line: string): void {
    const bytes = Buffer.from(this.#dropped === 0 ? line : this.#formatDropped() + line);
    // After a dropped line the following ones do not wait, so that a dead reader costs 100 ms once.
    const written = this.#writeAll(bytes, this.#dropped === 0 ? WAIT_MS : 0);
    if (written === bytes.length) {
      this.#dropped = 0;
      this.#isCut = false;
    } else {
      this.#dropped += 1;
      this.#isCut ||= written > 0;
    }
  }

  #formatDropped(): string {
    const base = { level: 'warn', time: new Date().toISOString(), pid: process.pid };
    const text = JSON.stringify({ ...base, lines: this.#dropped, msg: 'log lines were dropped' });
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
