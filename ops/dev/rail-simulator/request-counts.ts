// Counts requests by kind, whatever their outcome, so that a test sees a caller that charges twice.
import type { Occasion } from './faults.js';

const MAX_COUNTED = 500_000;

export interface RequestCount extends Occasion {
  readonly count: number;
}

export class RequestCounts {
  readonly #counts = new Map<string, RequestCount>();

  note({ operation, rail, subject }: Occasion): void {
    const key = `${operation} ${rail} ${subject}`;
    const count = (this.#counts.get(key)?.count ?? 0) + 1;
    this.#counts.set(key, { operation, rail, subject, count });
    if (this.#counts.size > MAX_COUNTED) throw new Error('too much to count: reset the simulator');
  }

  list(): RequestCount[] {
    return [...this.#counts.values()];
  }
}
