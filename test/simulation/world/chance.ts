// Chance that a seed decides.
import { createRandom } from '#test/support/load/random.js';

/** Neighbouring seeds are spread over the whole range of the generator, which would begin alike for them. */
const SPREAD = 2_654_435_761;

export interface Chance {
  /** A whole number from 0 up to `end`, without it. */
  readonly below: (end: number) => number;
  /** A whole number from `from` to `to`. */
  readonly between: (from: number, to: number) => number;
  readonly happens: (probability: number) => boolean;
  readonly pick: <Item>(items: readonly Item[]) => Item;
}

export function createChance(seed: number): Chance {
  const random = createRandom(Math.imul(seed + 1, SPREAD) >>> 0);
  const below = (end: number): number => Math.floor(random() * end);
  return {
    below,
    between: (from, to) => from + below(to - from + 1),
    happens: (probability) => random() < probability,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
  };
}
