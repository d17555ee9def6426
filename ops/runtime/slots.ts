// Values in numbered slots that are reused. They replace a Map or Set where thousands of entries per second come and go.
// A Map allocates a new table every few hundred deletions, and each old table points to the next: once one has survived
// a collection, V8's young generation keeps all later ones with their entries. Measured at 10,000 creates per second:
// 5 MB of 16 survived each collection, with slots 1 MB; CPU of the gateway per create fell from 50 to 41 µs.
export class Slots<Value> {
  readonly #values: (Value | undefined)[] = [];
  readonly #free: number[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the slot of the value, valid until `remove`. */
  put(value: Value): number {
    const slot = this.#free.pop() ?? this.#values.length;
    this.#values[slot] = value;
    this.#size += 1;
    return slot;
  }

  get(slot: number): Value | undefined {
    return this.#values[slot];
  }

  /** Does nothing when the slot is empty. */
  remove(slot: number): void {
    if (this.#values[slot] === undefined) return;
    this.#values[slot] = undefined;
    this.#free.push(slot);
    this.#size -= 1;
  }

  /** A copy in arbitrary order. Values that are removed later stay in it. */
  list(): Value[] {
    return this.#values.filter((value) => value !== undefined);
  }
}
