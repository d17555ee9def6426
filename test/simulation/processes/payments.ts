// A payments process of the simulated world: the real loop, lease keeper and stream guard, wired as in
// actors/payments/main.ts, on models of Redis and Postgres.
import { comparePositions } from '#actors/core/partition.js';
import { COMMAND_SOURCES } from '#actors/core/payment/commands.js';
import { BatchLoops, LOOPS } from '#actors/payments/batch-loops.js';
import { LeaseKeeper } from '#actors/payments/lease-keeper.js';
import { type LeaseStore, openCommandStreams, type PaymentStore } from '#actors/payments/ports.js';
import { REACHABLE_WITHIN_MS, StreamClock } from '#actors/payments/stream-clock.js';
import { startStreamGuard } from '#actors/payments/stream-guard.js';
import type { CommitBatch, DeferredRow } from '#store/postgres/payments/commit-batch.js';
import type { StoredDeferral } from '#store/postgres/payments/deferred-commands.js';
import { readTime } from '#store/redis/client.js';
import { type FrameReader, ServerFrameReader } from '#store/redis/commands.js';
import { NEWEST_VERSION } from '#store/redis/frames.js';
import { SILENT_METRICS } from '#test/support/actors/loop.js';
import { COMMAND_KEYS } from '#test/support/processes.js';
import type { Audit } from '../audit.js';
import { commitToTables, probeTables } from '../postgres/commit.js';
import * as leases from '../postgres/leases.js';
import type { PostgresServer, Statement } from '../postgres/server.js';
import type { Tables } from '../postgres/tables.js';
import { createRedisClient } from '../redis/client.js';
import { RedisConnection, type RedisNetwork } from '../redis/network.js';
import type { SimProcess } from '../world/sim-process.js';

export const LEASE_MS = 3_000;
const RETAIN_MS = 30_000;

export interface Stage {
  readonly partitions: number;
  readonly redis: RedisNetwork;
  readonly postgres: PostgresServer;
  readonly audit: Audit;
}

export interface PaymentsProcess {
  readonly process: SimProcess;
  /** As on SIGTERM: resolves when everything is handed over. */
  readonly stop: () => Promise<void>;
}

/** `onCrash` is called when the process ends by itself, which it does when the stored state is impossible. */
export function startPayments(
  stage: Stage,
  process: SimProcess,
  onCrash: (error: unknown) => void,
): PaymentsProcess {
  const { clock, log, name } = process;
  const redis = createRedisClient(new RedisConnection(stage.redis, process));
  const streams = openCommandStreams(redis, COMMAND_KEYS);
  const streamClock = new StreamClock({ clock, readTime: () => readTime(redis) });
  const metrics = SILENT_METRICS;
  const frames = Array.from({ length: LOOPS }, () => {
    const connection = new RedisConnection(stage.redis, process);
    const reading = createRedisClient(connection);
    const source = new ServerFrameReader({ reading, redis, keys: COMMAND_KEYS });
    return followReads(stage.audit, { name, connection }, source, () => loop);
  });
  const deps = {
    ...{ clock, log, metrics, streams },
    streamNowMs: () => streamClock.estimateNowMs(),
    store: openStore(stage, process),
    baseUrl: 'https://kasir.test',
    approvalLimitMinor: 0n,
  };
  const loop: BatchLoops = new BatchLoops(deps, frames);
  const keeper = new LeaseKeeper({
    ...{ name, clock, log, leaseMs: LEASE_MS, readsVersion: NEWEST_VERSION },
    store: openLeaseStore(stage, process, streamClock),
    streams,
    holder: loop,
    onTakeOver: metrics.onTakeOver,
    onStopped: metrics.setStopped,
  });
  const { owned } = loop;
  const guard = startStreamGuard({
    ...{ clock, redis, owned, streams, streamClock, metrics, log },
    retainMs: RETAIN_MS,
    confirmedAtMs: () => keeper.renewedAtMs,
  });
  void keeper.start();
  loop.run().catch(onCrash);
  return {
    process,
    stop: async () => {
      try {
        await guard.stop();
        await keeper.leave();
        await loop.stop();
      } catch (error) {
        log.warn({ err: error }, 'stopped without handing over');
      }
      process.kill();
    },
  };
}

function followReads(
  audit: Audit,
  { name: process, connection }: { readonly name: string; readonly connection: RedisConnection },
  source: FrameReader,
  findLoop: () => BatchLoops,
): FrameReader {
  const read: FrameReader['read'] = async (cursors, blockMs) => {
    const { owned } = findLoop();
    const epochs = new Map(
      cursors.map(({ partition }) => [partition, owned.get(partition)?.epoch]),
    );
    const { server } = connection;
    const found = await source.read(cursors, blockMs);
    for (const frame of found.frames) {
      audit.noteRead({ process, epoch: epochs.get(frame.partition), server }, frame);
    }
    return found;
  };
  return { read, interrupt: () => source.interrupt() };
}

