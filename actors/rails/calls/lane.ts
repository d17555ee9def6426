// A lane: work of one kind at one rail, with slots of its own. A rail that hangs fills its own slots and no others, and
// refunds do not queue behind charges. Work is claimed only when there is a slot for it, so that what is claimed is
// what is really under way.
import type { RetryLoop } from '#ops/runtime/retry-loop.js';

export interface LaneDeps<Item> {
  readonly slots: number;
  /** How many of the free slots may be filled now. */
  allow: (free: number) => number;
  claim: (limit: number) => Promise<readonly Item[]>;
  /** Never rejects. */
  run: (item: Item) => Promise<void>;
  readonly retryLoop: RetryLoop;
}

export class Lane<Item> {
  readonly #parts: LaneDeps<Item>;
  #inFlight = 0;
  #isClaiming = false;
  #isDue = false;
  #isStopping = false;
  #onIdle: (() => void) | undefined;

  constructor(parts: LaneDeps<Item>) {
    this.#parts = parts;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** There may be work. */
  wake(): void {
    this.#isDue = true;
    if (!this.#isClaiming) void this.#claimAll();
  }

  /** Claims nothing more; resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#isIdle()) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  async #claimAll(): Promise<void> {
    this.#isClaiming = true;
    while (this.#isDue && !this.#isStopping) {
      const limit = this.#parts.allow(this.#parts.slots - this.#inFlight);
      if (limit <= 0) break;
      this.#isDue = false;
      const items = await this.#claim(limit);
      if (items.length === limit) this.#isDue = true;
      for (const item of items) void this.#run(item);
    }
    this.#isClaiming = false;
    if (this.#isIdle()) this.#onIdle?.();
  }

  /** A claim whose answer is lost leaves work claimed and not done: its lease ends by itself. */
  async #claim(limit: number): Promise<readonly Item[]> {
    const { claim, retryLoop } = this.#parts;
    try {
      const items = await claim(limit);
      retryLoop.noteSuccess();
      return items;
    } catch (error) {
      await retryLoop.waitAfter(error);
      this.#isDue = true;
      return [];
    }
  }

  async #run(item: Item): Promise<void> {
    this.#inFlight += 1;
    await this.#parts.run(item);
    this.#inFlight -= 1;
    if (this.#isDue && !this.#isClaiming) void this.#claimAll();
    if (this.#isIdle()) this.#onIdle?.();
  }

  #isIdle(): boolean {
    return this.#isStopping && this.#inFlight === 0 && !this.#isClaiming;
  }
}
