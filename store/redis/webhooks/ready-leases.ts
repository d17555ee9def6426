// Leases on entries of the ready streams. A consumer of the group owns an entry from its read on. Redis measures how
// long the entry has been idle since then; a renewal restarts that time, and an entry that was idle for the whole lease
// is claimed by another consumer (actors/webhooks/deliveries/lease.ts has the times).
import { type Clock, SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { isCluster, type RedisClient } from '../client.js';
import { buildReadyKey } from '../keys.js';
import { Pipelines } from '../pipelines.js';
import { loadScript, runScripts } from '../scripts.js';
import { GROUP, groupByPartition, PARTITIONS } from './delivery-partitions.js';
import { formatPlace, type ReadyEntry } from './ready-entries.js';

/** Between two reads of a cluster that found nothing; doubled with each of them, up to the second figure. */
const CLUSTER_IDLE_MS = 20;
const CLUSTER_IDLE_MAX_MS = 160;

const RENEW = loadScript('renew');
const READY_KEYS = PARTITIONS.map(buildReadyKey);
/** Between two looks whether the process has a partition. */
const SHARELESS_MS = 250;
const PARTITION_BY_KEY = new Map(READY_KEYS.map((key, partition) => [key, partition]));

/** The group is missing: Redis has lost data, and `repairDeliveries` must run first. */
export class GroupLostError extends Error {
  override readonly name = 'GroupLostError';
}

export interface ReadyRange {
  readonly partitions: readonly number[];
  /** Entries of each partition. */
  readonly count: number;
}

/** Reads new entries, and waits up to `blockMs` for the first. */
export type ReadyReader = (range: ReadyRange, blockMs: number) => Promise<ReadyEntry[]>;

/** Reads all streams by one command; on a cluster one by one, with a sleep in place of the server's wait. */
export function createReadyReader(
  redis: RedisClient,
  consumer: string,
  { sleep }: Pick<Clock, 'sleep'> = SYSTEM_CLOCK,
): ReadyReader {
  let idleMs = CLUSTER_IDLE_MS;
  const readBySlot = async (range: ReadyRange, blockMs: number): Promise<ReadyEntry[]> => {
    const entries = await readEachSlot(redis, consumer, { ...range, from: '>' });
    if (entries.length === 0) await sleep(Math.min(idleMs, blockMs));
    idleMs = entries.length > 0 ? CLUSTER_IDLE_MS : Math.min(2 * idleMs, CLUSTER_IDLE_MAX_MS);
    return entries;
  };
  return async (range, blockMs) => {
    if (range.partitions.length === 0) {
      await sleep(SHARELESS_MS);
      return [];
    }
    if (isCluster(redis)) return readBySlot(range, blockMs);
    return readReady(redis, consumer, range, blockMs);
  };
}

/** Of one server: a cluster refuses one command over several slots. */
export async function readReady(
  redis: RedisClient,
  consumer: string,
  { partitions, count }: ReadyRange,
  blockMs: number,
): Promise<ReadyEntry[]> {
  const reply = await redis
    .xreadgroup(
      ...(['GROUP', GROUP, consumer, 'COUNT', count, 'BLOCK', blockMs, 'STREAMS'] as const),
      ...partitions.map(buildReadyKey),
      ...partitions.map(() => '>'),
    )
    .catch((error: unknown) => {
      throw mapRedisError(error);
    });
  return parseStreams(reply);
}

/**
 * Every entry that Redis counts as this consumer's, up to `count` of each partition; among them entries whose first
 * reply was lost. Their leases start again.
 */
export function readOwn(
  redis: RedisClient,
  consumer: string,
  count: number,
): Promise<ReadyEntry[]> {
  return readEachSlot(redis, consumer, { partitions: PARTITIONS, count, from: '0' });
}

async function readEachSlot(
  redis: RedisClient,
  consumer: string,
  { partitions, count, from }: ReadyRange & { from: '>' | '0' },
): Promise<ReadyEntry[]> {
  const pipelines = new Pipelines(redis);
  for (const key of partitions.map(buildReadyKey)) {
    pipelines.to(key).xreadgroup('GROUP', GROUP, consumer, 'COUNT', count, 'STREAMS', key, from);
  }
  const replies = await pipelines.exec();
  return replies.flatMap(([error, reply]) => {
    if (error !== null) throw mapRedisError(error);
    return parseStreams(reply);
  });
}

/** Takes over entries of the partitions whose lease of `leaseMs` has run out. */
export async function claimStale(
  redis: RedisClient,
  consumer: string,
  leaseMs: number,
  { partitions, count }: ReadyRange,
): Promise<ReadyEntry[]> {
  const pipelines = new Pipelines(redis);
  for (const key of partitions.map(buildReadyKey)) {
    pipelines.to(key).xautoclaim(key, GROUP, consumer, leaseMs, '0-0', 'COUNT', count);
  }
  const replies = await pipelines.exec();
  return replies.flatMap(([error, reply], index) => {
    if (error !== null) throw mapRedisError(error);
    return parseEntries(partitions[index] ?? 0, (reply as [string, unknown[]])[1]);
  });
}

/** Renews the leases of entries that this consumer still owns; returns the places of all others. */
export async function renewEntries(
  redis: RedisClient,
  consumer: string,
  entries: readonly ReadyEntry[],
): Promise<Set<string>> {
  const groups = groupByPartition(
    entries,
    ({ partition }) => partition,
    ({ entryId }) => [entryId],
  );
  const calls = [...groups].map(([partition, ids]) => ({
    keys: [buildReadyKey(partition)],
    words: [GROUP, consumer, ...ids],
  }));
  const lost = (await runScripts(redis, RENEW, calls)) as string[][];
  return new Set(
    [...groups.keys()].flatMap((partition, index) =>
      (lost[index] ?? []).map((entryId) => formatPlace({ partition, entryId })),
    ),
  );
}

function mapRedisError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return /^(NOGROUP|UNBLOCKED)/.test(error.message) ? new GroupLostError() : error;
}

function parseStreams(reply: unknown): ReadyEntry[] {
  return ((reply ?? []) as [string, unknown[]][]).flatMap(([key, entries]) =>
    parseEntries(PARTITION_BY_KEY.get(key) ?? 0, entries),
  );
}

/** Redis returns entries that were deleted meanwhile without fields; they are left out. */
function parseEntries(partition: number, entries: readonly unknown[]): ReadyEntry[] {
  return entries.flatMap((entry) => {
    const [entryId, fields] = entry as [string, string[] | null];
    const [endpointId, deliveryId] = fields?.[1]?.split(' ') ?? [];
    if (endpointId === undefined || deliveryId === undefined) return [];
    return [{ partition, entryId, endpointId, deliveryId, wasDeferred: fields?.[2] === 'p' }];
  });
}
