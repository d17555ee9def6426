// How much work is taken at once. It follows what Postgres can do within the limit on a statement: a batch that failed is
// halved, down to `least`, and each full one that succeeds allows `step` more, up to `most`. So work goes on as long as Postgres
// can do the least of it, however slow it has become.
export interface BatchSizeOptions {
  readonly least: number;
  readonly most: number;
  readonly step: number;
}

export class BatchSize {
  readonly #options: BatchSizeOptions;
  #size: number;

  constructor(options: BatchSizeOptions) {
    this.#options = options;
    this.#size = options.most;
  }

  get size(): number {
    return this.#size;
  }

  /** A batch of `tried` succeeded. Only one of nearly the size shows what more would take. */
  grow(tried: number): void {
    if (tried * 2 < this.#size) return;
    this.#size = Math.min(this.#options.most, this.#size + this.#options.step);
  }

  /** A batch of `tried` failed. It may be more than the size, when it cannot be divided. */
  shrink(tried: number): void {
    this.#size = Math.max(this.#options.least, Math.floor(Math.min(tried, this.#size) / 2));
  }

  /** Runs a round with a batch of the size. */
  async run<Result>(round: (size: number) => Promise<Result>): Promise<Result> {
    const tried = this.#size;
    try {
      const result = await round(tried);
      this.grow(tried);
      return result;
    } catch (error) {
      this.shrink(tried);
      throw error;
    }
  }
}
