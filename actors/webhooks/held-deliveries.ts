// What a worker has in hand: each delivery once, whatever entries stand for it. Redis holds one entry of a delivery
// at a time, so where another comes the older one was lost there, and the newer stands for what is in hand.
// An entry can be lost at any time without a word (Redis lost it; this process was paused for longer than its
// lease, and another has taken it over): what is lost and has not gone out is not begun any more.
import { formatPlace, type ReadyEntry } from '#store/redis/webhooks/ready-entries.js';

export interface HeldDelivery {
  /** The newest that stands for the delivery. */
  entry: ReadyEntry;
  /** Taken, or renewed. */
  leasedMs: number;
  /** It is not this worker's any more. */
  isLost: boolean;
  /** How it ends is on its way to the stores: with an attempt, or given back without one. */
  outcome: 'attempted' | 'given back' | null;
}

export class HeldDeliveries {
  readonly #nowMs: () => number;
  readonly #held = new Map<string, HeldDelivery>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Takes an entry in hand. `known`: its delivery is; `attempted`: it was, and this entry ends with it. */
  hold(entry: ReadyEntry): HeldDelivery | 'known' | 'attempted' {
    const leasedMs = this.#nowMs();
    const known = this.#held.get(entry.deliveryId);
    if (known !== undefined && formatPlace(known.entry) === formatPlace(entry)) {
      Object.assign(known, { leasedMs, isLost: false });
      return 'known';
    }
    if (known?.outcome === 'attempted') return 'attempted';
    if (known?.outcome === null) {
      Object.assign(known, { entry, leasedMs, isLost: false });
      return 'known';
    }
    const held: HeldDelivery = { entry, leasedMs, isLost: false, outcome: null };
    this.#held.set(entry.deliveryId, held);
    return held;
  }

  /** What is in hand now, with the entries that stand for it now. */
  list(): Map<HeldDelivery, ReadyEntry> {
    return new Map([...this.#held.values()].map((held) => [held, held.entry]));
  }

  /** Marks those of `asked` that are not this worker's, unless another entry stands for them by now. */
  markLost(
    asked: ReadonlyMap<HeldDelivery, ReadyEntry>,
    isLost: (entry: ReadyEntry) => boolean,
  ): void {
    for (const [held, entry] of asked)
      if (held.entry === entry && isLost(entry)) held.isLost = true;
  }

  release(held: HeldDelivery): void {
    if (this.#held.get(held.entry.deliveryId) === held) this.#held.delete(held.entry.deliveryId);
  }

  /** The same of an entry that has ended. */
  releaseEntry(entry: ReadyEntry): void {
    const held = this.#held.get(entry.deliveryId);
    if (held?.entry === entry) this.release(held);
  }
}
