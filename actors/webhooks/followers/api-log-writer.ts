// Stores API logs: claims pages of the stream, masks their records, and inserts them. No request waits for it, so the
// loop rests longer than it works; its cost is bounded at any rate of requests, and pages beyond it are refused at the
// stream. Any number of processes share the work; pages of a process that died are claimed after STALE_MS.
import type { Log } from '#ops/runtime/log.js';
import { createIdleRest, type Loop, startLoop } from '#ops/runtime/loop.js';
import { createCounter, type Registry } from '#ops/runtime/metrics.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  type ApiLogRow,
  maintainDays,
  writeLogs,
} from '#store/postgres/merchants/write-api-logs.js';
import type { ApiLogRecord } from '#store/redis/api-log-page.js';
import {
  claimPages,
  type ClaimedPage,
  dropPages,
  MAX_BACKLOG_BYTES,
} from '#store/redis/api-logs.js';
import type { RedisClient } from '#store/redis/client.js';
import { findSubjectId, maskBody, maskText } from './api-log-mask.js';

/** Bytes of one batch: few full pages, or many small ones. */
const BATCH_BYTES = 256 * 1024;
const MAX_PAGES = 64;
const MAX_ROWS = 128;
const STALE_MS = 30_000;
const IDLE_MS = 200;
/** The longest rest while nothing is logged. Logs of so long a time fit into the stream. */
const MAX_IDLE_MS = 1_000;
/** Rest for each millisecond of work: it uses a twentieth of a core with Postgres's part, a tenth of one in a backlog. */
const REST_PER_WORK = 19;
const BACKLOG_REST_PER_WORK = 9;
const BACKLOG_BYTES = MAX_BACKLOG_BYTES / 4;
const MAX_REST_MS = 2_000;
const MAINTAIN_EVERY_MS = 600_000;

export interface ApiLogWriterOptions {
  readonly sql: Postgres;
  readonly redis: RedisClient;
  readonly consumer: string;
  readonly registry: Registry;
  readonly log: Log;
}

export function startApiLogWriter(options: ApiLogWriterOptions): Loop {
  const { sql, redis, consumer, registry, log } = options;
  const written = createCounter(registry, 'api_logs_written_total', 'API logs that were stored');
  let maintainAtMs = 0;
  let entries = 1;
  const rest = createIdleRest(IDLE_MS, MAX_IDLE_MS);
  const work = async (): Promise<number> => {
    const beganAtMs = performance.now();
    if (beganAtMs >= maintainAtMs) {
      await maintainDays(sql);
      maintainAtMs = performance.now() + MAINTAIN_EVERY_MS;
    }
    const pages = await claimPages(redis, consumer, { entries, staleMs: STALE_MS });
    const idleMs = rest(pages.length > 0);
    if (pages.length === 0) return idleMs;
    written.inc(await writePages(sql, pages));
    const waitingBytes = await dropPages(redis, pages);
    const bytes = pages.reduce((sum, page) => sum + page.bytes, 0);
    entries = Math.min(MAX_PAGES, Math.ceil((BATCH_BYTES * pages.length) / bytes));
    const restPerWork = waitingBytes > BACKLOG_BYTES ? BACKLOG_REST_PER_WORK : REST_PER_WORK;
    return Math.min(MAX_REST_MS, (performance.now() - beganAtMs) * restPerWork);
  };
  return startLoop({ name: 'writing API logs', everyMs: IDLE_MS, work, log });
}

/** Returns how many records were stored. */
async function writePages(sql: Postgres, pages: readonly ClaimedPage[]): Promise<number> {
  const records = pages.flatMap((page) => page.records);
  for (let from = 0; from < records.length; from += MAX_ROWS) {
    await writeLogs(sql, records.slice(from, from + MAX_ROWS).map(buildRow));
  }
  return records.length;
}

function buildRow(record: ApiLogRecord): ApiLogRow {
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

/** Values of these filters may identify a customer. */
const maskQuery = (query: string): string =>
  maskText(query).replace(/\b(customer|reference_id)=[^&]*/g, '$1=[masked]');
