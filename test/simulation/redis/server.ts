// A model of Redis: the commands that the service uses, on one thread, with a clock of its own. A failover or a crash takes
// away the newest data. The differential tests compare the model with a real Redis. The streams of commands are here; the
// queues of deliveries have other commands and are apart (queues.ts).
import {
  comparePositions,
  formatPosition,
  parsePosition,
  type Position,
} from '#actors/core/partition.js';
import type { Keyspace } from './keyspace.js';
import { formatTime, Queues } from './queues.js';
import { ReplyError } from './reply-error.js';

const NO_ENTRY: Position = { ms: 0n, seq: 0n };

export interface Entry {
  readonly key: string;
  readonly id: Position;
  readonly fields: readonly string[];
  readonly appendedAtMs: number;
}

interface Stream {
  entries: Entry[];
  lastId: Position;
  readonly createdAtMs: number;
  /** Each last id and since when it was the last one. */
  lastIds: { atMs: number; id: Position }[];
}

export interface RedisServerDeps {
  readonly name: string;
  /** The server's clock of the day. */
  readonly readTimeMs: () => number;
  /** Since the begin of the run. */
  readonly monotonicMs: () => number;
  readonly onAppend?: (entry: Entry, server: RedisServer) => void;
  readonly publish?: (channel: string, message: string, server: RedisServer) => number;
}

export class RedisServer {
  readonly deps: RedisServerDeps;
  readonly streams = new Map<string, Stream>();
  /** Called after each append: blocking reads look again. */
  readonly onAppended = new Set<() => void>();
  isFull = false;

  readonly queues: Queues;

  constructor(deps: RedisServerDeps, keys?: Keyspace) {
    this.deps = deps;
    const { readTimeMs, monotonicMs } = deps;
    const queueDeps = {
      ...{ readTimeMs, monotonicMs, isFull: () => this.isFull },
      onAppended: () => {
        this.#wakeReaders();
      },
    };
    this.queues = new Queues(queueDeps, keys);
  }

  /** @throws ReplyError */
  execute(name: string, args: readonly string[]): unknown {
    switch (name.toLowerCase()) {
      case 'xadd':
        return this.#add(args);
      case 'xtrim':
        return this.#trim(args);
      case 'xrange':
        return this.#range(args);
      case 'info':
        return `maxmemory:100\r\nused_memory:${this.isFull ? 100 : 1}\r\n`;
      case 'xread':
        return this.#read(args);
      case 'xinfo':
        return this.#describe(args);
      case 'xsetid':
        return this.#setLastId(args);
      case 'publish':
        return this.deps.publish?.(args[0] ?? '', args[1] ?? '', this) ?? 0;
      case 'time':
        return formatTime(this.deps.readTimeMs());
      case 'flushall':
        this.streams.clear();
        this.queues.keys.clear();
        this.#wakeReaders();
        return 'OK';
      default:
        return this.queues.execute(name, args);
    }
  }

  /** A server with what this one had stored `lossMs` ago. Entries that were trimmed since stay trimmed. */
  copyAsOf(lossMs: number, deps: RedisServerDeps): RedisServer {
    const copy = new RedisServer(deps, this.queues.keys.copyAsOf(lossMs));
    const cutMs = this.deps.monotonicMs() - lossMs;
    for (const [key, stream] of this.streams) {
      if (stream.createdAtMs > cutMs) continue;
      const lastIds = stream.lastIds.filter(({ atMs }) => atMs <= cutMs);
      const entries = stream.entries.filter(({ appendedAtMs }) => appendedAtMs <= cutMs);
      const lastId = lastIds.at(-1)?.id ?? NO_ENTRY;
      copy.streams.set(key, { entries, lastId, lastIds, createdAtMs: stream.createdAtMs });
    }
    return copy;
  }

