// The part of the modelled Redis that holds the queues of deliveries: the data types that they use, and the service's own
// Lua scripts, which run as they are (lua.ts).
import { createHash } from 'node:crypto';
import { type GroupStreams, STREAM_COMMANDS } from './group-streams.js';
import { Keyspace } from './keyspace.js';
import { runScript } from './lua.js';
import { ReplyError } from './reply-error.js';

type Command = (queues: Queues, args: readonly string[]) => unknown;

/** Commands that Redis refuses when its memory is full. */
const NEEDS_MEMORY: ReadonlySet<string> = new Set([
  ...['xadd', 'xgroup', 'zadd', 'sadd', 'hincrby', 'set'],
]);
const OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'.";

export interface QueuesDeps {
  /** The server's clock of the day. */
  readonly readTimeMs: () => number;
  /** Since the begin of the run. */
  readonly monotonicMs: () => number;
  readonly isFull: () => boolean;
  readonly onAppended: () => void;
}

export class Queues implements GroupStreams {
  readonly keys: Keyspace;
  readonly deps: QueuesDeps;
  readonly #scripts = new Map<string, string>();

  constructor(deps: QueuesDeps, keys = new Keyspace(deps.monotonicMs)) {
    this.deps = deps;
    this.keys = keys;
  }

  /** As in Redis, idle times are measured by the clock of the day, in whole milliseconds. */
  readonly nowMs = (): number => Math.floor(this.deps.readTimeMs());

  readonly onAppended = (): void => {
    this.deps.onAppended();
  };

  /** @throws ReplyError */
  execute(name: string, args: readonly string[]): unknown {
    const verb = name.toLowerCase();
    if (verb === 'eval' || verb === 'evalsha') return this.#evaluate(verb, args);
    if (this.deps.isFull() && NEEDS_MEMORY.has(verb)) throw new ReplyError(OUT_OF_MEMORY);
    return this.#run(verb, args);
  }

  #run(verb: string, args: readonly string[]): unknown {
    const command = STREAM_COMMANDS[verb] ?? COMMANDS[verb];
    if (command === undefined) throw new ReplyError(`ERR unknown command '${verb}'`);
    return command(this, args);
  }

  #evaluate(verb: string, [text = '', count = '', ...words]: readonly string[]): unknown {
    if (verb === 'eval') this.#scripts.set(createHash('sha1').update(text).digest('hex'), text);
    const script = verb === 'eval' ? text : this.#scripts.get(text);
    if (script === undefined) throw new ReplyError('NOSCRIPT No matching script.');
    let hasWritten = false;
    return runScript(script, {
      keys: words.slice(0, Number(count)),
      words: words.slice(Number(count)),
      call: (name, args) => {
        const inner = name.toLowerCase();
        // A script that has written may go on, so that it does not stop half-way.
        if (this.deps.isFull() && NEEDS_MEMORY.has(inner) && !hasWritten) {
          throw new ReplyError(OUT_OF_MEMORY);
        }
        hasWritten ||= !READS.has(inner);
        return this.#run(inner, args);
      },
    });
  }
}

const READS: ReadonlySet<string> = new Set([
  ...['xlen', 'xrange', 'xinfo', 'xpending', 'zscore', 'zcard', 'zrange', 'sismember', 'scard'],
  ...['hexists', 'hget', 'exists', 'time'],
]);

/** By score, then by name. */
function sortMembers(scores: ReadonlyMap<string, number> | undefined): [string, number][] {
  return [...(scores ?? [])].sort(([one, a], [other, b]) =>
    a === b ? (one < other ? -1 : 1) : a - b,
  );
}

function parseBound(text: string): { at: number; isExcluded: boolean } {
  const isExcluded = text.startsWith('(');
  const bare = isExcluded ? text.slice(1) : text;
  if (bare === '-inf') return { at: -Infinity, isExcluded };
  return { at: bare === '+inf' ? Infinity : Number(bare), isExcluded };
}

/** The members from one score to another. */
function findByScore(
  scores: ReadonlyMap<string, number> | undefined,
  from: string,
  to: string,
): [string, number][] {
  const [low, high] = [parseBound(from), parseBound(to)];
  return sortMembers(scores).filter(
    ([, score]) =>
      (low.isExcluded ? score > low.at : score >= low.at) &&
      (high.isExcluded ? score < high.at : score <= high.at),
  );
}

/** Ranks may count from the end. */
function sliceByRank<Item>(items: readonly Item[], from: string, to: string): Item[] {
  const place = (text: string): number => {
    const rank = Number(text);
    return rank < 0 ? items.length + rank : rank;
  };
  return items.slice(Math.max(0, place(from)), place(to) + 1);
}

