// The pool that statements use now. A lost connection replaces it as a whole, by one at the next host of the address.
import type postgres from 'postgres';
import type { PostgresAddress } from '#ops/runtime/addresses/postgres-address.js';
import { explainFault, type ReachedServer, type WatchedQuery } from './limited-query.js';
import type { PoolQueue } from './pool-queue.js';

type Pool = postgres.Sql;
type Host = PostgresAddress & ReachedServer;
type Open = (address: Host, onClose: () => void) => Pool;
type Begin = (...args: Parameters<Pool['begin']>) => Promise<unknown>;

export class CurrentPool {
  readonly hosts: readonly Host[];
  pool: Pool;
  address: Host;
  hasEnded = false;
  /** Of an address that leads to PgBouncer. */
  queue: PoolQueue<Pool> | undefined;
  readonly #open: Open;
  #turn = 0;

  constructor(hosts: readonly [Host, ...Host[]], open: Open) {
    this.hosts = hosts;
    this.#open = open;
    [this.address] = hosts;
    this.pool = this.#openNext();
  }

  /** Later statements go to another pool, unless they do already. Those under way in `lost` get `timeoutS`. */
  replace(lost: Pool, timeoutS = 0): void {
    if (lost === this.pool && !this.hasEnded) {
      this.pool = this.#openNext();
      this.queue?.renew(this.pool);
    }
    void lost.end({ timeout: timeoutS }).catch(() => {});
  }

  end(options?: Parameters<Pool['end']>[0]): Promise<void> {
    this.hasEnded = true;
    this.queue?.end();
    return this.pool.end(options);
  }

  #openNext(): Pool {
    this.address = this.hosts[this.#turn % this.hosts.length] ?? this.address;
    this.#turn += 1;
    const opened: Pool = this.#open(this.address, () => {
      this.replace(opened);
    });
    return opened;
  }
}

/**
 * For an address with several hosts: a statement that no server has got goes to each of the others once, so that it does not fail
 * only because the first host is a standby or away. Returns false when there is none left. `onSent` is called with the pool.
 */
export function createResend(
  held: CurrentPool,
  query: WatchedQuery,
  onSent: (pool: Pool) => void,
): () => boolean {
  let used = held.pool;
  let left = held.hosts.length - 1;
  return () => {
    if (left === 0 || held.hasEnded) return false;
    left -= 1;
    held.replace(used);
    used = held.pool;
    onSent(used);
    (used`` as unknown as WatchedQuery).handler(query);
    return true;
  };
}

/** A transaction that did not begin is tried at the other hosts too. */
export function createBegin(held: CurrentPool): Begin {
  return async (...args) => {
    for (let left = held.hosts.length - 1; ; left -= 1) {
      const { pool, address } = held;
      let hasBegun = false;
      const work = args.at(-1) as (tx: postgres.TransactionSql) => unknown;
      const noted = (tx: postgres.TransactionSql): unknown => {
        hasBegun = true;
        return work(tx);
      };
      try {
        return await pool.begin(...(args.with(-1, noted) as Parameters<Pool['begin']>));
      } catch (error) {
        explainFault(error, address);
        if (hasBegun || left === 0 || held.hasEnded) throw error;
        held.replace(pool);
      }
    }
  };
}

export function explainFaults(begin: Begin, getAddress: () => ReachedServer): Begin {
  return async (...args) => {
    const address = getAddress();
    try {
      return await begin(...args);
    } catch (error) {
      explainFault(error, address);
      throw error;
    }
  };
}
