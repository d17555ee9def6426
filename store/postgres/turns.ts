// Fair shares of a shared queue: the owners of its due rows take turns (docs/decisions/0035-turns-in-shared-queues.md).
// An owner is a class and, behind a space, a merchant: `LIVE mer_1`. Classes share evenly, and so do the merchants of a
// class. A share that its owner does not need goes to the others.
//
// A round takes two statements. The first lists the owners with due rows. It hops from owner to owner in an index on
// (owner, due time), so it reads one row of each, however many wait. The second selects the rows whose turn it is.
import type { Postgres } from './client.js';

/** Owners that one round visits. When there are more, the next round goes on behind the last one. */
const MAX_OWNERS = 1_000;
/** Rows that one round compares. With many owners it considers a few rows of each. */
const MAX_ROWS = 8_192;
const MIN_PER_OWNER = 8;

type Fragment = ReturnType<Postgres>;

/** A queue in a table, as its index describes it: an index on (`owner`, `dueAt`) of the rows that are `waiting`. */
export interface Queue {
  readonly table: Fragment;
  readonly waiting: Fragment;
  readonly owner: Fragment;
  readonly dueAt: Fragment;
}

export class Turns {
  readonly #buildQueue: (sql: Postgres) => Queue;
  #after = '';

  constructor(buildQueue: (sql: Postgres) => Queue) {
    this.#buildQueue = buildQueue;
  }

  /** Returns the owners with due rows among those that the round visits. */
  async listOwners(sql: Postgres): Promise<readonly string[]> {
    const { table, waiting, owner, dueAt } = this.#buildQueue(sql);
    const rows = await sql<{ owners: string[]; after: string }[]>`
      with recursive hops as (
        (select ${owner} as owner, ${dueAt} as due from ${table}
          where ${waiting} and ${owner} > ${this.#after} order by ${owner}, ${dueAt} limit 1)
        union all
        select n.owner, n.due from hops h cross join lateral (
          select ${owner} as owner, ${dueAt} as due from ${table}
           where ${waiting} and ${owner} > h.owner order by ${owner}, ${dueAt} limit 1) n),
      visited as materialized (select owner, due from hops limit ${MAX_OWNERS})
      select to_json(array(select owner from visited where due <= now())) as owners,
             (select case when count(*) < ${MAX_OWNERS} then '' else max(owner) end from visited) as after`;
    const [visited] = rows;
    this.#after = visited?.after ?? '';
    return visited?.owners ?? [];
  }

  /**
   * Part of a larger statement: selects `id`, `rank` and `due` of up to `limit` rows of these owners; their order is
   * (`rank`, `due`). `isAllowed` may restrict the rows, or the owners as `o.owner`.
   */
  select(sql: Postgres, owners: readonly string[], limit: number, isAllowed = sql`true`) {
    const { table, waiting, owner, dueAt } = this.#buildQueue(sql);
    const perOwner = Math.max(Math.floor(MAX_ROWS / Math.max(owners.length, 1)), MIN_PER_OWNER);
    return sql`
      select r.id, r.rank, r.due
        from (select t.id, t.due,
                     row_number() over (partition by split_part(t.owner, ' ', 1) order by t.turn, t.due) as rank
                from (select o.owner, q.id, q.due,
                             row_number() over (partition by o.owner order by q.due) as turn
                        from (select e as owner from unnest(${[...owners]}::text[]) as e) as o
                       cross join lateral (
                         select id, ${dueAt} as due from ${table}
                          where ${waiting} and ${owner} = o.owner collate "C" and ${dueAt} <= now()
                            and ${isAllowed}
                          order by ${dueAt} limit ${Math.min(perOwner, limit)}) q) t) r
       order by r.rank, r.due limit ${limit}`;
  }
}
