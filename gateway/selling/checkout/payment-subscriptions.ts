// Notifies open pages when their payment changes. All subscribed payments are read from Postgres every 500 ms, in few
// queries: a page sees each commit of any process, and does not depend on Redis. Without subscriptions it reads nothing.
// A page of a payment that does not exist is rejected by the first reading after it opened.
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { PushClient } from '#gateway/routing/route.js';

/** Further pages get no subscription and poll instead. */
const MAX_SUBSCRIBED = 10_000;
const MAX_IDS_PER_QUERY = 500;
const READ_EVERY_MS = 500;

export interface PaymentSubscriptionsDeps {
  /** Snapshots by id, without unknown ids. */
  readonly load: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** The text for subscribers. It may change with time although the snapshot does not. */
  readonly describe: (snapshot: string) => string;
  readonly log: Log;
}

type Listener = PushClient;

interface SubscribedPayment {
  readonly listeners: Set<Listener>;
  /** The text that was sent last; undefined: none yet. */
  lastText: string | undefined;
}

export class PaymentSubscriptions {
  readonly #deps: PaymentSubscriptionsDeps;
  readonly #payments = new Map<string, SubscribedPayment>();
  readonly #loop: Loop;
  #isStopped = false;

  constructor(deps: PaymentSubscriptionsDeps) {
    this.#deps = deps;
    this.#loop = startLoop({
      name: 'payments of open pages',
      everyMs: READ_EVERY_MS,
      work: () => this.#read(),
      log: deps.log,
    });
  }

  get size(): number {
    return this.#payments.size;
  }

  hasRoom(): boolean {
    return this.#payments.size < MAX_SUBSCRIBED && !this.#isStopped;
  }

  /** The client gets the current text and then each change. Returns the function that ends the subscription. */
  subscribe(id: string, listener: Listener): () => void {
    const payment = this.#payments.get(id) ?? { listeners: new Set(), lastText: undefined };
    this.#payments.set(id, payment);
    payment.listeners.add(listener);
    if (payment.lastText !== undefined) listener.send(payment.lastText);
    if (this.#payments.size === 1) this.#loop.wake();
    return () => {
      payment.listeners.delete(listener);
      if (payment.listeners.size === 0 && this.#payments.get(id) === payment) {
        this.#payments.delete(id);
      }
    };
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#loop.stop();
  }

  async #read(): Promise<void> {
    const ids = [...this.#payments.keys()];
    for (let from = 0; from < ids.length; from += MAX_IDS_PER_QUERY) {
      const some = ids.slice(from, from + MAX_IDS_PER_QUERY);
      const snapshots = await this.#deps.load(some);
      this.#notify(snapshots);
      this.#reject(some.filter((id) => !snapshots.has(id)));
    }
  }

  #notify(snapshots: ReadonlyMap<string, string>): void {
    for (const [id, snapshot] of snapshots) {
      const payment = this.#payments.get(id);
      if (payment === undefined) continue;
      const text = this.#deps.describe(snapshot);
      if (text === payment.lastText) continue;
      payment.lastText = text;
      for (const listener of payment.listeners) listener.send(text);
    }
  }

  #reject(ids: readonly string[]): void {
    for (const id of ids) {
      const payment = this.#payments.get(id);
      this.#payments.delete(id);
      for (const listener of payment?.listeners ?? []) listener.reject();
    }
  }
}
