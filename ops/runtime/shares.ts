// A fixed number of places, of which one owner gets a share, so that a few owners never keep all others out: the share is
// a part of the places that the other owners leave, and so it shrinks with them. 40 owners who each take as many of 2,000
// places as they can, at most 50, hold 1,284, and 1,025 once they have given theirs back and come again. An owner without a
// place gets one while any is free. A caller that finds no place does not wait here.
export interface ShareBounds {
  readonly total: number;
  /** While the other owners hold none. */
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
    if (this.#total >= this.#bounds.total) return held > 0 ? 'owner' : 'all';
    if (held >= this.#shareBeside(this.#total - held)) return 'owner';
    this.#held.set(owner, held + 1);
    this.#total += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#release(owner);
      isHeld = false;
    };
  }

  #shareBeside(ofOthers: number): number {
    const { total, perOwner } = this.#bounds;
    return Math.ceil((perOwner * (total - ofOthers)) / total);
  }

  #release(owner: string): void {
    this.#total -= 1;
    const left = (this.#held.get(owner) ?? 0) - 1;
    if (left > 0) this.#held.set(owner, left);
    else this.#held.delete(owner);
  }
}
