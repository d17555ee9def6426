// The queue in front of a pool that leads to PgBouncer: each statement and each transaction has a connection to itself. Without
// it the driver sends a statement behind another that is not yet answered (docs/decisions/0057-one-statement-a-connection.md).

/** At a millisecond a statement, two connections answer so many within the 5 s of their deadline. */
const MAX_WAITING = 10_000;

export interface Work<Pool> {
  /** Uses one connection of `pool`, and calls `onDone` when the connection is free. When the connection is lost, `renew` is called. */
  start(pool: Pool, onDone: () => void): void;
  /** It was not started and never will be. */
  fail(error: Error): void;
  /** Its deadline has passed, or it was cancelled, so it is not started. */
  isLate(): boolean;
}

export class PoolQueue<Pool> {
  readonly #max: number;
  #waiting: Work<Pool>[] = [];
  #current: { readonly pool: Pool; free: number };
  #hasEnded = false;

  /** `max`: the connections of each pool. */
  constructor(max: number, pool: Pool) {
    this.#max = max;
    this.#current = { pool, free: max };
  }

  /** Starts the work when a connection is free, after all that came before it. */
  enter(work: Work<Pool>): void {
    if (this.#hasEnded) {
      work.fail(buildEndError());
    } else if (this.#waiting.length > 0 || this.#current.free === 0) {
      this.#wait(work);
    } else {
      this.#start(work);
    }
  }

  /** Another pool replaces a lost one: none of its connections is in use, and what waits goes on there. */
  renew(pool: Pool): void {
    this.#current = { pool, free: this.#max };
    this.#startWaiting();
  }

  /** Fails what waits and what comes later. Started work goes on. */
  end(): void {
    this.#hasEnded = true;
    for (const work of this.#waiting.splice(0)) work.fail(buildEndError());
  }

  #wait(work: Work<Pool>): void {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(work);
    else
      work.fail(new Error(`${MAX_WAITING} statements wait for a connection; send fewer at once`));
  }

  #start(work: Work<Pool>): void {
    const used = this.#current;
    used.free -= 1;
    work.start(used.pool, () => {
      used.free += 1;
      // The driver answers a statement first, and notes in the same turn that its connection is free.
      queueMicrotask(() => {
        this.#startWaiting();
      });
    });
  }

  #startWaiting(): void {
    while (this.#current.free > 0) {
      const work = this.#waiting.shift();
      if (work === undefined) return;
      if (!work.isLate()) this.#start(work);
    }
  }
}

const buildEndError = (): Error =>
  new Error('the pool of connections to Postgres has ended; send no statement after its end');
