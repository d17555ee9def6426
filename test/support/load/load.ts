// A steady, bounded load of creates (with keys, some of them sent several times at once or again later,
// some with another body, some without a key), gets, simulates and cancels. Each request is recorded.
//
// Clients behave as real ones do: after 503, 504 or a lost connection they send the same again, at any
// gateway. The choice of operations is seeded, so that a run can be made again.
import { setTimeout as sleep } from 'node:timers/promises';
import { WAIT_MS, waitUntil } from '#ops/dev/launch/wait-until.js';
import { Client, toWish } from './client.js';
import { codeOf, type Entry, isAnswered, isDecided, type Operation } from './history.js';

const TICK_MS = 10;
const MAX_IN_FLIGHT = 256;
const RETRY_MS = 100;
const GIVE_UP_MS = 25_000;
const REMEMBERED = 400;
const MAX_DUPLICATES = 4;

export interface LoadOptions {
  readonly gateways: readonly string[];
  readonly apiKey: string;
  readonly perSecond: number;
  readonly seed?: number;
  /** A client without a decided answer gives up after this time. */
  readonly giveUpMs?: number;
}

export class Load {
  readonly history: Entry[] = [];
  /** Operations that never got a decided answer. */
  readonly abandoned: Operation[] = [];
  readonly #options: LoadOptions;
  readonly #client: Client;
  readonly #random: () => number;
  readonly #prefix = `${process.pid}-${Date.now().toString(36)}`;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #payments: string[] = [];
  readonly #creates: Extract<Operation, { kind: 'create' }>[] = [];
  readonly #timer: NodeJS.Timeout;
  #count = 0;
  #decided = 0;
  #due = 0;
  #lastTickMs = performance.now();

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#client = new Client(options.apiKey);
    this.#random = seeded(options.seed ?? 1);
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** Waits until `count` more operations got a decided answer. */
  async progress(count: number, deadlineMs = WAIT_MS): Promise<void> {
    const goal = this.#decided + count;
    await waitUntil(`${count} more answers`, () => this.#decided >= goal, deadlineMs);
  }

  /** Waits until `count` operations got a decided answer since the start. */
  async reaches(count: number): Promise<void> {
    await this.progress(count - this.#decided);
  }

  inFlight(): number {
    return this.#inFlight.size;
  }

  /** No new operations; resolves when the last one under way has its answer or was given up. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** Sends one operation of the test's own, at a gateway of its choice, once. */
  async once(operation: Operation, gateway: string): Promise<Entry> {
    return this.#attempt(operation, gateway, 1);
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#client.close();
  }

  #tick(): void {
    const now = performance.now();
    this.#due += ((now - this.#lastTickMs) * this.#options.perSecond) / 1_000;
    this.#lastTickMs = now;
    for (; this.#due >= 1; this.#due -= 1) {
      if (this.#inFlight.size >= MAX_IN_FLIGHT) continue;
      for (const operation of this.#choose()) this.#start(operation);
    }
  }

  #start(operation: Operation): void {
    const work = this.#perform(operation).finally(() => this.#inFlight.delete(work));
    this.#inFlight.add(work);
  }

  async #perform(operation: Operation): Promise<void> {
    const endMs = performance.now() + (this.#options.giveUpMs ?? GIVE_UP_MS);
    for (let attempt = 1; ; attempt += 1) {
      const entry = await this.#attempt(operation, this.#pick(this.#options.gateways), attempt);
      if (isDecided(entry)) return this.#learn(entry);
      const isRepeatable = operation.kind !== 'create' || operation.key !== null;
      const isUnsent = entry.result.kind === 'refused' || isRefusal(entry);
      if (!(isRepeatable || isUnsent) || performance.now() > endMs) {
        this.abandoned.push(operation);
        return;
      }
      await sleep(RETRY_MS);
    }
  }

  async #attempt(operation: Operation, gateway: string, attempt: number): Promise<Entry> {
    const startMs = performance.now();
    const result = await this.#client.send(gateway, toWish(operation));
    const entry = { operation, attempt, gateway, startMs, endMs: performance.now(), result };
    this.history.push(entry);
    return entry;
  }

  #learn(entry: Entry): void {
    this.#decided += 1;
    const { operation, result } = entry;
    if (operation.kind !== 'create' || result.kind !== 'answer' || result.status >= 300) return;
    remember(this.#payments, String(result.body['id']));
    remember(this.#creates, operation);
  }

  #choose(): Operation[] {
    const dice = this.#random();
    const paymentId = this.#pick(this.#payments);
    if (dice < 0.5 || paymentId === undefined) return this.#create();
    if (dice < 0.75) return [{ kind: 'get', paymentId }];
    if (dice < 0.88) {
      const outcome = this.#random() < 0.7 ? 'paid' : 'failed';
      return [{ kind: 'simulate', paymentId, outcome }];
    }
    return [{ kind: 'cancel', paymentId }];
  }

  #create(): Operation[] {
    const dice = this.#random();
    const earlier = this.#pick(this.#creates);
    if (dice < 0.1 && earlier !== undefined && earlier.key !== null) {
      return [dice < 0.05 ? earlier : { ...earlier, amount: `${earlier.amount}1` }];
    }
    this.#count += 1;
    const reference = `${this.#prefix}-${this.#count}`;
    const amount = String(20_000 + this.#count);
    if (dice < 0.2) return [{ kind: 'create', key: null, reference, amount }];
    const create: Operation = { kind: 'create', key: `key-${reference}`, reference, amount };
    if (dice < 0.9) return [create];
    const copies = 2 + Math.floor(this.#random() * (MAX_DUPLICATES - 1));
    const other = { ...create, amount: `${amount}1` };
    return Array.from({ length: copies }, () => (this.#random() < 0.8 ? create : other));
  }

  #pick<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.#random() * values.length)] as Value;
  }
}

/** 503: nothing was accepted, so even a create without a key may be sent again. */
function isRefusal(entry: Entry): boolean {
  return isAnswered(entry) && entry.result.status === 503 && codeOf(entry.result) !== '';
}

function remember<Value>(list: Value[], value: Value): void {
  list.push(value);
  if (list.length > REMEMBERED) list.shift();
}

/** mulberry32: small, seeded, good enough to choose operations with. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
