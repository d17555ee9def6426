// The ready streams of webhook deliveries: what is to be attempted now. The webhooks processes read them as one
// group. A delivery is held once: the scripts see to it that one which stands in the stream, in the due-list or
// in the list of its lane is not appended again.
import type { RedisClient } from '../client.js';
import {
  buildDeadKey,
  buildDueKey,
  buildHeldKey,
  buildDeferredPrefix,
  buildReadyKey,
} from '../keys.js';
import { loadScript, runScripts } from '../scripts.js';
import {
  findDeliveryPartition,
  GROUP,
  PARTITIONS,
  groupWordsByPartition,
} from './delivery-partitions.js';

/** Entries a partition; what is beyond waits in Postgres. */
const MAX_READY = 20_000;
const MAX_DEAD = 10_000;
/** Words of one script call; Lua unpacks no more than some thousand. */
const MAX_WORDS = 2_000;

const ENQUEUE = loadScript('enqueue');
const FINISH = loadScript('finish');
const RENEW = loadScript('renew');

const READY_KEYS = PARTITIONS.map(buildReadyKey);
const PARTITION_OF_KEY = new Map(READY_KEYS.map((key, partition) => [key, partition]));

export interface ReadyEntry {
  partition: number;
  entryId: string;
  deliveryId: string;
  endpointId: string;
  /** It comes from the list of its lane: it was due before, and its endpoint could not take it. */
  wasDeferred: boolean;
}

/** Appends deliveries to the ready streams of their endpoints; answers how many were not held already. */
export async function enqueueDeliveries(
  redis: RedisClient,
  deliveries: readonly { id: string; endpointId: string }[],
): Promise<number> {
  const nowMs = Date.now();
  const words = groupWordsByPartition(
    deliveries,
    ({ endpointId }) => findDeliveryPartition(endpointId),
    ({ id, endpointId }) => [endpointId, id],
  );
  const calls = [...words].flatMap(([partition, all]) =>
    chunk(all, MAX_WORDS).map((some) => ({
      keys: [buildReadyKey(partition), buildHeldKey(partition), buildDueKey(partition)],
      words: [MAX_READY, buildDeferredPrefix(partition), nowMs, ...some],
    })),
  );
  const taken = await runScripts(redis, ENQUEUE, calls);
  return taken.reduce<number>((sum, count) => sum + Number(count), 0);
}

function chunk<Item>(items: readonly Item[], size: number): Item[][] {
  const chunks: Item[][] = [];
  for (let from = 0; from < items.length; from += size) chunks.push(items.slice(from, from + size));
  return chunks;
}

/** Thrown when the group is missing: Redis has lost data and must be mended first. */
export class GroupLostError extends Error {
  override readonly name = 'GroupLostError';
}

/** Thrown where the streams are in many slots: they are to be read one by one. */
export class CrossSlotError extends Error {
  override readonly name = 'CrossSlotError';
}

/** Waits up to `blockMs` for entries that nobody has taken yet; at most `count` a partition. */
export async function readReady(
  redis: RedisClient,
  consumer: string,
  count: number,
  blockMs: number,
): Promise<ReadyEntry[]> {
  const answer = await redis
    .xreadgroup(
      ...(['GROUP', GROUP, consumer, 'COUNT', count, 'BLOCK', blockMs, 'STREAMS'] as const),
      ...READY_KEYS,
      ...READY_KEYS.map(() => '>'),
    )
    .catch((error: unknown) => {
      throw mapRedisError(error);
    });
  return parseStreams(answer);
}

/** The same for a cluster: one read a stream, and none of them waits. */
export function readReadyBySlot(
  redis: RedisClient,
  consumer: string,
  count: number,
): Promise<ReadyEntry[]> {
  return readEachSlot(redis, consumer, { count, from: '>' });
}

/**
 * Everything that is this consumer's by what Redis says, up to `count` a partition: also entries of which it never
 * heard, since the answer was lost. Their leases begin anew.
 */
export function readOwn(
  redis: RedisClient,
  consumer: string,
  count: number,
): Promise<ReadyEntry[]> {
  return readEachSlot(redis, consumer, { count, from: '0' });
}

async function readEachSlot(
  redis: RedisClient,
  consumer: string,
  { count, from }: { count: number; from: '>' | '0' },
): Promise<ReadyEntry[]> {
  const pipeline = redis.pipeline();
  for (const key of READY_KEYS) {
    pipeline.xreadgroup('GROUP', GROUP, consumer, 'COUNT', count, 'STREAMS', key, from);
  }
  const answers = (await pipeline.exec()) ?? [];
  return answers.flatMap(([error, answer]) => {
    if (error !== null) throw mapRedisError(error);
    return parseStreams(answer);
  });
}

