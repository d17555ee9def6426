// Leases and ownership in the model of Postgres: what store/postgres/payments/partition-leases.ts,
// store/postgres/operations/move-partitions.ts and split_partitions (functions/partitions.sql) do.
import { partitionFor } from '#actors/core/partition.js';
import {
  type Announcement,
  type Claim,
  type PartitionAssignment,
  type StoppedPartition,
  WRITERS_LEARN_MS,
} from '#store/postgres/payments/partition-leases.js';
import { formatPlace } from './commit.js';
import { buildSqlError } from './sql-error.js';
import type { DatedTables, PartitionRow, ProcessRow, Tables } from './tables.js';

const DELETED_AFTER_MS = 60_000;
const RETRY_STOPPED_MS = 10_000;
const MOVES_WITHIN_MS = 5_000;

export type LeaseTables = DatedTables;

const buildClaim = ([partition, row]: [number, PartitionRow]): Claim => {
  const { epoch, position, counts } = row;
  return { partition, epoch, position, counts };
};

const listAlive = ({ tables, nowMs }: LeaseTables): [string, ProcessRow][] =>
  tables.processes.entries().filter(([, { leaseUntilMs }]) => leaseUntilMs > nowMs);

export function renewLease(
  server: LeaseTables,
  name: string,
  leaseMs: number,
  { contact: { isReachable, forMs }, readsVersion }: Announcement,
): Claim[] {
  const { tables, nowMs } = server;
  const before = tables.processes.get(name);
  const isDrained = before?.isDrained ?? false;
  tables.processes.set(name, {
    ...{ leaseUntilMs: nowMs + leaseMs, readsVersion, isDrained },
    isReachable: isReachable && !isDrained,
    redisSinceMs: isDrained ? Number.NEGATIVE_INFINITY : nowMs - forMs,
    announcedAtMs: before?.readsVersion === readsVersion ? before.announcedAtMs : nowMs,
  });
  for (const [other, { leaseUntilMs }] of tables.processes.entries()) {
    if (other !== name && leaseUntilMs < nowMs - DELETED_AFTER_MS) tables.processes.delete(other);
  }
  return listOwned(tables, name).map(buildClaim);
}

export function readAssignment(
  server: LeaseTables,
  name: string,
  settledMs: number,
): PartitionAssignment {
  const { tables, nowMs } = server;
  const alive = listAlive(server);
  const newest = Math.max(0, ...alive.map(([, { readsVersion }]) => readsVersion));
  const heard = alive.map(([one, row]) => ({
    ...{ name: one, isReachable: row.isReachable, isSettled: row.redisSinceMs < nowMs - settledMs },
    isAnnounced: row.announcedAtMs < nowMs - WRITERS_LEARN_MS || row.readsVersion === newest,
  }));
  const isRedisReached = heard.some((one) => one.isReachable && one.isSettled);
  const sharing = heard
    .filter(({ isAnnounced }) => isAnnounced)
    .filter((one) => one.isReachable || !one.isSettled || !isRedisReached);
  const others = alive.flatMap(([one, { readsVersion }]) => (one === name ? [] : [readsVersion]));
  const mine = heard.find((one) => one.name === name);
  const processes = sharing.map((one) => one.name).sort();
  const owned = listOwned(tables, name);
  const listMine = (fits: (row: PartitionRow) => boolean): number[] =>
    owned.flatMap(([id, row]) => (fits(row) ? id : [])).sort((a, b) => a - b);
  return {
    processes,
    isAlive: mine !== undefined,
    owned: listMine(() => true),
    leaving: listMine(({ moves }) => {
      if (moves === null || moves.to === name || !processes.includes(moves.to)) return false;
      return isMoving(moves, nowMs);
    }),
    moved: listMine(({ moves }) => moves?.to === name),
    ...countFree(server, name, processes.includes(name)),
    isAnnounced: mine?.isAnnounced ?? false,
    othersRead: Math.max(0, ...others),
    total: tables.partitions.size,
  };
}

type Moves = PartitionRow['moves'];

const isMoving = (moves: Moves, nowMs: number): boolean => (moves?.untilMs ?? 0) > nowMs;

function countFree(
  server: LeaseTables,
  name: string,
  isSharing: boolean,
): Pick<PartitionAssignment, 'free' | 'beyondShare' | 'unreadable'> {
  const readsVersion = findReadsVersion(server, name);
  const stopped = listFree(server).flatMap(([, row]) => row.stopped?.version ?? []);
  const claimable = listClaimable(server, name);
  const isBeyondShare = ({ stopped: before, moves }: PartitionRow): boolean =>
    (before !== null && before.version <= readsVersion) ||
    (isSharing && moves?.to === name && isMoving(moves, server.nowMs));
  return {
    free: claimable.length,
    beyondShare: claimable.filter(([, row]) => isBeyondShare(row)).length,
    unreadable: stopped.filter((version) => version > readsVersion).length,
  };
}

