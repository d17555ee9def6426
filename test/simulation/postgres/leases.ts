// Leases and ownership in the model of Postgres: what store/postgres/payments/partition-leases.ts does.
import type {
  Claim,
  PartitionAssignment,
  RedisContact,
} from '#store/postgres/payments/partition-leases.js';
import type { DatedTables, PartitionRow, Tables } from './tables.js';

const DELETED_AFTER_MS = 60_000;

export type LeaseTables = DatedTables;

const buildClaim = ([partition, { epoch, position }]: [number, PartitionRow]): Claim => ({
  partition,
  epoch,
  position,
});

const listAlive = ({ tables, nowMs }: LeaseTables): string[] =>
  tables.processes.entries().flatMap(([name, row]) => (row.leaseUntilMs > nowMs ? [name] : []));

export function renewLease(
  server: LeaseTables,
  name: string,
  leaseMs: number,
  { isReachable, forMs }: RedisContact,
): Claim[] {
  const { tables, nowMs } = server;
  const row = { leaseUntilMs: nowMs + leaseMs, isReachable, redisSinceMs: nowMs - forMs };
  tables.processes.set(name, row);
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
  const alive = listAlive(server).map((one) => {
    const row = tables.processes.get(one);
    const isSettled = (row?.redisSinceMs ?? nowMs) < nowMs - settledMs;
    return { name: one, isReachable: row?.isReachable ?? false, isSettled };
  });
  const isRedisReached = alive.some((one) => one.isReachable && one.isSettled);
  const sharing = alive.filter((one) => one.isReachable || !one.isSettled || !isRedisReached);
  return {
    processes: sharing.map((one) => one.name).sort(),
    isAlive: alive.some((one) => one.name === name),
    owned: listOwned(tables, name).map(([id]) => id),
    free: listFree(server).length,
  };
}

export function claimPartitions(server: LeaseTables, name: string, count: number): Claim[] {
  if (!listAlive(server).includes(name)) return [];
  return listFree(server)
    .slice(0, count)
    .map(([id, row]) => {
      const nowMs = BigInt(Math.floor(server.nowMs));
      const epoch = row.epoch >= nowMs ? row.epoch + 1n : nowMs;
      const claimed = { ...row, owner: name, epoch };
      server.tables.partitions.set(id, claimed);
      return buildClaim([id, claimed]);
    });
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
  const alive = new Set(listAlive(server));
  return server.tables.partitions
    .entries()
    .filter(([, { owner }]) => owner === null || !alive.has(owner));
}