function parseStreams(answer: unknown): ReadyEntry[] {
  return ((answer ?? []) as [string, unknown[]][]).flatMap(([key, entries]) =>
    parseEntries(PARTITION_OF_KEY.get(key) ?? 0, entries),
  );
}

/** Takes over entries whose worker has not finished them within `idleMs`; at most `count` a partition. */
export async function claimStale(
  redis: RedisClient,
  consumer: string,
  idleMs: number,
  count: number,
): Promise<ReadyEntry[]> {
  const pipeline = redis.pipeline();
  for (const key of READY_KEYS)
    pipeline.xautoclaim(key, GROUP, consumer, idleMs, '0-0', 'COUNT', count);
  const answers = (await pipeline.exec()) ?? [];
  return answers.flatMap(([error, answer], partition) => {
    if (error !== null) throw mapRedisError(error);
    return parseEntries(partition, (answer as [string, unknown[]])[1]);
  });
}

/** Keeps entries from being taken over, those that still are this consumer's; answers the places of the others. */
export async function renewEntries(
  redis: RedisClient,
  consumer: string,
  entries: readonly ReadyEntry[],
): Promise<Set<string>> {
  const words = groupWordsByPartition(
    entries,
    ({ partition }) => partition,
    ({ entryId }) => [entryId],
  );
  const calls = [...words].map(([partition, ids]) => ({
    keys: [buildReadyKey(partition)],
    words: [GROUP, consumer, ...ids],
  }));
  const lost = (await runScripts(redis, RENEW, calls)) as string[][];
  return new Set(
    [...words.keys()].flatMap((partition, index) =>
      (lost[index] ?? []).map((entryId) => formatPlace({ partition, entryId })),
    ),
  );
}

/** An entry's place, of all partitions: streams count for themselves. */
export const formatPlace = ({ partition, entryId }: Pick<ReadyEntry, 'partition' | 'entryId'>) =>
  `${partition} ${entryId}`;

function mapRedisError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (/^(NOGROUP|UNBLOCKED)/.test(error.message)) return new GroupLostError();
  return error.message.startsWith('CROSSSLOT') ? new CrossSlotError() : error;
}

/** Entries that were deleted meanwhile come without fields. */
function parseEntries(partition: number, entries: readonly unknown[]): ReadyEntry[] {
  return entries.flatMap((entry) => {
    const [entryId, fields] = entry as [string, string[] | null];
    const [endpointId, deliveryId] = fields?.[1]?.split(' ') ?? [];
    if (endpointId === undefined || deliveryId === undefined) return [];
    return [{ partition, entryId, endpointId, deliveryId, wasDeferred: fields?.[2] === 'p' }];
  });
}

/**
 * How an entry ends. Of what was attempted, or needs no attempt: done, later (Unix milliseconds), dead. Of what was
 * not, and this worker still holds: parked in the list of its lane (until when), or back in the due-list (when).
 */
export type EntryOutcome =
  | { entry: ReadyEntry; step: 'done' }
  | { entry: ReadyEntry; step: 'later' | 'back'; dueAtMs: number }
  | { entry: ReadyEntry; step: 'parked'; returnAtMs: number }
  | { entry: ReadyEntry; step: 'dead'; reason: string };

/** Acknowledges and removes entries, and puts their deliveries where they go on. May be repeated. */
export async function finishEntries(
  redis: RedisClient,
  consumer: string,
  ends: readonly EntryOutcome[],
): Promise<void> {
  const nowMs = Date.now();
  const words = groupWordsByPartition(
    ends,
    ({ entry }) => entry.partition,
    (end) => [
      end.entry.entryId,
      end.entry.endpointId,
      end.entry.deliveryId,
      end.step,
      formatOutcomeArgument(end),
    ],
  );
  const calls = [...words].map(([partition, some]) => ({
    keys: [
      buildReadyKey(partition),
      buildHeldKey(partition),
      buildDueKey(partition),
      buildDeadKey(partition),
    ],
    words: [GROUP, consumer, MAX_DEAD, buildDeferredPrefix(partition), nowMs, ...some],
  }));
  await runScripts(redis, FINISH, calls);
}

function formatOutcomeArgument(end: EntryOutcome): string | number {
  switch (end.step) {
    case 'later':
    case 'back':
      return Math.ceil(end.dueAtMs);
    case 'parked':
      return Math.ceil(end.returnAtMs);
    case 'dead':
      return end.reason;
    case 'done':
      return '';
  }
}
