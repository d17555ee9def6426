// Leases and ownership in Postgres, by its clock: a process has a lease, a partition has an owner and an epoch
// (docs/decisions/0004-leases-and-epochs.md). A partition is
//
//   FREE     without an owner whose lease is valid: any process with a lease may claim it, under a higher epoch
//   OWNED    by a process with a valid lease; only commits with its epoch are accepted
//
//   FREE ──claim (higher epoch)──▶ OWNED ──release, or the owner's lease ends──▶ FREE
//
// A process whose lease ended while it was paused still sends commits until it notices. They are refused once another
// process has claimed the partition, since their epoch is old.
//
// A process that dies is seen before its lease ends. While it lives, its connection for notifications holds an advisory lock
// (`Presence`), and each renewal notes that the lock is held. When another process finds the lease valid, the lock noted and now
// gone, the process is dead. One whose own lock is older than that note judges so at once. If Postgres ended all connections
// together, nobody's is: then a process that lives renews within RENEWS_WITHIN_SHARE of its lease, and one that does not is dead.
//
// Partitions are assigned among the processes that reach the master of Redis. A process that has not reached it for
// `settledMs`, while another one has for as long, is assigned none. If no process reaches it, nothing moves. The master is
// the server that was first heard last (redis_servers): after a failover a process may stay connected to the former one.
//
// With its lease a process announces the newest version of frames that it reads (frame-version.ts). One that reads less than
// another process is assigned partitions only when the writers have had the time to learn that. A partition whose owner
// stopped before a frame of a newer version is claimed by a process that reads it, beyond its share; while no process with
// a newer announcement lives, any process tries again after RETRY_STOPPED_MS.
//
// An operator changes who owns what (operations/move-partitions.ts). A process that is drained is stored as one that does not reach
// Redis, so that it is assigned nothing while another one can be. A partition that moves to a process is claimed by that one alone
// until `moves_until`, beyond its share.
//
// After a split (operations/split-partitions.ts) the number of partitions is in the row of each partition, so that a claim reads it
// together with its epoch. A split changes it, raises all epochs and frees all partitions. A process says with its lease that it takes
// the number from its claims; once the partitions were split, no other one can claim any.
import { randomInt } from 'node:crypto';
import type { Position } from '#actors/core/partition.js';
import type { Postgres } from '../client.js';
import { subscribeNotifications } from '../notifications.js';
import { joinColumn } from '../join-column.js';

/** Partitions were freed: other processes may claim them. */
const CHANNEL = 'kasir_partitions';
/** Tells these advisory locks from others of the database. */
const PRESENCE_CLASS = 1_801_548_649;
/** A process renews five times a lease. */
const RENEWS_WITHIN_SHARE = 0.3;
const MAX_KEY = 2 ** 31 - 1;
const MS_PER_S = 1_000;
/** Writers learn of an announcement within it: VERSION_STALE_MS of frame-version.ts, and half a second to append a frame. */
export const WRITERS_LEARN_MS = 2_000;
/** The frame may be gone: lost by Redis, or deleted by an operator. */
const RETRY_STOPPED_MS = 10_000;

export interface Claim {
  partition: number;
  epoch: bigint;
  position: Position;
  /** The numbers of partitions that the installation has had, ascending. The last one is that of this epoch. */
  counts: readonly number[];
}

/** Whether the process reaches Redis, and for how long that has been so. */
export interface RedisContact {
  isReachable: boolean;
  forMs: number;
  /** Of the master that answers; null: it does not say. */
  runId?: string | null;
}

/** A partition whose owner stopped before a frame of a version that it does not read. */
export interface StoppedPartition {
  readonly partition: number;
  readonly version: number;
}

export interface PartitionAssignment {
  /** Names of the processes that share the partitions, sorted. */
  processes: string[];
  /** The calling process has a valid lease. */
  isAlive: boolean;
  /** The partitions of the calling process. */
  owned: number[];
  /** Of these, the ones that an operator moves to another one. */
  leaving: number[];
  /** Of the owned ones, those that an operator has moved to it. It hands over others first. */
  moved: number[];
  /** Number of FREE partitions that the calling process may claim. */
  free: number;
  /**
   * It claims so many of these beyond its share: their last owner stopped before a frame that it reads, or an operator
   * moves them to it.
   */
  beyondShare: number;
  /** Number of partitions whose last owner stopped before a frame that the calling process does not read. */
  unreadable: number;
  /** Writers have had the time to learn which version the calling process reads. */
  isAnnounced: boolean;
  /** The newest version that another live process reads; 0: no other one lives. */
  othersRead: number;
  /** Number of all partitions. */
  total: number;
}