function openStore({ postgres, audit }: Stage, process: SimProcess): PaymentStore {
  const run = <Value>(statement: Statement<Value>): Promise<Value> =>
    postgres.run(process, statement);
  return {
    loadSnapshots: (ids) =>
      run({
        ...{ name: 'load snapshots', isWrite: false },
        work: ({ payments }) =>
          new Map(ids.flatMap((id) => payments.get(id) ?? []).map((row) => [row.id, row.snapshot])),
      }),
    loadApprovals: () => Promise.resolve([]),
    loadRefundEnds: () => Promise.resolve([]),
    commit: (batch) =>
      run({
        ...describeWrite('commit', batch),
        work: (tables) => {
          const noteCommitted = audit.prepareCommit(process.name, batch);
          commitToTables(tables, batch, postgres.nowMs);
          noteCommitted();
          postgres.world.trace(`${process.name} commits ${describeBatch(batch)}`);
        },
      }),
    probe: (batch) =>
      run({
        ...describeWrite('probe', batch),
        work: (tables) => {
          probeTables(tables, batch);
        },
      }),
    loadDeferred: (partitions) =>
      run({
        ...{ name: 'load deferred', isWrite: false },
        work: ({ deferred }) => listDeferred(deferred.values(), partitions),
      }),
    findLockedRows: ({ accounts }) =>
      run({
        ...{ name: 'find locked rows', isWrite: false },
        work: () => accounts.filter((account) => postgres.lockedRows.has(account)),
      }),
    readClaims: (ids) =>
      run({
        ...{ name: 'read claims', isWrite: false },
        work: (tables) => leases.readClaims(tables, ids),
      }),
  };
}

function listDeferred(
  rows: readonly DeferredRow[],
  partitions: readonly number[],
): StoredDeferral[] {
  return rows
    .filter(({ partition }) => partitions.includes(partition))
    .map(({ command: text, source, ...row }) => {
      const known = COMMAND_SOURCES.find((one) => one === source);
      if (known === undefined) throw new Error(`a deferred command has the source ${source}`);
      return { ...row, text, source: known };
    })
    .sort((a, b) => {
      const order = comparePositions(a.position, b.position);
      return order === 0 ? a.index - b.index : order;
    });
}

function describeWrite(name: string, batch: CommitBatch) {
  const rows = batch.created.length + batch.changed.length + batch.events.length;
  const locks = batch.postings.flatMap(({ debit, credit }) => [debit, credit]);
  return { name, isWrite: true, rows, locks };
}

function describeBatch({ positions, created, changed, events }: CommitBatch): string {
  const moves = positions.map(
    ({ partition, epoch, to }) => `p${partition}/${epoch} to ${to.ms}-${to.seq}`,
  );
  return `${moves.join(', ')}: ${created.length} new, ${changed.length} changed, ${events.length} events`;
}

function openLeaseStore(
  { postgres, audit }: Stage,
  process: SimProcess,
  streamClock: StreamClock,
): LeaseStore {
  const { name } = process;
  const run = <Value>(title: string, work: Statement<Value>['work']): Promise<Value> =>
    postgres.run(process, { name: title, isWrite: true, work });
  const read = (tables: Tables): leases.LeaseTables => ({ tables, nowMs: postgres.nowMs });
  return {
    renewLease: (readsVersion) => {
      const announcement = { contact: streamClock.readContact(), readsVersion };
      return run('renew lease', (tables) =>
        leases.renewLease(read(tables), name, LEASE_MS, announcement),
      );
    },
    readAssignment: () =>
      postgres.run(process, {
        ...{ name: 'read assignment', isWrite: false },
        work: (tables) => leases.readAssignment(read(tables), name, LEASE_MS + REACHABLE_WITHIN_MS),
      }),
    claim: (count) =>
      run('claim', (tables) => {
        const claims = leases.claimPartitions(read(tables), name, count);
        audit.sample();
        return claims;
      }),
    release: (ids) =>
      run('release', (tables) => {
        leases.releasePartitions(tables, name, ids);
      }),
    giveUp: (stopped) =>
      run('give up', (tables) => {
        leases.giveUpPartitions(read(tables), name, stopped);
      }),
    leave: () =>
      run('leave', (tables) => {
        leases.leaveAssignment(tables, name);
      }),
  };
}
