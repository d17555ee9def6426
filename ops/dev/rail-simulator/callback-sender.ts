// Sends callbacks to the service like the rails do, and repeats them until the service answers 2xx. Faults lose, double,
// delay or reorder them, or send a forged one first. The queue is in memory: a killed simulator loses it, as rails do.
import { request } from 'undici';
import type { Faults } from './faults.js';
import type { SimulatedRail } from './orders-store.js';

const RETRY_MS = [1_000, 2_000, 5_000, 15_000, 60_000];
const ANSWER_MS = 15_000;
const HELD_MS = 2_000;
const KEPT_RECORDS = 2_000;
const MAX_WAITING = 10_000;

export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

export interface Callback {
  readonly rail: SimulatedRail;
  /** The caller's own id of the order, refund or payout. */
  readonly subject: string;
  readonly event: string;
  readonly genuine: Message;
  /** Genuine, but with another amount. */
  readonly wrong: Message;
  readonly forged: Message;
}

/** A sent callback with the status of the service's answer; null: there was no answer. */
export interface CallbackRecord {
  readonly at: string;
  readonly rail: SimulatedRail;
  readonly subject: string;
  readonly event: string;
  readonly isForged: boolean;
  readonly status: number | null;
}

export class CallbackSender {
  readonly #faults: Faults;
  readonly #stopping = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
  #held: (() => void)[] = [];
  records: CallbackRecord[] = [];
  /** The callback address of each rail; null: none. */
  targets: Record<SimulatedRail, string | null>;

  constructor(faults: Faults, targets: Record<SimulatedRail, string | null>) {
    this.#faults = faults;
    this.targets = targets;
  }

  stop(): void {
    this.#stopping.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  /** Sends the callback, changed by the planned faults. */
  send(wanted: Callback): void {
    const { rail, subject } = wanted;
    const faults = this.#faults.strike({ operation: 'callback', rail, subject });
    const has = (kind: string): boolean => faults.some((fault) => fault.kind === kind);
    const callback = has('wrong_amount') ? { ...wanted, genuine: wanted.wrong } : wanted;
    if (has('forged')) this.attempt(callback, true);
    if (has('lost')) return;
    const go = (): void => {
      this.attempt(callback, false);
      if (has('doubled')) this.attempt(callback, false);
    };
    const late = faults.find(({ kind }) => kind === 'late');
    if (late !== undefined) this.#later(late.ms ?? HELD_MS, go);
    else if (has('reordered')) this.#hold(go);
    else this.#goWithHeld(go);
  }

  /** A forged callback is sent once, whatever the answer is. */
  attempt(callback: Callback, isForged: boolean, attempt = 0): void {
    const url = this.targets[callback.rail];
    if (url === null || this.#stopping.signal.aborted) return;
    void this.#post(url, isForged ? callback.forged : callback.genuine).then((status) => {
      const { rail, subject, event } = callback;
      const at = new Date().toISOString();
      this.records.push({ at, rail, subject, event, isForged, status });
      if (this.records.length > KEPT_RECORDS) this.records = this.records.slice(-KEPT_RECORDS / 2);
      const wait = RETRY_MS[attempt];
      const isTaken = status !== null && status >= 200 && status < 300;
      if (isForged || isTaken || wait === undefined) return;
      this.#later(wait, () => {
        this.attempt(callback, isForged, attempt + 1);
      });
    });
  }

  /** Waits until the next callback has been sent, or a while if none comes. */
  #hold(go: () => void): void {
    this.#held.push(go);
    this.#later(HELD_MS, () => {
      if (!this.#held.includes(go)) return;
      this.#held = this.#held.filter((it) => it !== go);
      go();
    });
  }

  #goWithHeld(go: () => void): void {
    const held = this.#held;
    this.#held = [];
    go();
    for (const it of held) it();
  }

  #later(ms: number, go: () => void): void {
    if (this.#timers.size >= MAX_WAITING || this.#stopping.signal.aborted) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      go();
    }, ms);
    this.#timers.add(timer);
  }

  async #post(url: string, { headers, body }: Message): Promise<number | null> {
    try {
      const response = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(ANSWER_MS)]),
      });
      await response.body.dump();
      return response.statusCode;
    } catch {
      return null;
    }
  }
}
