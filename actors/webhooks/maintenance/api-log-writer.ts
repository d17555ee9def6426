// Brings API logs from their stream to their table, masked. Nobody waits for them, so this loop rests longer than
// it works: what it costs is bounded however many requests there are, and what it cannot carry is refused at the
// stream's entry. Any number of processes share it; what one left behind, another takes after STALE_MS.
import type { ApiLogRow } from '#store/postgres/merchants/write-api-logs.js';
import type { ApiLogRecord } from '#store/redis/api-log-page.js';
import { MAX_BACKLOG_BYTES, type ClaimedPage } from '#store/redis/api-logs.js';
import type { Log } from '#ops/runtime/log.js';
import { RetryLoop, sleep } from '#ops/runtime/retry-loop.js';
import { findSubjectId, maskBody, maskText } from './api-log-mask.js';

/** As much as is read of pages that are full; of small ones there are more. */
const BYTES_AT_ONCE = 256 * 1024;
const MOST_AT_ONCE = 64;
const STALE_MS = 30_000;
const IDLE_MS = 200;
/** A twentieth of a core, with what Postgres does meanwhile; a tenth when much waits. */
const LONG_REST_FOR_WORK = 19;
const REST_FOR_WORK = 9;
const MUCH_BYTES = MAX_BACKLOG_BYTES / 4;
/** Also after an outage, which counts as work. */
const MAX_REST_MS = 2_000;
const ROWS_A_STATEMENT = 128;
const DAYS_EVERY_MS = 600_000;

export interface ApiLogWriterDeps {
  readonly stopping: AbortSignal;
  claim(wish: { readonly entries: number; readonly staleMs: number }): Promise<ClaimedPage[]>;
  write(rows: readonly ApiLogRow[]): Promise<void>;
  /** Answers how many bytes wait still. */
  drop(pages: readonly ClaimedPage[]): Promise<number>;
  maintainDays(): Promise<void>;
  onWritten(count: number): void;
  readonly log: Log;
}

/** Resolves when the process stops. */
export async function runApiLogWriter(parts: ApiLogWriterDeps): Promise<void> {
  const { stopping, log } = parts;
  const outage = new RetryLoop(log, 'writing API logs');
  let daysAtMs = 0;
  let entries = 1;
  while (!stopping.aborted) {
    const beganMs = performance.now();
    if (beganMs >= daysAtMs) {
      await outage.retry(stopping, () => parts.maintainDays());
      daysAtMs = performance.now() + DAYS_EVERY_MS;
    }
    const stored = await outage.retry(stopping, () => storeBatch(parts, entries));
    const workedMs = performance.now() - beganMs;
    if (stored === undefined || stored.pages === 0) {
      await sleep(IDLE_MS);
      continue;
    }
    entries = Math.min(MOST_AT_ONCE, Math.ceil((BYTES_AT_ONCE * stored.pages) / stored.bytes));
    const restForWork = stored.left > MUCH_BYTES ? REST_FOR_WORK : LONG_REST_FOR_WORK;
    await sleep(Math.min(MAX_REST_MS, workedMs * restForWork));
  }
}

interface Stored {
  readonly pages: number;
  readonly bytes: number;
  /** Bytes that wait still. */
  readonly left: number;
}

async function storeBatch(parts: ApiLogWriterDeps, entries: number): Promise<Stored> {
  const pages = await parts.claim({ entries, staleMs: STALE_MS });
  if (pages.length === 0) return { pages: 0, bytes: 0, left: 0 };
  const records = pages.flatMap((page) => page.records);
  for (let from = 0; from < records.length; from += ROWS_A_STATEMENT) {
    await parts.write(records.slice(from, from + ROWS_A_STATEMENT).map(buildRow));
  }
  const left = await parts.drop(pages);
  parts.onWritten(records.length);
  return { pages: pages.length, bytes: pages.reduce((sum, { bytes }) => sum + bytes, 0), left };
}

export function buildRow(record: ApiLogRecord): ApiLogRow {
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
