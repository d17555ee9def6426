// The stream of API logs. An entry holds the lines of some milliseconds of one gateway: records end with
// U+001E, their fields are parted by U+001F, neither of which is in a field. The stream is a buffer and no truth:
// it is bounded, and whoever loses it loses log lines.
import { isReady, type RedisClient } from './client.js';
import { API_LOGS_KEY } from './keys.js';

/** Of entries; one has at most 128 KiB and a record. */
export const MAX_BACKLOG = 128;
const GROUP = 'writers';
const FIELD = 'l';
const PART = '\u001f';
const END = '\u001e';

export interface ApiLogRecord {
  readonly atMs: number;
  readonly requestId: string;
  readonly merchantId: string;
  readonly environment: string;
  readonly keyId: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly status: number;
  readonly code: string;
  readonly durationMs: number;
  readonly idempotencyKey: string;
  readonly requestBody: string;
  readonly responseBody: string;
}

/** A text without what parts records and fields. */
export const withoutMarks = (text: string): string =>
  text.replaceAll(PART, ' ').replaceAll(END, ' ');

/** The bodies must not hold U+001E or U+001F, as JSON does not. */
export function writeRecord(record: ApiLogRecord): string {
  const { atMs, requestId, merchantId, environment, keyId, method, status, code } = record;
  const of = `${atMs}${PART}${requestId}${PART}${merchantId}${PART}${environment}${PART}${keyId}${PART}`;
  const asked = `${method}${PART}${withoutMarks(record.path)}${PART}${withoutMarks(record.query)}${PART}`;
  const told = `${status}${PART}${code}${PART}${record.durationMs}${PART}${record.idempotencyKey}${PART}`;
  return `${of}${asked}${told}${record.requestBody}${PART}${record.responseBody}${END}`;
}

function readRecord(line: string): ApiLogRecord {
  const parts = line.split(PART);
  const text = (index: number): string => parts[index] ?? '';
  return {
    ...{ atMs: Number(text(0)), requestId: text(1), merchantId: text(2), environment: text(3) },
    ...{ keyId: text(4), method: text(5), path: text(6), query: text(7) },
    ...{ status: Number(text(8)), code: text(9), durationMs: Number(text(10)) },
    ...{ idempotencyKey: text(11), requestBody: text(12), responseBody: text(13) },
  };
}

/** Appends records; answers how many entries wait then. Throws when they were not taken. */
export async function appendRecords(redis: RedisClient, lines: string): Promise<number> {
  if (!isReady(redis)) throw new Error('Redis is away');
  const answers = await redis
    .pipeline()
    .xadd(API_LOGS_KEY, 'MAXLEN', '~', MAX_BACKLOG, '*', FIELD, lines)
    .xlen(API_LOGS_KEY)
    .exec();
  const [failure] = answers?.[0] ?? [new Error('no answer')];
  if (failure) throw failure;
  return Number(answers?.[1]?.[1] ?? 0);
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
    records: fresh.flatMap(([, fields]) =>
      (fields[1] ?? '').split(END).slice(0, -1).map(readRecord),
    ),
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
