// The stream of API logs. An entry is a page of records (api-log-page.ts), what one gateway noted in some
// milliseconds. The stream is a buffer and no truth: it is bounded, and whoever loses it loses log lines.
import { type ApiLogRecord, readPage } from './api-log-page.js';
import { isReady, type RedisClient } from './client.js';
import { API_LOGS_KEY } from './keys.js';
import { loadScript, runScript } from './scripts.js';

/** Of entries, each a page: a burst of some 13,000 requests. Behind it, as much is noted as the writer can carry. */
export const MAX_BACKLOG = 128;
const GROUP = 'writers';
const APPEND = loadScript('append-logs');

/** Answers how many entries wait then; -1: there were too many. Throws when it is not known to be taken. */
export async function appendPage(redis: RedisClient, page: Buffer): Promise<number> {
  if (!isReady(redis)) throw new Error('Redis is away');
  return Number(await runScript(redis, APPEND, [API_LOGS_KEY], [MAX_BACKLOG, page]));
}

export interface TakenRecords {
  readonly ids: readonly string[];
  readonly records: readonly ApiLogRecord[];
}

type RawEntry = readonly [id: string, fields: readonly string[]];

/** Takes entries that nobody has, and what others left for `staleMs`. */
export async function takeRecords(
  redis: RedisClient,
  consumer: string,
  { entries, staleMs }: { readonly entries: number; readonly staleMs: number },
): Promise<TakenRecords> {
  await ensureGroup(redis);
  const claimed = (await redis.xautoclaim(
    API_LOGS_KEY,
    GROUP,
    consumer,
    staleMs,
    '0',
    'COUNT',
    entries,
  )) as [string, RawEntry[]];
  const left = claimed[1];
  const fresh =
    left.length > 0
      ? left
      : ((
          (await redis.xreadgroup(
            'GROUP',
            GROUP,
            consumer,
            'COUNT',
            entries,
            'STREAMS',
            API_LOGS_KEY,
            '>',
          )) as [string, RawEntry[]][] | null
        )?.[0]?.[1] ?? []);
  return {
    ids: fresh.map(([id]) => id),
    records: fresh.flatMap(([, fields]) => readPage(fields[1] ?? '')),
  };
}

async function ensureGroup(redis: RedisClient): Promise<void> {
  try {
    await redis.xgroup('CREATE', API_LOGS_KEY, GROUP, '0', 'MKSTREAM');
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('BUSYGROUP')) throw error;
  }
}

/** They are stored: entries go. */
export async function dropRecords(redis: RedisClient, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await redis
    .multi()
    .xack(API_LOGS_KEY, GROUP, ...ids)
    .xdel(API_LOGS_KEY, ...ids)
    .exec();
}