/** ZADD key [NX | XX | GT | LT]… score member */
function addToSortedSet({ keys }: Queues, args: readonly string[]): number {
  const [key = '', ...rest] = args;
  const [score = 0, member = ''] = [Number(rest.at(-2)), rest.at(-1)];
  const flags = new Set(rest.slice(0, -2));
  const scores = keys.open('zset', key);
  const before = scores.get(member);
  const isKept =
    before === undefined
      ? flags.has('XX')
      : flags.has('NX') ||
        (flags.has('GT') && score <= before) ||
        (flags.has('LT') && score >= before);
  if (!isKept) scores.set(member, score);
  keys.settle(key);
  return before === undefined && !isKept ? 1 : 0;
}

function removeAll({ keys }: Queues, key: string, members: readonly string[]): number {
  if (!keys.has(key)) return 0;
  const scores = keys.open('zset', key);
  const removed = members.filter((member) => scores.delete(member)).length;
  keys.settle(key);
  return removed;
}

/** ZRANGE key from to [BYSCORE LIMIT 0 count] [WITHSCORES] */
function readRange({ keys }: Queues, args: readonly string[]): string[] {
  const [key = '', from = '', to = '', ...options] = args;
  const scores = keys.read('zset', key);
  const limit = options.indexOf('LIMIT');
  const found = options.includes('BYSCORE')
    ? findByScore(scores, from, to).slice(0, limit < 0 ? undefined : Number(options[limit + 2]))
    : sliceByRank(sortMembers(scores), from, to);
  return options.includes('WITHSCORES')
    ? found.flatMap(([member, score]) => [member, String(score)])
    : found.map(([member]) => member);
}

const COMMANDS: Readonly<Record<string, Command>> = {
  zadd: addToSortedSet,
  zrange: readRange,
  zscore: ({ keys }, [key = '', member = '']) => {
    const score = keys.read('zset', key)?.get(member);
    return score === undefined ? null : String(score);
  },
  zcard: ({ keys }, [key = '']) => keys.read('zset', key)?.size ?? 0,
  zrem: (queues, [key = '', ...members]) => removeAll(queues, key, members),
  zpopmin: (queues, [key = '', count = '1']) => {
    const found = sortMembers(queues.keys.read('zset', key)).slice(0, Number(count));
    const members = found.map(([member]) => member);
    removeAll(queues, key, members);
    return found.flatMap(([member, score]) => [member, String(score)]);
  },
  zremrangebyscore: (queues, [key = '', from = '', to = '']) => {
    const found = findByScore(queues.keys.read('zset', key), from, to);
    const members = found.map(([member]) => member);
    return removeAll(queues, key, members);
  },
  zremrangebyrank: (queues, [key = '', from = '', to = '']) => {
    const found = sliceByRank(sortMembers(queues.keys.read('zset', key)), from, to);
    const members = found.map(([member]) => member);
    return removeAll(queues, key, members);
  },
  sadd: ({ keys }, [key = '', member = '']) => {
    const members = keys.open('set', key);
    if (members.has(member)) return 0;
    members.add(member);
    return 1;
  },
  srem: ({ keys }, [key = '', member = '']) => {
    if (!keys.has(key)) return 0;
    const isRemoved = keys.open('set', key).delete(member);
    keys.settle(key);
    return isRemoved ? 1 : 0;
  },
  sismember: ({ keys }, [key = '', member = '']) =>
    keys.read('set', key)?.has(member) === true ? 1 : 0,
  scard: ({ keys }, [key = '']) => keys.read('set', key)?.size ?? 0,
  hget: ({ keys }, [key = '', field = '']) => keys.read('hash', key)?.get(field) ?? null,
  hexists: ({ keys }, [key = '', field = '']) =>
    keys.read('hash', key)?.has(field) === true ? 1 : 0,
  hincrby: ({ keys }, [key = '', field = '', by = '']) => {
    const fields = keys.open('hash', key);
    const sum = Number(fields.get(field) ?? 0) + Number(by);
    fields.set(field, String(sum));
    return sum;
  },
  hdel: ({ keys }, [key = '', field = '']) => {
    if (!keys.has(key)) return 0;
    const isRemoved = keys.open('hash', key).delete(field);
    keys.settle(key);
    return isRemoved ? 1 : 0;
  },
  exists: ({ keys }, [key = '']) => (keys.has(key) ? 1 : 0),
  del: ({ keys }, [key = '']) => (keys.has(key) && keys.delete(key) ? 1 : 0),
  // As numbers: scripts count with them alike, and each text would be a new one for Lua.
  time: (queues) => formatTime(queues.deps.readTimeMs()).map(Number),
  set: setForTime,
};

/** SET key text PX ms NX */
function setForTime(
  { keys, nowMs }: Queues,
  [key = '', text = '', , px = '']: readonly string[],
): string | null {
  if ((keys.read('string', key)?.expiresAtMs ?? -Infinity) > nowMs()) return null;
  Object.assign(keys.open('string', key), { text, expiresAtMs: nowMs() + Number(px) });
  return 'OK';
}

export function formatTime(ms: number): string[] {
  const microseconds = Math.round(ms * 1000);
  return [String(Math.floor(microseconds / 1e6)), String(microseconds % 1e6)];
}