/** The advisory lock that a process holds while it lives. */
export interface Presence {
  readonly key: number;
  /** Since when it is held, by the clock of Postgres. */
  readonly sinceMs: number;
}

interface ClaimRow {
  id: number;
  epoch: string;
  position_ms: string;
  position_seq: string;
  counts: number[];
}

function buildClaim(row: ClaimRow): Claim {
  const position = { ms: BigInt(row.position_ms), seq: BigInt(row.position_seq) };
  return { partition: row.id, epoch: BigInt(row.epoch), position, counts: row.counts };
}

/** As JSON, since the driver is not told the types of arrays. */
const CLAIM_COLUMNS = `id, epoch, position_ms, position_seq,
  to_json(coalesce(counts, (select array[i.partitions] from installation i), array[1::smallint])) as counts`;

/** Stored with the lease of a process. */
export interface Announcement {
  readonly contact: RedisContact;
  /** The newest version of frames that it reads. */
  readonly readsVersion: number;
  /** null or absent: it holds no lock now. */
  readonly presence?: Presence | null;
}

/** The keys of all locks of this kind that are held. */
const selectHeld = (sql: Postgres) => sql`
  held as materialized (
    select objid::bigint as key from pg_locks
     where locktype = 'advisory' and classid = ${PRESENCE_CLASS}::oid and objsubid = 2 and granted)`;

/** Renews the lease of process `name`, and deletes leases that ended a minute ago. Returns the partitions that it owns. */
export async function renewLease(
  sql: Postgres,
  name: string,
  leaseMs: number,
  { contact, readsVersion, presence }: Announcement,
): Promise<Claim[]> {
  const { isReachable, forMs, runId = null } = contact;
  const key = presence?.key ?? null;
  const rows = await sql<ClaimRow[]>`
    with ${selectHeld(sql)},
    renewed as (
      insert into payments_processes
        (name, lease_until, hears_redis, redis_since, redis_run_id, reads_version, presence_key, present_at,
         follows_splits)
      values (${name}, now() + ${leaseMs} * interval '1 ms', ${isReachable},
              now() - ${Math.round(forMs)} * interval '1 ms', ${runId}, ${readsVersion},
              ${key}, (select now() from held where key = ${key}::bigint), true)
      on conflict (name) do update
         set follows_splits = true, lease_until = excluded.lease_until,
             hears_redis = excluded.hears_redis and not payments_processes.is_drained,
             redis_since = case when payments_processes.is_drained then '-infinity' else excluded.redis_since end,
             redis_run_id = excluded.redis_run_id,
             reads_version = excluded.reads_version, presence_key = excluded.presence_key,
             present_at = excluded.present_at,
             announced_at = case when payments_processes.reads_version = excluded.reads_version
                                 then payments_processes.announced_at else now() end),
    heard as (
      insert into redis_servers (run_id) select ${runId}::text where ${runId}::text is not null and ${isReachable}
      on conflict (run_id) do nothing),
    deleted as (
      delete from payments_processes where lease_until < now() - interval '1 minute' and name <> ${name})
    select ${sql.unsafe(CLAIM_COLUMNS)} from partitions where owner = ${name}`;
  return rows.map(buildClaim);
}

interface AssignmentRow {
  processes: string[] | null;
  is_alive: boolean;
  owned: number[] | null;
  leaving: number[] | null;
  moved: number[] | null;
  free: number;
  beyond_share: number;
  unreadable: number;
  is_announced: boolean;
  others_read: number;
  total: number;
}

