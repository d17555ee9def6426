// Fair shares of a shared queue: the queue keys of its due rows take turns (docs/decisions/0035-turns-in-shared-queues.md).
// A queue key is a class and, behind a space, a merchant: `LIVE mer_1`. Classes share evenly, and so do the merchants of a
// class. A share that its key does not need goes to the others.
//
// A round takes two statements. The first lists the keys with due rows. It hops from key to key in an index on
// (key, due time), so it reads one row of each, however many wait. The second selects the rows whose turn it is.
import type { Postgres } from './client.js';

/** Keys that one round visits. When there are more, the next round goes on behind the last one. */
const MAX_KEYS = 1_000;
/** Rows that one round compares. With many keys it considers a few rows of each. */
const MAX_ROWS = 8_192;
const MIN_PER_KEY = 8;

type Fragment = ReturnType<Postgres>;

/** A queue in a table, as its index describes it: an index on (`key`, `dueAt`) of the rows that are `waiting`. */
export interface Queue {
  readonly table: Fragment;
  readonly waiting: Fragment;
  readonly key: Fragment;
  readonly dueAt: Fragment;
}

export class Turns {
  readonly #buildQueue: (sql: Postgres) => Queue;
  #after = '';

  constructor(buildQueue: (sql: Postgres) => Queue) {
    this.#buildQueue = buildQueue;
  }

  /** Returns the keys with due rows among those that the round visits. */
  async listKeys(sql: Postgres): Promise<readonly string[]> {
    const { table, waiting, key, dueAt } = this.#buildQueue(sql);
    const rows = await sql<{ keys: string[]; after: string }[]>`
      with recursive hops as (
        (select ${key} as key, ${dueAt} as due from ${table}
          where ${waiting} and ${key} > ${this.#after} order by ${key}, ${dueAt} limit 1)
        union all
        select n.key, n.due from hops h cross join lateral (
          select ${key} as key, ${dueAt} as due from ${table}
           where ${waiting} and ${key} > h.key order by ${key}, ${dueAt} limit 1) n),
      visited as materialized (select key, due from hops limit ${MAX_KEYS})
      select to_json(array(select key from visited where due <= now())) as keys,
             (select case when count(*) < ${MAX_KEYS} then '' else max(key) end from visited) as after`;
    const [visited] = rows;
    this.#after = visited?.after ?? '';
    return visited?.keys ?? [];
  }

  /**
   * Part of a larger statement: selects `id`, `rank` and `due` of up to `limit` rows of these keys; their order is
   * (`rank`, `due`). `isAllowed` may restrict the rows, or the keys as `o.key`.
   */
  select(sql: Postgres, keys: readonly string[], limit: number, isAllowed = sql`true`) {
    const { table, waiting, key, dueAt } = this.#buildQueue(sql);
    const perKey = Math.max(Math.floor(MAX_ROWS / Math.max(keys.length, 1)), MIN_PER_KEY);
    return sql`
      select r.id, r.rank, r.due
        from (select t.id, t.due,
                     row_number() over (partition by split_part(t.key, ' ', 1) order by t.turn, t.due) as rank
                from (select o.key, q.id, q.due,
                             row_number() over (partition by o.key order by q.due) as turn
                        from (select e as key from unnest(${[...keys]}::text[]) as e) as o
                       cross join lateral (
                         select id, ${dueAt} as due from ${table}
                          where ${waiting} and ${key} = o.key collate "C" and ${dueAt} <= now()
                            and ${isAllowed}
                          order by ${dueAt} limit ${Math.min(perKey, limit)}) q) t) r
       order by r.rank, r.due limit ${limit}`;
  }
}
