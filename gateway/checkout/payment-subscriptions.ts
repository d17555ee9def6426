// Tells pages that their payment has changed. What is watched is read from Postgres twice a second, all of it in
// few queries: so a page sees what is committed, whichever process committed it, and nothing depends on Redis.
// Without watchers nothing is read.

/** More are refused, and poll by themselves. */
const MAX_WATCHED = 10_000;
const MAX_IDS_PER_QUERY = 500;
const READ_EVERY_MS = 500;

export interface PaymentSubscriptionsDeps {
  /** Snapshots by id; ids that are not there are left out. */
  readonly load: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** What watchers are told of a snapshot; it may change with time alone. */
  readonly describe: (snapshot: string) => string;
  readonly onError: (error: unknown) => void;
}

type Listener = (text: string) => void;

interface SubscribedPayment {
  readonly listeners: Set<Listener>;
  /** What was told last; undefined: nothing yet. */
  lastText: string | undefined;
}

export class PaymentSubscriptions {
  readonly #deps: PaymentSubscriptionsDeps;
  readonly #watched = new Map<string, SubscribedPayment>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(deps: PaymentSubscriptionsDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#watched.size;
  }

  hasRoom(): boolean {
    return this.#watched.size < MAX_WATCHED && !this.#isStopped;
  }

  /** The listener hears how it stands now, and then each change; answers the function that ends it. */
  subscribe(id: string, listener: Listener): () => void {
    const watched = this.#watched.get(id) ?? { listeners: new Set(), lastText: undefined };
    this.#watched.set(id, watched);
    watched.listeners.add(listener);
    if (watched.lastText !== undefined) listener(watched.lastText);
    this.#timer ??= setTimeout(() => void this.#read(), 0);
    return () => {
      watched.listeners.delete(listener);
      if (watched.listeners.size === 0 && this.#watched.get(id) === watched) {
        this.#watched.delete(id);
      }
    };
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #read(): Promise<void> {
    const ids = [...this.#watched.keys()];
    try {
      for (let from = 0; from < ids.length; from += MAX_IDS_PER_QUERY) {
        this.#tell(await this.#deps.load(ids.slice(from, from + MAX_IDS_PER_QUERY)));
      }
    } catch (error) {
      this.#deps.onError(error);
    }
    const isIdle = this.#watched.size === 0 || this.#isStopped;
    this.#timer = isIdle ? undefined : setTimeout(() => void this.#read(), READ_EVERY_MS);
  }

  #tell(snapshots: ReadonlyMap<string, string>): void {
    for (const [id, snapshot] of snapshots) {
      const watched = this.#watched.get(id);
      if (watched === undefined) continue;
      const text = this.#deps.describe(snapshot);
      if (text === watched.lastText) continue;
      watched.lastText = text;
      for (const listener of watched.listeners) listener(text);
    }
  }
}
