// A fixed number of places, of which one owner gets a share, so that one owner never keeps all others out. A caller that
// finds no place does not wait here.
export interface ShareBounds {
  readonly total: number;
  readonly perOwner: number;
}

/** `owner`: the owner holds its share. `all`: every place is taken. */
export type NoPlace = 'owner' | 'all';

export class Shares {
  readonly #bounds: ShareBounds;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(bounds: ShareBounds) {
    this.#bounds = bounds;
  }

  /** Returns the function that gives the place back; calling it again does nothing. */
  take(owner: string): (() => void) | NoPlace {
    const held = this.#held.get(owner) ?? 0;
    if (held >= this.#bounds.perOwner) return 'owner';
    if (this.#total >= this.#bounds.total) return 'all';
    this.#held.set(owner, held + 1);
    this.#total += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#release(owner);
      isHeld = false;
    };
  }

  #release(owner: string): void {
    this.#total -= 1;
    const left = (this.#held.get(owner) ?? 0) - 1;
    if (left > 0) this.#held.set(owner, left);
    else this.#held.delete(owner);
  }
}
