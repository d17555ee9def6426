// Runs costly work, a few at a time. Works of different clients take turns, so that one client that sends many delays another
// client by one work only. A client whose works fill its part of the queue gets 429; when the whole queue is full, the client
// with the most waiting works loses its latest one.
import { OverloadedError, TooManyWaitingError } from '../routing/store-failures.js';

export interface QueueBounds {
  readonly atOnce: number;
  readonly waiting: number;
  readonly waitingPerClient: number;
  /** After a work its slot rests for so long, so that requests are served meanwhile. The first works need no rest. */
  readonly rest?: { readonly ms: number; readonly worksBefore: number };
}

interface Waiting {
  readonly begin: () => void;
  readonly reject: (error: Error) => void;
}

export class FairQueue {
  readonly #bounds: QueueBounds;
  /** In the order of their turns. No list is empty. */
  readonly #clients = new Map<string, Waiting[]>();
  #waiting = 0;
  #running = 0;
  /** Until when all rests together last. */
  #restedAtMs = 0;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  async run<Value>(client: string, work: () => Promise<Value>): Promise<Value> {
    if (this.#running >= this.#bounds.atOnce) await this.#wait(client);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const restMs = this.#takeRest();
      if (restMs <= 0) this.#passOn();
      else setTimeout(() => this.#passOn(), restMs);
    }
  }

  #takeRest(): number {
    const { rest } = this.#bounds;
    if (rest === undefined) return 0;
    const nowMs = performance.now();
    const forgottenMs = nowMs - rest.ms * rest.worksBefore;
    this.#restedAtMs = Math.max(this.#restedAtMs, forgottenMs) + rest.ms;
    return this.#restedAtMs - nowMs;
  }

  /** Resolves when a running work ends and passes its slot on. */
  #wait(client: string): Promise<void> {
    const own = this.#clients.get(client) ?? [];
    if (own.length >= this.#bounds.waitingPerClient) {
      return Promise.reject(new TooManyWaitingError());
    }
    if (this.#waiting >= this.#bounds.waiting && !this.#dropLongest(own.length + 1)) {
      return Promise.reject(new OverloadedError());
    }
    this.#clients.set(client, own);
    this.#waiting += 1;
    return new Promise((begin, reject) => own.push({ begin, reject }));
  }

  /** Makes room by rejecting a work of the client that has the most, if it has more than `least`. */
  #dropLongest(least: number): boolean {
    let longest: Waiting[] = [];
    for (const list of this.#clients.values()) if (list.length > longest.length) longest = list;
    if (longest.length <= least) return false;
    longest.pop()?.reject(new TooManyWaitingError());
    this.#waiting -= 1;
    return true;
  }

  /** The client whose turn it is begins a work, and its next turn comes after all others. */
  #passOn(): void {
    const [turn] = this.#clients;
    if (turn === undefined) {
      this.#running -= 1;
      return;
    }
    const [client, list] = turn;
    const next = list.shift();
    this.#clients.delete(client);
    if (list.length > 0) this.#clients.set(client, list);
    this.#waiting -= 1;
    next?.begin();
  }
}
