// The stream of API logs, from the gateways to the webhooks processes, which store them. An entry is a page of records
// (api-log-page.ts): the requests that one gateway noted within some milliseconds. The stream is a bounded buffer;
// losing it loses log lines only.
import { type ApiLogRecord, readPage } from './api-log-page.js';
import { isReady, type RedisClient } from './client.js';
import { API_LOG_BYTES_KEY, API_LOGS_KEY } from './keys.js';
import { loadScript, runScript } from './scripts.js';

/** About 13,000 requests. Pages beyond that are refused, so gateways log no more than the writer stores. */
export const MAX_BACKLOG_BYTES = 16 * 1024 * 1024;
const GROUP = 'writers';
const KEYS = [API_LOGS_KEY, API_LOG_BYTES_KEY];
const APPEND = loadScript('append-logs');
const DROP = loadScript('drop-logs');

/**
 * Returns false when `maxBytes` wait already.
 * @throws Error when the outcome is unknown
 */
export async function appendPage(
  redis: RedisClient,
  page: Buffer,
  maxBytes = MAX_BACKLOG_BYTES,
): Promise<boolean> {
  if (!isReady(redis)) throw new Error('Redis is away');
  return (await runScript(redis, APPEND, KEYS, [maxBytes, page])) === 1;
}

export interface ClaimedPage {
  readonly id: string;
  readonly bytes: number;
  readonly records: readonly ApiLogRecord[];
}

type RawEntry = readonly [id: string, fields: readonly string[]];

/** Claims pages that another consumer left for `staleMs`; without any, reads new ones. */
export async function claimPages(
  redis: RedisClient,
  consumer: string,
  { entries, staleMs }: { readonly entries: number; readonly staleMs: number },
): Promise<ClaimedPage[]> {
  const claim = async (): Promise<readonly RawEntry[]> => {
    const stale = await claimStale(redis, consumer, staleMs, entries);
    return stale.length > 0 ? stale : readNew(redis, consumer, entries);
  };
  const claimed = await claim().catch(async (error: unknown) => {
    if (!(error instanceof Error) || !error.message.startsWith('NOGROUP')) throw error;
    await ensureGroup(redis);
    return claim();
  });
  return claimed.map(([id, [, page = '']]) => {
    return { id, bytes: Buffer.byteLength(page), records: readPage(page) };
  });
}

async function claimStale(
  redis: RedisClient,
  consumer: string,
  staleMs: number,
  count: number,
): Promise<readonly RawEntry[]> {
  const reply = await redis.xautoclaim(
    ...([API_LOGS_KEY, GROUP, consumer, staleMs, '0', 'COUNT', count] as const),
  );
  return (reply as [string, RawEntry[]])[1];
}

async function readNew(
  redis: RedisClient,
  consumer: string,
  count: number,
): Promise<readonly RawEntry[]> {
  const reply = await redis.xreadgroup(
    ...(['GROUP', GROUP, consumer, 'COUNT', count, 'STREAMS', API_LOGS_KEY, '>'] as const),
  );
  return (reply as [string, RawEntry[]][] | null)?.[0]?.[1] ?? [];
}

async function ensureGroup(redis: RedisClient): Promise<void> {
  try {
    await redis.xgroup('CREATE', API_LOGS_KEY, GROUP, '0', 'MKSTREAM');
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('BUSYGROUP')) throw error;
  }
}

/** Removes pages that are stored; returns how many bytes wait still. */
export async function dropPages(
  redis: RedisClient,
  pages: readonly Pick<ClaimedPage, 'id' | 'bytes'>[],
): Promise<number> {
  const words = pages.flatMap(({ id, bytes }) => [id, bytes]);
  return Number(await runScript(redis, DROP, KEYS, [GROUP, ...words]));
}