/** The live processes, and the newest version that the calling one reads. */
const selectAlive = (sql: Postgres, name: string, presence: Presence | null) => {
  const sinceS = presence === null ? null : presence.sinceMs / MS_PER_S;
  const since = sql`to_timestamp(${sinceS}::float8)`;
  return sql`
  ${selectHeld(sql)},
  alive as (
    select * from payments_processes
     where lease_until > now()
       and not coalesce(
         name <> ${name}
         and (present_at > ${since} or now() > ${since} + (lease_until - present_at) * ${RENEWS_WITHIN_SHARE}::float8)
         and presence_key not in (select key from held)
         and ${presence?.key ?? null}::bigint in (select key from held), false)),
  mine as (select name, reads_version from alive where name = ${name})`;
};

const IS_FREE = '(owner is null or owner not in (select name from alive))';
const IS_READABLE = 'stopped_version <= (select reads_version from mine)';
const IS_FREE_READABLE = `${IS_FREE} and ${IS_READABLE}`;
const IS_FREE_UNREADABLE = `${IS_FREE} and not ${IS_READABLE}`;
/** An operator moves it to the process. */
const MOVES_HERE = '(moves_until > now() and moves_to = (select name from mine))';
/** Of a row of `partitions`, so that a claim that waited for another one looks at the row again. */
const IS_CLAIMABLE = `${IS_FREE} and (${IS_READABLE}
  or (stopped_version is null and (coalesce(moves_until <= now(), true) or ${MOVES_HERE}))
  or (stopped_at < now() - ${RETRY_STOPPED_MS} * interval '1 ms'
      and (select reads_version from mine) = (select max(reads_version) from alive)))`;

/** A read without writes. */
export async function readAssignment(
  sql: Postgres,
  name: string,
  settledMs: number,
  presence: Presence | null = null,
): Promise<PartitionAssignment> {
  const rows = await sql<AssignmentRow[]>`
    with ${selectAlive(sql, name, presence)},
    heard as (
      select name, redis_since < now() - ${settledMs} * interval '1 ms' as is_settled,
             hears_redis and coalesce(redis_run_id = (
               select run_id from redis_servers order by first_heard_at desc limit 1), true) as hears_master,
             announced_at < now() - ${WRITERS_LEARN_MS} * interval '1 ms'
               or reads_version = (select max(reads_version) from alive) as is_announced
        from alive),
    sharing as (
      select name from heard
       where is_announced
         and (hears_master or not is_settled
              or not exists (select from heard where hears_master and is_settled)))
    select (select json_agg(name order by name) from sharing) as processes,
           ${name} in (select name from alive) as is_alive,
           (select json_agg(id order by id) from partitions where owner = ${name}) as owned,
           (select json_agg(id order by id) from partitions
             where owner = ${name} and moves_until > now() and moves_to <> ${name}
               and moves_to in (select name from sharing)) as leaving,
           (select json_agg(id order by id) from partitions where owner = ${name} and moves_to = ${name}) as moved,
           (select count(*)::int from partitions where ${sql.unsafe(IS_CLAIMABLE)}) as free,
           (select count(*)::int from partitions
             where ${sql.unsafe(IS_FREE_READABLE)}
                or (${sql.unsafe(IS_CLAIMABLE)} and ${sql.unsafe(MOVES_HERE)} and ${name} in (select name from sharing))
           ) as beyond_share,
           (select count(*)::int from partitions where ${sql.unsafe(IS_FREE_UNREADABLE)}) as unreadable,
           coalesce((select is_announced from heard where name = ${name}), false) as is_announced,
           (select coalesce(max(reads_version), 0)::int from alive where name <> ${name}) as others_read,
           (select count(*)::int from partitions) as total`;
  const row = rows[0];
  return {
    processes: row?.processes ?? [],
    isAlive: row?.is_alive ?? false,
    owned: row?.owned ?? [],
    leaving: row?.leaving ?? [],
    moved: row?.moved ?? [],
    free: row?.free ?? 0,
    beyondShare: row?.beyond_share ?? 0,
    unreadable: row?.unreadable ?? 0,
    isAnnounced: row?.is_announced ?? false,
    othersRead: row?.others_read ?? 0,
    total: row?.total ?? 0,
  };
}

/**
 * Claims up to `count` FREE partitions, those first that it claims beyond its share, and raises their epochs, at least to the time in milliseconds: a claim that a failover
 * has lost must not share its epoch with the next one, under which its owner's commits would be accepted.
 */