export function claimPartitions(server: LeaseTables, name: string, count: number): Claim[] {
  if (!listAlive(server).some(([one]) => one === name)) return [];
  const isLast = ({ stopped, moves }: PartitionRow): boolean =>
    stopped === null && moves?.to !== name;
  return listClaimable(server, name)
    .sort(([, a], [, b]) => Number(isLast(a)) - Number(isLast(b)))
    .slice(0, count)
    .map(([id, row]) => {
      const moves = row.moves?.to === name ? { to: name, untilMs: null } : null;
      const claimed = { ...row, owner: name, epoch: raiseEpoch(row, server), stopped: null, moves };
      server.tables.partitions.set(id, claimed);
      return buildClaim([id, claimed]);
    });
}

function raiseEpoch({ epoch }: PartitionRow, server: LeaseTables): bigint {
  const nowMs = BigInt(Math.floor(server.nowMs));
  return epoch >= nowMs ? epoch + 1n : nowMs;
}

export function splitPartitions(server: LeaseTables, from: number, to: number): void {
  const { partitions, cursors, deferred } = server.tables;
  if (partitions.size !== from)
    throw buildSqlError('KS003', 'the installation has other partitions');
  if (to <= from || to % from !== 0) throw buildSqlError('KS003', 'it is no multiple');
  for (const [id, row] of partitions.entries()) {
    const counts = [...row.counts, to];
    partitions.set(id, { ...row, counts, owner: null, epoch: raiseEpoch(row, server) });
    for (let added = id + from; added < to; added += from) {
      const { position } = row;
      partitions.set(added, {
        ...{ owner: null, epoch: 0n, position, counts, stopped: null, moves: null },
      });
      cursors.set(added, { position: { ms: 0n, seq: 0n }, index: 0 });
    }
  }
  for (const [key, row] of deferred.entries()) {
    const partition = partitionFor(row.paymentId, to);
    if (partition === row.partition) continue;
    deferred.delete(key);
    const moved = { ...row, partition };
    deferred.set(formatPlace(moved), moved);
  }
}

export function setDrained({ tables, nowMs }: LeaseTables, name: string, isDrained: boolean): void {
  const row = tables.processes.get(name);
  if (row === undefined || row.isDrained === isDrained) return;
  tables.processes.set(name, {
    ...row,
    ...{ isDrained, isReachable: row.isReachable && !isDrained },
    redisSinceMs: isDrained ? Number.NEGATIVE_INFINITY : nowMs,
  });
}

export function movePartition({ tables, nowMs }: LeaseTables, partition: number, to: string): void {
  const row = tables.partitions.get(partition);
  if (row === undefined || row.owner === to) return;
  const moves = { to, untilMs: nowMs + MOVES_WITHIN_MS };
  tables.partitions.set(partition, { ...row, moves });
}

export function giveUpPartitions(
  { tables, nowMs }: LeaseTables,
  name: string,
  stopped: readonly StoppedPartition[],
): void {
  for (const { partition, version } of stopped) {
    const row = tables.partitions.get(partition);
    if (row?.owner !== name) continue;
    tables.partitions.set(partition, { ...row, owner: null, stopped: { version, atMs: nowMs } });
  }
}

export function releasePartitions(tables: Tables, name: string, ids: readonly number[]): void {
  for (const [id, row] of listOwned(tables, name)) {
    if (ids.includes(id)) tables.partitions.set(id, { ...row, owner: null });
  }
}

export function leaveAssignment(tables: Tables, name: string): void {
  for (const [id, row] of listOwned(tables, name)) {
    tables.partitions.set(id, { ...row, owner: null });
  }
  tables.processes.delete(name);
}

export function readClaims(tables: Tables, ids: readonly number[]): Claim[] {
  return tables.partitions
    .entries()
    .filter(([id]) => ids.includes(id))
    .map(buildClaim);
}

function listOwned(tables: Tables, name: string): [number, PartitionRow][] {
  return tables.partitions.entries().filter(([, { owner }]) => owner === name);
}

function listFree(server: LeaseTables): [number, PartitionRow][] {
  const alive = new Set(listAlive(server).map(([name]) => name));
  return server.tables.partitions
    .entries()
    .filter(([, { owner }]) => owner === null || !alive.has(owner));
}

/** NaN: the process does not live. Every comparison with it is false. */
const findReadsVersion = (server: LeaseTables, name: string): number =>
  listAlive(server).find(([one]) => one === name)?.[1].readsVersion ?? NaN;

function listClaimable(server: LeaseTables, name: string): [number, PartitionRow][] {
  const versions = listAlive(server).map(([, row]) => row.readsVersion);
  const readsVersion = findReadsVersion(server, name);
  const isAlive = !Number.isNaN(readsVersion);
  const isNewest = versions.every((version) => version <= readsVersion);
  return listFree(server).filter(([, { stopped, moves }]) => {
    if (stopped === null) return !isMoving(moves, server.nowMs) || (isAlive && moves?.to === name);
    if (stopped.version <= readsVersion) return true;
    return isNewest && stopped.atMs < server.nowMs - RETRY_STOPPED_MS;
  });
}
