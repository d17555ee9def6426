// The values of a modelled Redis, each as it was at any moment of the last two seconds, so that a server that lost its
// newest data can be made. A value that becomes empty is deleted, except a stream.
const KEPT_MS = 2_000;

export interface StreamEntry {
  readonly id: string;
  readonly ms: number;
  readonly seq: number;
  readonly fields: readonly string[];
}

export interface Pending {
  readonly entry: Pick<StreamEntry, 'id' | 'ms' | 'seq'>;
  readonly consumer: string;
  /** By the server's clock of the day, as in Redis. */
  readonly deliveredAtMs: number;
}

export interface Group {
  lastDelivered: Pick<StreamEntry, 'ms' | 'seq'>;
  /** In the order of their entries. */
  pending: Pending[];
  /** Each consumer, and when it asked last. */
  readonly consumers: Map<string, number>;
}

export interface GroupStream {
  entries: StreamEntry[];
  last: Pick<StreamEntry, 'ms' | 'seq'>;
  readonly groups: Map<string, Group>;
}

export interface Values {
  stream: GroupStream;
  zset: Map<string, number>;
  set: Set<string>;
  hash: Map<string, string>;
  string: { text: string; expiresAtMs: number };
}
export type Type = keyof Values;

interface Stored {
  readonly type: Type;
  readonly value: Values[Type];
}

const EMPTY: { readonly [T in Type]: () => Values[T] } = {
  stream: () => ({ entries: [], last: { ms: 0, seq: 0 }, groups: new Map() }),
  zset: () => new Map(),
  set: () => new Set(),
  hash: () => new Map(),
  string: () => ({ text: '', expiresAtMs: Infinity }),
};

export class Keyspace {
  readonly #readMonotonicMs: () => number;
  #stored = new Map<string, Stored>();
  /** The values of keys before they were changed. */
  #history: { readonly atMs: number; readonly key: string; readonly before: Stored | undefined }[] =
    [];
  /** When each key was last kept. One copy a moment is enough. */
  readonly #keptAtMs = new Map<string, number>();

  constructor(readMonotonicMs: () => number) {
    this.#readMonotonicMs = readMonotonicMs;
  }

  keys(): string[] {
    return [...this.#stored.keys()];
  }

  has(key: string): boolean {
    return this.#stored.has(key);
  }

  /** Not to be changed. The caller knows the type of each of its keys. */
  read<T extends Type>(type: T, key: string): Values[T] | undefined {
    const stored = this.#stored.get(key);
    if (stored === undefined) return undefined;
    if (stored.type !== type) throw new Error(`${key} holds a ${stored.type}, not a ${type}`);
    return stored.value as Values[T];
  }

  /** To be changed at once; made when it is missing. Call `settle` afterwards. */
  open<T extends Type>(type: T, key: string): Values[T] {
    this.#keep(key);
    const found = this.read(type, key);
    if (found !== undefined) return found;
    const value: Values[T] = EMPTY[type]();
    this.#stored.set(key, { type, value });
    return value;
  }

  /** Deletes a collection that has become empty. */
  settle(key: string): void {
    const value = this.#stored.get(key)?.value;
    if ((value instanceof Map || value instanceof Set) && value.size === 0)
      this.#stored.delete(key);
  }

  delete(key: string): boolean {
    this.#keep(key);
    return this.#stored.delete(key);
  }

  clear(): void {
    for (const key of this.keys()) this.delete(key);
  }

  /** The values as they were `lossMs` ago, for another server. */
  copyAsOf(lossMs: number): Keyspace {
    const copy = new Keyspace(this.#readMonotonicMs);
    const cutMs = this.#readMonotonicMs() - lossMs;
    const stored = new Map(this.#stored);
    for (const { atMs, key, before } of [...this.#history].reverse()) {
      if (atMs <= cutMs) break;
      if (before === undefined) stored.delete(key);
      else stored.set(key, before);
    }
    copy.#stored = new Map([...stored].map(([key, one]) => [key, cloneStored(one)]));
    return copy;
  }

  #keep(key: string): void {
    const atMs = this.#readMonotonicMs();
    if (this.#keptAtMs.get(key) === atMs) return;
    this.#keptAtMs.set(key, atMs);
    const stored = this.#stored.get(key);
    this.#history.push({ atMs, key, before: stored && cloneStored(stored) });
    const isLong = this.#history.length > 4_096;
    if (isLong) this.#history = this.#history.filter((one) => one.atMs > atMs - KEPT_MS);
  }
}

const cloneStored = ({ type, value }: Stored): Stored => ({ type, value: cloneValue(value) });

function cloneValue(value: Values[Type]): Values[Type] {
  if (value instanceof Set) return new Set(value);
  if (value instanceof Map) return new Map<string, never>(value as Map<string, never>);
  if ('text' in value) return { ...value };
  const groups = [...value.groups].map(([name, { lastDelivered, pending, consumers }]) => {
    const group: Group = {
      lastDelivered,
      pending: [...pending],
      consumers: new Map(consumers),
    };
    return [name, group] as const;
  });
  return { entries: [...value.entries], last: value.last, groups: new Map(groups) };
}
