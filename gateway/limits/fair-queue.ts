// Runs costly work, a few at a time. Works of different clients take turns, so that one client that sends many delays another
// client by one work only. A client whose works fill its part of the queue gets 429; when the whole queue is full, the client
// with the most waiting works loses its latest one.
import { OverloadedError, TooManyWaitingError } from '../routing/store-failures.js';

export interface QueueBounds {
  readonly atOnce: number;
  readonly waiting: number;
  readonly waitingPerClient: number;
  readonly rest?: Rest;
}

/** After a work its slot rests, so that requests are served meanwhile. */
interface Rest {
  readonly ms: number;
  /** The first works need no rest. */
  readonly worksBefore: number;
  /** The rest is as many times as long as the work took, within `maxMs`: on a busy machine works take and rest longer. */
  readonly perWork?: { readonly times: number; readonly maxMs: number };
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
    const beganAtMs = performance.now();
    try {
      return await work();
    } finally {
      const restMs = this.#takeRest(performance.now() - beganAtMs);
      if (restMs <= 0) this.#passOn();
      else setTimeout(() => this.#passOn(), restMs);
    }
  }

  #takeRest(workMs: number): number {
    const { rest } = this.#bounds;
    if (rest === undefined) return 0;
    const { ms, worksBefore, perWork = { times: 0, maxMs: 0 } } = rest;
    const nowMs = performance.now();
    const forgottenMs = nowMs - ms * worksBefore;
    const restMs = Math.max(ms, Math.min(perWork.maxMs, workMs * perWork.times));
    this.#restedAtMs = Math.max(this.#restedAtMs, forgottenMs) + restMs;
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
