// The commands on streams with consumer groups, as the queues of deliveries use them.
import type { Group, GroupStream, Keyspace, Pending, StreamEntry } from './keyspace.js';
import { ReplyError } from './reply-error.js';

type Id = Pick<StreamEntry, 'ms' | 'seq'>;
const compare = (one: Id, other: Id): number =>
  one.ms === other.ms ? one.seq - other.seq : one.ms - other.ms;

const parseId = (text: string): Id => {
  const [ms = '0', seq = '0'] = text.split('-');
  return { ms: Number(ms), seq: Number(seq) };
};

/** Redis looks at ten times as many pending entries as it may claim. */
const CLAIM_ATTEMPTS = 10;

type Command = (streams: GroupStreams, args: readonly string[]) => unknown;

/** How the commands read the server's clock and its values. */
export interface GroupStreams {
  readonly keys: Keyspace;
  readonly nowMs: () => number;
  readonly onAppended: () => void;
}

export const STREAM_COMMANDS: Readonly<Record<string, Command>> = {
  xadd: append,
  xlen: ({ keys }, [key = '']) => keys.read('stream', key)?.entries.length ?? 0,
  xrange: ({ keys }, [key = '']) => (keys.read('stream', key)?.entries ?? []).map(formatEntry),
  xdel: ({ keys }, [key = '', ...ids]) => {
    if (!keys.has(key)) return 0;
    const stream = keys.open('stream', key);
    const kept = stream.entries.filter(({ id }) => !ids.includes(id));
    const deleted = stream.entries.length - kept.length;
    stream.entries = kept;
    return deleted;
  },
  xack: ({ keys }, [key = '', name = '', ...ids]) => {
    if (!keys.has(key)) return 0;
    const group = keys.open('stream', key).groups.get(name);
    if (group === undefined) return 0;
    const kept = group.pending.filter(({ entry }) => !ids.includes(entry.id));
    const acknowledged = group.pending.length - kept.length;
    group.pending = kept;
    return acknowledged;
  },
  xgroup: changeGroup,
  xinfo: listConsumers,
  xpending: listPending,
  xclaim: claim,
  xautoclaim: claimIdle,
  xreadgroup: readGroup,
};

function append({ keys, nowMs, onAppended }: GroupStreams, args: readonly string[]): string {
  const [key = '', ...rest] = args;
  // The bound of the stream of dead letters is approximate: Redis keeps a hundred more.
  const [, ...fields] = rest[0] === 'MAXLEN' ? rest.slice(3) : rest;
  const stream = keys.open('stream', key);
  const ms = Math.floor(nowMs());
  const { last } = stream;
  const next = ms > last.ms ? { ms, seq: 0 } : { ms: last.ms, seq: last.seq + 1 };
  const id = `${next.ms}-${next.seq}`;
  stream.last = next;
  stream.entries.push({ ...next, id, fields });
  onAppended();
  return id;
}

function openGroup(
  { keys }: GroupStreams,
  key: string,
  name: string,
): { stream: GroupStream; group: Group } {
  const stream = keys.has(key) ? keys.open('stream', key) : undefined;
  const group = stream?.groups.get(name);
  if (stream === undefined || group === undefined) {
    throw new ReplyError(`NOGROUP No such key '${key}' or consumer group '${name}'`);
  }
  return { stream, group };
}

function changeGroup(streams: GroupStreams, args: readonly string[]): unknown {
  const [verb, key = '', name = '', argument = ''] = args;
  if (verb === 'CREATE') {
    const stream = streams.keys.open('stream', key);
    if (stream.groups.has(name)) {
      throw new ReplyError('BUSYGROUP Consumer Group name already exists');
    }
    const group = { lastDelivered: parseId(argument), pending: [], consumers: new Map() };
    stream.groups.set(name, group);
    return 'OK';
  }
  if (verb !== 'DELCONSUMER') throw new ReplyError(`ERR unknown subcommand '${verb}'`);
  const { group } = openGroup(streams, key, name);
  const kept = group.pending.filter(({ consumer }) => consumer !== argument);
  const dropped = group.pending.length - kept.length;
  group.pending = kept;
  group.consumers.delete(argument);
  return dropped;
}

/** XINFO CONSUMERS, in the order of their names. */
function listConsumers(streams: GroupStreams, [, key = '', name = '']: readonly string[]): unknown {
  if (!streams.keys.has(key)) throw new ReplyError('ERR no such key');
  const { group } = openGroup(streams, key, name);
  return [...group.consumers]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([consumer, askedAtMs]) => {
      const pending = group.pending.filter((one) => one.consumer === consumer).length;
      const idle = Math.max(0, streams.nowMs() - askedAtMs);
      return ['name', consumer, 'pending', pending, 'idle', idle, 'inactive', idle];
    });
}

