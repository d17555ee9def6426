// The stream of API logs. An entry is a page of records (api-log-page.ts), what one gateway noted in some
// milliseconds. The stream is a buffer and no truth: it is bounded, and whoever loses it loses log lines.
import { type ApiLogRecord, readPage } from './api-log-page.js';
import { isReady, type RedisClient } from './client.js';
import { API_LOG_BYTES_KEY, API_LOGS_KEY } from './keys.js';
import { loadScript, runScript } from './scripts.js';

/** Of pages that wait: some 13,000 requests. Behind it, as much is noted as the writer can carry. */
export const MAX_BACKLOG_BYTES = 16 * 1024 * 1024;
const GROUP = 'writers';
const KEYS = [API_LOGS_KEY, API_LOG_BYTES_KEY];
const APPEND = loadScript('append-logs');
const DROP = loadScript('drop-logs');

/** Answers whether it was taken: not while too much waits. Throws when it is not known. */
export async function appendPage(
  redis: RedisClient,
  page: Buffer,
  mostBytes = MAX_BACKLOG_BYTES,
): Promise<boolean> {
  if (!isReady(redis)) throw new Error('Redis is away');
  return (await runScript(redis, APPEND, KEYS, [mostBytes, page])) === 1;
}

export interface ClaimedPage {
  readonly id: string;
  readonly bytes: number;
  readonly records: readonly ApiLogRecord[];
}

type RawEntry = readonly [id: string, fields: readonly string[]];

/** Takes entries that nobody has, and what others left for `staleMs`. */
export async function claimPages(
  redis: RedisClient,
  consumer: string,
  { entries, staleMs }: { readonly entries: number; readonly staleMs: number },
): Promise<ClaimedPage[]> {
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
  return fresh.map(([id, [, page = '']]) => {
    return { id, bytes: Buffer.byteLength(page), records: readPage(page) };
  });
}

async function ensureGroup(redis: RedisClient): Promise<void> {
  try {
    await redis.xgroup('CREATE', API_LOGS_KEY, GROUP, '0', 'MKSTREAM');
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('BUSYGROUP')) throw error;
  }
}

/** They are stored: they go. Answers how many bytes wait still. */
export async function dropPages(
  redis: RedisClient,
  pages: readonly Pick<ClaimedPage, 'id' | 'bytes'>[],
): Promise<number> {
  const words = pages.flatMap(({ id, bytes }) => [id, bytes]);
  return Number(await runScript(redis, DROP, KEYS, [GROUP, ...words]));
}
