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
// Partitions are assigned among the processes that reach the master of Redis. A process that has not reached it for
// `settledMs`, while another one has for as long, is assigned none. If no process reaches it, nothing moves. The master is
// the server that was first heard last (redis_servers): after a failover a process may stay connected to the former one.
import type { Position } from '#actors/core/partition.js';
import type { Postgres } from '../client.js';
import { subscribeNotifications } from '../notifications.js';
import { joinColumn } from '../join-column.js';

/** Partitions were freed: other processes may claim them. */
const CHANNEL = 'kasir_partitions';

export interface Claim {
  partition: number;
  epoch: bigint;
  position: Position;
}

/** Whether the process reaches Redis, and for how long that has been so. */
export interface RedisContact {
  isReachable: boolean;
  forMs: number;
  /** Of the master that answers; null: it does not say. */
  runId?: string | null;
}

export interface PartitionAssignment {
  /** Names of the processes that share the partitions, sorted. */
  processes: string[];
  /** The calling process has a valid lease. */
  isAlive: boolean;
  /** The partitions of the calling process. */
  owned: number[];
  /** Number of FREE partitions. */
  free: number;
}

interface ClaimRow {
  id: number;
  epoch: string;
  position_ms: string;
  position_seq: string;
}

function buildClaim(row: ClaimRow): Claim {
  const position = { ms: BigInt(row.position_ms), seq: BigInt(row.position_seq) };
  return { partition: row.id, epoch: BigInt(row.epoch), position };
}

/** Renews the lease of process `name`, and deletes leases that ended a minute ago. Returns the partitions that it owns. */
export async function renewLease(
  sql: Postgres,
  name: string,
  leaseMs: number,
  { isReachable, forMs, runId = null }: RedisContact,
): Promise<Claim[]> {
  const rows = await sql<ClaimRow[]>`
    with renewed as (
      insert into payments_processes (name, lease_until, hears_redis, redis_since, redis_run_id)
      values (${name}, now() + ${leaseMs} * interval '1 ms', ${isReachable},
              now() - ${Math.round(forMs)} * interval '1 ms', ${runId})
      on conflict (name) do update
         set lease_until = excluded.lease_until, hears_redis = excluded.hears_redis,
             redis_since = excluded.redis_since, redis_run_id = excluded.redis_run_id),
    heard as (
      insert into redis_servers (run_id) select ${runId}::text where ${runId}::text is not null and ${isReachable}
      on conflict (run_id) do nothing),
    deleted as (
      delete from payments_processes where lease_until < now() - interval '1 minute' and name <> ${name})
    select id, epoch, position_ms, position_seq from partitions where owner = ${name}`;
  return rows.map(buildClaim);
}

interface AssignmentRow {
  processes: string[] | null;
  is_alive: boolean;
  owned: number[] | null;
  free: number;
}

/** A read without writes. */
export async function readAssignment(
  sql: Postgres,
  name: string,
  settledMs: number,
): Promise<PartitionAssignment> {
  const rows = await sql<AssignmentRow[]>`
    with alive as (
      select name, redis_since < now() - ${settledMs} * interval '1 ms' as is_settled,
             hears_redis and coalesce(redis_run_id = (
               select run_id from redis_servers order by first_heard_at desc limit 1), true) as hears_master
        from payments_processes where lease_until > now()),
    sharing as (
      select name from alive
       where hears_master or not is_settled
          or not exists (select from alive where hears_master and is_settled))
    select (select json_agg(name order by name) from sharing) as processes,
           ${name} in (select name from alive) as is_alive,
           (select json_agg(id) from partitions where owner = ${name}) as owned,
           (select count(*)::int from partitions
             where owner is null or owner not in (select name from alive)) as free`;
  const row = rows[0];
  return {
    processes: row?.processes ?? [],
    isAlive: row?.is_alive ?? false,
    owned: row?.owned ?? [],
    free: row?.free ?? 0,
  };
}

/**
 * Claims up to `count` FREE partitions and raises their epochs, at least to the time in milliseconds: a claim that a failover
 * has lost must not share its epoch with the next one, under which its owner's commits would be accepted.
 */
export async function claimPartitions(
  sql: Postgres,
  name: string,
  count: number,
): Promise<Claim[]> {
  const rows = await sql<ClaimRow[]>`
    with alive as (select name from payments_processes where lease_until > now())
    update partitions
       set owner = ${name}, epoch = greatest(epoch + 1, (extract(epoch from now()) * 1000)::bigint)
     where ${name} in (select name from alive)
       and id in (select id from partitions
                   where owner is null or owner not in (select name from alive)
                   order by id limit ${count} for update skip locked)
    returning id, epoch, position_ms, position_seq`;
  return rows.map(buildClaim);
}

/** Frees partitions, if `name` still owns them, and wakes the other processes. */
export async function releasePartitions(sql: Postgres, name: string, ids: number[]): Promise<void> {
  await sql`
    with freed as (
      update partitions set owner = null where owner = ${name} and id = any(${ids}::smallint[]))
    select pg_notify(${CHANNEL}, '')`;
}

/** Releases all partitions of the process, deletes its lease, and wakes the other processes. */
export async function leaveAssignment(sql: Postgres, name: string): Promise<void> {
  await sql`
    with freed as (update partitions set owner = null where owner = ${name}),
    deleted as (delete from payments_processes where name = ${name})
    select pg_notify(${CHANNEL}, '')`;
}

/** Calls `onFreed` when a process has freed partitions. Returns the function that ends the subscription. */
export function subscribeFreedPartitions(url: string, onFreed: () => void): () => Promise<void> {
  return subscribeNotifications(url, CHANNEL, onFreed);
}

/** Whether one of these servers was heard as the master before another one was. */
export async function isFormerMaster(sql: Postgres, runIds: readonly string[]): Promise<boolean> {
  const rows = await sql`
    select from redis_servers
     where run_id = any(split(${joinColumn(runIds, (runId) => runId)}))
       and first_heard_at < (select max(first_heard_at) from redis_servers) limit 1`;
  return rows.length > 0;
}

/** The stored epochs and positions of partitions. */
export async function readClaims(sql: Postgres, ids: number[]): Promise<Claim[]> {
  const rows = await sql<ClaimRow[]>`
    select id, epoch, position_ms, position_seq from partitions where id = any(${ids}::smallint[])`;
  return rows.map(buildClaim);
}
