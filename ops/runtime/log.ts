// Structured logs: one JSON line an event on standard output, written synchronously, so that the last line
// before a crash is not lost. Secrets and customer data are removed by name before a line is made.
import { type Logger, pino, stdTimeFunctions } from 'pino';
import type { Config } from './config.js';

export type Log = Logger;

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
export function createLog(config: Pick<Config, 'logLevel'>, name: string): Log {
  return pino({
    level: config.logLevel,
    base: { process: name, pid: process.pid },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: REDACTED, censor: '[redacted]' },
  });
}