export async function claimPartitions(
  sql: Postgres,
  name: string,
  count: number,
  presence: Presence | null = null,
): Promise<Claim[]> {
  const rows = await sql<ClaimRow[]>`
    with ${selectAlive(sql, name, presence)}
    update partitions
       set owner = ${name}, epoch = greatest(epoch + 1, (extract(epoch from now()) * 1000)::bigint),
           stopped_version = null, stopped_at = null,
           moves_to = case when moves_to = ${name} then moves_to end, moves_until = null
     where ${name} in (select name from alive)
       and id in (select id from partitions where ${sql.unsafe(IS_CLAIMABLE)}
                   order by stopped_version is null and moves_to is distinct from ${name}, id limit ${count} for update skip locked)
    returning ${sql.unsafe(CLAIM_COLUMNS)}`;
  return rows.map(buildClaim);
}

/** Frees partitions, if `name` still owns them, and wakes the other processes. */
export async function releasePartitions(sql: Postgres, name: string, ids: number[]): Promise<void> {
  await sql`
    with freed as (
      update partitions set owner = null where owner = ${name} and id = any(${ids}::smallint[]))
    select pg_notify(${CHANNEL}, '')`;
}

/** Frees partitions, if `name` still owns them, for the processes that read the frames that it does not read. */
export async function giveUpPartitions(
  sql: Postgres,
  name: string,
  stopped: readonly StoppedPartition[],
): Promise<void> {
  await sql`
    with given as (
      select * from unnest(${stopped.map(({ partition }) => partition)}::smallint[],
                           ${stopped.map(({ version }) => version)}::smallint[]) as g (id, version)),
    freed as (
      update partitions p set owner = null, stopped_version = version, stopped_at = now()
        from given where p.id = given.id and p.owner = ${name})
    select pg_notify(${CHANNEL}, '')`;
}

/** Releases all partitions of the process, deletes its lease, and wakes the other processes. */
export async function leaveAssignment(sql: Postgres, name: string): Promise<void> {
  await sql`
    with freed as (update partitions set owner = null where owner = ${name}),
    deleted as (delete from payments_processes where name = ${name})
    select pg_notify(${CHANNEL}, '')`;
}

export interface PartitionsSubscription {
  /** null: the connection is lost, or not open yet. */
  readonly readPresence: () => Presence | null;
  readonly stop: () => Promise<void>;
}

/** Calls `onFreed` when a process has freed partitions. Its connection holds a presence, under a new key each time. */
export function subscribeFreedPartitions(url: string, onFreed: () => void): PartitionsSubscription {
  let presence: Presence | null = null;
  const stop = subscribeNotifications(url, CHANNEL, onFreed, {
    take: async (connection) => {
      const key = randomInt(MAX_KEY);
      const [row] = await connection<{ since_ms: number }[]>`
        select extract(epoch from clock_timestamp())::float8 * ${MS_PER_S} as since_ms
          from pg_advisory_lock(${PRESENCE_CLASS}::integer, ${key}::integer)`;
      if (row !== undefined) presence = { key, sinceMs: row.since_ms };
    },
    lose: () => {
      presence = null;
    },
  });
  return { readPresence: () => presence, stop };
}

/**
 * Whether some process has a valid lease. Rejects on a server or in a session that may not write: these refuse the subquery,
 * which locks no row.
 */
export async function hasValidLease(sql: Postgres): Promise<boolean> {
  const rows = await sql<{ has: boolean }[]>`
    select exists (select from payments_processes where lease_until > now()) as has
     where not exists (select from installation where false for update)`;
  return rows[0]?.has ?? false;
}

/** Whether one of these servers was heard as the master before another one was. */
export async function isFormerMaster(sql: Postgres, runIds: readonly string[]): Promise<boolean> {
  const rows = await sql`
    select from redis_servers
     where run_id = any(split(${joinColumn(runIds, (runId) => runId)}))
       and first_heard_at < (select max(first_heard_at) from redis_servers) limit 1`;
  return rows.length > 0;
}

/** The stored epochs, positions and numbers of partitions. */
export async function readClaims(sql: Postgres, ids: number[]): Promise<Claim[]> {
  const rows = await sql<ClaimRow[]>`
    select ${sql.unsafe(CLAIM_COLUMNS)} from partitions where id = any(${ids}::smallint[])`;
  return rows.map(buildClaim);
}
