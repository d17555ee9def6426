// Tells pages that are open which payments and payouts of their merchant have changed. While a page follows, the new
// events of its merchant are read from Postgres once a second, in one query for all pages of the process; without pages
// nothing is read.
//
//   NEW ──the first reading after it came──▶ FOLLOWING     onReady: what was loaded later than this is current
//   FOLLOWING ──a payment changed──▶ FOLLOWING             onChange
//   any ──stop──▶ ENDED                                    onEnd: the page connects to another process
import type { Environment, MerchantId } from '#actors/core/ids.js';
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Changes, ReadPositions } from '#store/postgres/payments/read-changes.js';

const READ_EVERY_MS = 1_000;

export interface Follower {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  onReady(): void;
  /** Ids of payments and payouts, each once; null: any may have changed. */
  onChange(ids: readonly string[] | null): void;
  onEnd(): void;
}

export interface ChangeFeedDeps {
  readonly read: (after: ReadPositions, merchants: readonly MerchantId[]) => Promise<Changes>;
  readonly log: Log;
}

export class ChangeFeed {
  readonly #read: ChangeFeedDeps['read'];
  readonly #loop: Loop;
  readonly #new = new Set<Follower>();
  readonly #following = new Set<Follower>();
  #positions: ReadPositions = new Map();
  #isStopped = false;

  constructor({ read, log }: ChangeFeedDeps) {
    this.#read = read;
    this.#loop = startLoop({
      name: 'changes for open pages',
      everyMs: READ_EVERY_MS,
      work: () => this.#readOnce(),
      log,
    });
  }

  /** Returns the function that ends it. */
  follow(follower: Follower): () => void {
    if (this.#isStopped) follower.onEnd();
    else this.#new.add(follower);
    this.#loop.wake();
    return () => {
      this.#new.delete(follower);
      this.#following.delete(follower);
    };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const follower of [...this.#new, ...this.#following]) follower.onEnd();
    await this.#loop.stop();
  }

  async #readOnce(): Promise<void> {
    const coming = [...this.#new];
    if (coming.length + this.#following.size === 0) {
      this.#positions = new Map();
      return;
    }
    const merchants = new Set([...this.#following].map(({ merchantId }) => merchantId));
    const changes = await this.#read(this.#positions, [...merchants]);
    this.#positions = changes.positions;
    this.#tell(changes);
    for (const follower of coming) {
      // It may have left during the reading.
      if (!this.#new.delete(follower)) continue;
      this.#following.add(follower);
      follower.onReady();
    }
  }

  #tell({ changes, isComplete }: Changes): void {
    const byOwner = new Map<string, Set<string>>();
    for (const change of changes) {
      const ids = byOwner.get(nameOwner(change)) ?? new Set();
      byOwner.set(nameOwner(change), ids.add(change.id));
    }
    for (const follower of this.#following) {
      const ids = byOwner.get(nameOwner(follower));
      if (!isComplete) follower.onChange(null);
      else if (ids !== undefined) follower.onChange([...ids]);
    }
  }
}

const nameOwner = ({
  merchantId,
  environment,
}: Pick<Follower, 'merchantId' | 'environment'>): string => `${environment} ${merchantId}`;
