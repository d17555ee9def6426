// A fixed number of places, of which one holder gets a share, so that a few holders never keep all others out: the share is
// a part of the places that the other holders leave, and so it shrinks with them. 40 holders who each take as many of 2,000
// places as they can, at most 50, hold 1,284, and 1,025 once they have given theirs back and come again. A holder without a
// place gets one while any is free. A caller that finds no place does not wait here.
export interface ShareBounds {
  readonly total: number;
  /** While the other holders hold none. */
  readonly perHolder: number;
}

/** `holder`: the holder holds its share. `all`: every place is taken. */
export type NoPlace = 'holder' | 'all';

export class Shares {
  readonly #bounds: ShareBounds;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(bounds: ShareBounds) {
    this.#bounds = bounds;
  }

  /** Returns the function that gives the place back; calling it again does nothing. */
  take(holder: string): (() => void) | NoPlace {
    const held = this.#held.get(holder) ?? 0;
    if (this.#total >= this.#bounds.total) return held > 0 ? 'holder' : 'all';
    if (held >= this.#shareBeside(this.#total - held)) return 'holder';
    this.#held.set(holder, held + 1);
    this.#total += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#release(holder);
      isHeld = false;
    };
  }

  #shareBeside(ofOthers: number): number {
    const { total, perHolder } = this.#bounds;
    return Math.ceil((perHolder * (total - ofOthers)) / total);
  }

  #release(holder: string): void {
    this.#total -= 1;
    const left = (this.#held.get(holder) ?? 0) - 1;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
  }
}
