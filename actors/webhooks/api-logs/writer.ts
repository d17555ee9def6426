// Brings API logs from their stream to their table, masked. Nobody waits for them, so this loop rests longer than
// it works: what it costs is bounded however many requests there are, and what it cannot carry is dropped at the
// stream's beginning. Any number of processes share it; what one left behind, another takes after STALE_MS.
import type { ApiLogRow } from '../../../store/postgres/api-logs/write-logs.js';
import type { ApiLogRecord } from '../../../store/redis/api-log-page.js';
import type { TakenRecords } from '../../../store/redis/api-logs.js';
import type { Log } from '../../../ops/runtime/log.js';
import { Outage, sleep } from '../../../ops/runtime/outage.js';
import { findSubjectId, maskBody, maskText } from './mask.js';

const ENTRIES_AT_ONCE = 2;
const STALE_MS = 30_000;
const IDLE_MS = 200;
/** A tenth of a core at most, with what Postgres does meanwhile. */
const REST_FOR_WORK = 9;
const ROWS_A_STATEMENT = 128;
const DAYS_EVERY_MS = 600_000;

export interface ApiLogWriterParts {
  readonly stopping: AbortSignal;
  take(wish: { readonly entries: number; readonly staleMs: number }): Promise<TakenRecords>;
  write(rows: readonly ApiLogRow[]): Promise<void>;
  drop(ids: readonly string[]): Promise<void>;
  keepDays(): Promise<void>;
  onWritten(count: number): void;
  readonly log: Log;
}

/** Resolves when the process stops. */
export async function runApiLogs(parts: ApiLogWriterParts): Promise<void> {
  const { stopping, log } = parts;
  const outage = new Outage(log, 'writing API logs');
  let daysAtMs = 0;
  while (!stopping.aborted) {
    const beganMs = performance.now();
    if (beganMs >= daysAtMs) {
      await outage.persist(stopping, () => parts.keepDays());
      daysAtMs = performance.now() + DAYS_EVERY_MS;
    }
    const written = await outage.persist(stopping, () => writeSome(parts));
    const workedMs = performance.now() - beganMs;
    await sleep(written === 0 ? IDLE_MS : workedMs * REST_FOR_WORK);
  }
}

async function writeSome(parts: ApiLogWriterParts): Promise<number> {
  const { ids, records } = await parts.take({ entries: ENTRIES_AT_ONCE, staleMs: STALE_MS });
  for (let from = 0; from < records.length; from += ROWS_A_STATEMENT) {
    await parts.write(records.slice(from, from + ROWS_A_STATEMENT).map(toRow));
  }
  await parts.drop(ids);
  parts.onWritten(records.length);
  return ids.length;
}

export function toRow(record: ApiLogRecord): ApiLogRow {
  const requestBody = maskBody(record.requestBody);
  const responseBody = maskBody(record.responseBody);
  const { query, code, idempotencyKey, path } = record;
  return {
    ...record,
    path: maskText(path),
    query: query === '' ? null : maskQuery(query),
    code: code === '' ? null : code,
    idempotencyKey: idempotencyKey === '' ? null : maskText(idempotencyKey),
    paymentId: findSubjectId(path, [requestBody, responseBody]),
    requestBody: requestBody.text,
    responseBody: responseBody.text,
  };
}

/** Values of filters may be of the customer; names of parameters tell enough with them. */
const maskQuery = (query: string): string =>
  maskText(query).replace(/\b(customer|reference_id)=[^&]*/g, '$1=[masked]');
