// The deliveries that a worker holds, each once, whatever entries name it. Redis keeps one entry of a delivery, so a
// second entry means that Redis lost the first; the newer entry replaces it.
import { formatPlace, type ReadyEntry } from '#store/redis/webhooks/ready-entries.js';

export interface HeldDelivery {
  /** The newest entry that names the delivery. */
  entry: ReadyEntry;
  /** When the read or the renewal of the entry was asked for: the lease is younger than that. */
  leasedAtMs: number;
  /** Another worker holds it, or Redis lost it. A lost delivery is not attempted. */
  isLost: boolean;
  /** Set while the outcome is written to the stores. */
  outcome: 'attempted' | 'unattempted' | null;
}

export class HeldDeliveries {
  readonly #held = new Map<string, HeldDelivery>();

  get size(): number {
    return this.#held.size;
  }

  /** `known`: the delivery is held already. `attempted`: it was attempted already, so the entry can be finished. */
  hold(entry: ReadyEntry, leasedAtMs: number): HeldDelivery | 'known' | 'attempted' {
    const known = this.#held.get(entry.deliveryId);
    if (known !== undefined && formatPlace(known.entry) === formatPlace(entry)) {
      Object.assign(known, { leasedAtMs, isLost: false });
      return 'known';
    }
    if (known?.outcome === 'attempted') return 'attempted';
    if (known?.outcome === null) {
      Object.assign(known, { entry, leasedAtMs, isLost: false });
      return 'known';
    }
    const held: HeldDelivery = { entry, leasedAtMs, isLost: false, outcome: null };
    this.#held.set(entry.deliveryId, held);
    return held;
  }

  /** A copy: the deliveries with their entries of this moment. */
  list(): Map<HeldDelivery, ReadyEntry> {
    return new Map([...this.#held.values()].map((held) => [held, held.entry]));
  }

  /** When the oldest lease began of those that an attempt needs, or would need. */
  findOldestLease(): number | null {
    let oldestMs: number | null = null;
    for (const { leasedAtMs, isLost, outcome } of this.#held.values())
      if (!isLost && outcome === null) oldestMs = Math.min(oldestMs ?? Infinity, leasedAtMs);
    return oldestMs;
  }

  /**
   * Renews the leases of `asked` as of `leasedAtMs`, and marks those whose entry is lost, unless a newer entry has
   * replaced it meanwhile.
   */
  renew(
    asked: ReadonlyMap<HeldDelivery, ReadyEntry>,
    leasedAtMs: number,
    isLost: (entry: ReadyEntry) => boolean,
  ): void {
    for (const [held, entry] of asked) {
      if (held.entry !== entry) continue;
      held.leasedAtMs = leasedAtMs;
      if (isLost(entry)) held.isLost = true;
    }
  }

  release(held: HeldDelivery): void {
    if (this.#held.get(held.entry.deliveryId) === held) this.#held.delete(held.entry.deliveryId);
  }

  /** Releases the delivery of a finished entry, unless a newer entry names it. */
  releaseEntry(entry: ReadyEntry): void {
    const held = this.#held.get(entry.deliveryId);
    if (held?.entry === entry) this.release(held);
  }
}