/** XPENDING key group start end count consumer */
function listPending(streams: GroupStreams, args: readonly string[]): unknown {
  const [key = '', name = '', start = '', end = '', count = '', consumer = ''] = args;
  const { group } = openGroup(streams, key, name);
  const isWithin = ({ entry }: Pending): boolean =>
    (start === '-' || compare(entry, parseId(start)) >= 0) &&
    (end === '+' || compare(entry, parseId(end)) <= 0);
  return group.pending
    .filter((pending) => pending.consumer === consumer && isWithin(pending))
    .slice(0, Number(count))
    .map((pending) => [pending.entry.id, consumer, streams.nowMs() - pending.deliveredAtMs, 1]);
}

/** XCLAIM key group consumer 0 id JUSTID */
function claim(streams: GroupStreams, args: readonly string[]): unknown {
  const [key = '', name = '', consumer = '', , id = ''] = args;
  const { stream, group } = openGroup(streams, key, name);
  group.consumers.set(consumer, streams.nowMs());
  const index = group.pending.findIndex(({ entry }) => entry.id === id);
  const found = group.pending[index];
  if (found === undefined) return [];
  if (!stream.entries.some((entry) => entry.id === id)) {
    group.pending.splice(index, 1);
    return [];
  }
  group.pending[index] = { entry: found.entry, consumer, deliveredAtMs: streams.nowMs() };
  return [id];
}

/** XAUTOCLAIM key group consumer min-idle 0-0 COUNT count */
function claimIdle(streams: GroupStreams, args: readonly string[]): unknown {
  const [key = '', name = '', consumer = '', minIdleMs = '', , , count = ''] = args;
  const { stream, group } = openGroup(streams, key, name);
  const nowMs = streams.nowMs();
  group.consumers.set(consumer, nowMs);
  const claimed: unknown[] = [];
  const deleted: string[] = [];
  let left = Number(count);
  let next = '0-0';
  for (const [index, pending] of [...group.pending].entries()) {
    if (left === 0 || index >= Number(count) * CLAIM_ATTEMPTS) {
      next = pending.entry.id;
      break;
    }
    const entry = stream.entries.find(({ id }) => id === pending.entry.id);
    if (entry === undefined) {
      group.pending = group.pending.filter((one) => one !== pending);
      deleted.push(pending.entry.id);
      left -= 1;
    } else if (nowMs - pending.deliveredAtMs >= Number(minIdleMs)) {
      const place = group.pending.indexOf(pending);
      group.pending[place] = { entry: pending.entry, consumer, deliveredAtMs: nowMs };
      claimed.push(formatEntry(entry));
      left -= 1;
    }
  }
  return [next, claimed, deleted];
}

/** XREADGROUP GROUP group consumer COUNT count [BLOCK ms] STREAMS keys… ids…; does not wait. */
function readGroup(streams: GroupStreams, args: readonly string[]): unknown {
  const [, name = '', consumer = ''] = args;
  const count = Number(args[args.indexOf('COUNT') + 1]);
  const names = args.slice(args.indexOf('STREAMS') + 1);
  const keys = names.slice(0, names.length / 2);
  const opened = keys.map((key) => {
    try {
      return { key, ...openGroup(streams, key, name) };
    } catch (error) {
      if (!(error instanceof ReplyError)) throw error;
      throw new ReplyError(`${error.message} in XREADGROUP with GROUP option`);
    }
  });
  const found = opened.flatMap(({ key, stream, group }, index) => {
    group.consumers.set(consumer, streams.nowMs());
    const isNew = names[keys.length + index] === '>';
    const entries = isNew
      ? readNew(streams, { stream, group, consumer, count })
      : readOwn(streams, { stream, group, consumer, count });
    return entries.length > 0 || !isNew ? [[key, entries]] : [];
  });
  return found.length > 0 ? found : null;
}

interface GroupRead {
  readonly stream: GroupStream;
  readonly group: Group;
  readonly consumer: string;
  readonly count: number;
}

function readNew(
  { nowMs }: GroupStreams,
  { stream, group, consumer, count }: GroupRead,
): unknown[] {
  const entries = stream.entries
    .filter((entry) => compare(entry, group.lastDelivered) > 0)
    .slice(0, count);
  for (const entry of entries) {
    group.lastDelivered = entry;
    group.pending.push({ entry, consumer, deliveredAtMs: nowMs() });
  }
  return entries.map(formatEntry);
}

/** The leases of entries that it returns start again; entries that were deleted have no fields. */
function readOwn(
  { nowMs }: GroupStreams,
  { stream, group, consumer, count }: GroupRead,
): unknown[] {
  const byId = new Map(stream.entries.map((entry) => [entry.id, entry]));
  const own = group.pending.filter((pending) => pending.consumer === consumer).slice(0, count);
  return own.map((pending) => {
    const entry = byId.get(pending.entry.id);
    if (entry === undefined) return [pending.entry.id, null];
    const place = group.pending.indexOf(pending);
    group.pending[place] = { ...pending, deliveredAtMs: nowMs() };
    return formatEntry(entry);
  });
}

const formatEntry = ({ id, fields }: StreamEntry): unknown => [id, [...fields]];