  #add(args: readonly string[]): string | null {
    const [key = '', ...rest] = args;
    const mustExist = rest[0] === 'NOMKSTREAM';
    const [wanted = '', ...fields] = mustExist ? rest.slice(1) : rest;
    if (this.isFull) {
      throw new ReplyError("OOM command not allowed when used memory > 'maxmemory'.");
    }
    const stream = this.streams.get(key);
    if (stream === undefined && mustExist) return null;
    const lastId = stream?.lastId ?? NO_ENTRY;
    const id = wanted === '*' ? this.#chooseId(lastId) : parsePosition(wanted);
    if (comparePositions(id, lastId) <= 0) {
      throw new ReplyError(
        'ERR The ID specified in XADD is equal or smaller than the target stream top item',
      );
    }
    const entry = { key, id, fields, appendedAtMs: this.deps.monotonicMs() };
    const used = stream ?? this.#create(key);
    used.entries.push(entry);
    this.#raise(used, id);
    this.deps.onAppend?.(entry, this);
    this.#wakeReaders();
    return formatPosition(id);
  }

  #wakeReaders(): void {
    for (const look of [...this.onAppended]) look();
  }

  #chooseId(lastId: Position): Position {
    const nowMs = BigInt(Math.floor(this.deps.readTimeMs()));
    return nowMs > lastId.ms ? { ms: nowMs, seq: 0n } : { ms: lastId.ms, seq: lastId.seq + 1n };
  }

  #create(key: string): Stream {
    const createdAtMs = this.deps.monotonicMs();
    const stream: Stream = { entries: [], lastId: NO_ENTRY, createdAtMs, lastIds: [] };
    this.streams.set(key, stream);
    return stream;
  }

  #raise(stream: Stream, id: Position): void {
    stream.lastId = id;
    stream.lastIds.push({ atMs: this.deps.monotonicMs(), id });
  }

  #trim([key = '', strategy, text = '']: readonly string[]): number {
    if (strategy !== 'MINID') throw new ReplyError('ERR syntax error');
    const stream = this.streams.get(key);
    if (stream === undefined) return 0;
    const firstKept = parsePosition(text);
    const [first] = stream.entries;
    if (first === undefined || comparePositions(first.id, firstKept) >= 0) return 0;
    const kept = stream.entries.filter(({ id }) => comparePositions(id, firstKept) >= 0);
    const removed = stream.entries.length - kept.length;
    stream.entries = kept;
    return removed;
  }

  /** Does not wait: the connection repeats a blocking read after each append. */
  #read(args: readonly string[]): unknown {
    const count = Number(args[args.indexOf('COUNT') + 1]);
    const names = args.slice(args.indexOf('STREAMS') + 1);
    const half = names.length / 2;
    const found = names.slice(0, half).flatMap((key, index) => {
      const after = parsePosition(names[half + index] ?? '');
      const entries = this.#listAfter(key, after, count);
      return entries.length > 0 ? [[key, entries]] : [];
    });
    return found.length > 0 ? found : null;
  }

  /** Only in the forms `(<id> + COUNT n`, the entries behind an id, and `<id> <id>`, that entry. */
  #range([key = '', start = '', end = '', , count]: readonly string[]): unknown {
    if (end !== '+') {
      const entries = this.streams.get(key)?.entries ?? [];
      const found = entries.filter(({ id }) => formatPosition(id) === start);
      return found.map(({ id, fields }) => [formatPosition(id), [...fields]]);
    }
    return this.#listAfter(key, parsePosition(start.replace('(', '')), Number(count));
  }

  #listAfter(key: string, after: Position, count: number): [string, string[]][] {
    const entries = this.streams.get(key)?.entries ?? [];
    let [low, high] = [0, entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const id = entries[middle]?.id ?? NO_ENTRY;
      if (comparePositions(id, after) > 0) high = middle;
      else low = middle + 1;
    }
    const found = entries.slice(low, low + count);
    return found.map(({ id, fields }) => [formatPosition(id), [...fields]]);
  }

  #describe([, key = '']: readonly string[]): unknown {
    const stream = this.streams.get(key);
    if (stream === undefined) throw new ReplyError('ERR no such key');
    const { entries, lastId } = stream;
    return ['length', entries.length, 'last-generated-id', formatPosition(lastId)];
  }

  #setLastId([key = '', text = '']: readonly string[]): string {
    const stream = this.streams.get(key);
    if (stream === undefined) throw new ReplyError('ERR no such key');
    const id = parsePosition(text);
    const top = stream.entries.at(-1)?.id;
    if (top !== undefined && comparePositions(id, top) < 0) {
      throw new ReplyError(
        'ERR The ID specified in XSETID is smaller than the target stream top item',
      );
    }
    this.#raise(stream, id);
    return 'OK';
  }
}
