// The model of Postgres answers as the real one does: the same random operations on both, through the functions that the
// service uses. A model that is kinder than its original would hide faults from every seed.
import t, { type Test } from 'tap';
import { partitionFor } from '#actors/core/partition.js';
import { classifyFailure } from '#store/postgres/classify-failure.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import {
  commitBatch,
  type CommitBatch,
  probeBatch,
} from '#store/postgres/payments/commit-batch.js';
import { movePartition, setDrained } from '#store/postgres/operations/move-partitions.js';
import { splitPartitions } from '#store/postgres/operations/split-partitions.js';
import * as real from '#store/postgres/payments/partition-leases.js';
import {
  at,
  buildBatch,
  buildCreatedEvent,
  buildNewPayment,
} from '#test/support/actors/batches.js';
import { createDatabase } from '#test/support/servers.js';
import { commitToTables, probeTables } from '../postgres/commit.js';
import * as model from '../postgres/leases.js';
import { Tables } from '../postgres/tables.js';
import { type Chance, createChance } from '../world/chance.js';
import { answer, OPERATIONS, PARTITIONS, SEEDS } from './answer.js';

const HOUR_MS = 3_600_000;

interface PostgresPair {
  readonly chance: Chance;
  readonly sql: Postgres;
  readonly tables: Tables;
}

interface PostgresOperation {
  readonly real: () => Promise<unknown>;
  readonly model: () => unknown;
}

const NAMES = ['a', 'b', 'c'];
const SETTLED_MS = HOUR_MS / 2;
const sortClaims = (claims: readonly real.Claim[]): real.Claim[] =>
  [...claims].sort((one, other) => one.partition - other.partition);

const POSTGRES_OPERATIONS: readonly ((pair: PostgresPair) => PostgresOperation)[] = [
  ({ chance, sql, tables }) => {
    const name = chance.pick(NAMES);
    const leaseMs = chance.pick([HOUR_MS, HOUR_MS, -1_000, -120_000]);
    const contact = { isReachable: chance.happens(0.6), forMs: chance.pick([0, HOUR_MS]) };
    const announcement = { contact, readsVersion: chance.between(1, 3) };
    // Far from the moment at which writers know of it, which real and model would reach one after the other.
    const knownForMs = chance.pick([-HOUR_MS, HOUR_MS]);
    return {
      real: async () => {
        const claims = await real.renewLease(sql, name, leaseMs, announcement);
        await sql`update payments_processes
          set announced_at = now() - ${knownForMs} * interval '1 ms' where name = ${name}`;
        return sortClaims(claims);
      },
      model: () => {
        const claims = model.renewLease(readServer(tables), name, leaseMs, announcement);
        const row = tables.processes.get(name);
        const announcedAtMs = Date.now() - knownForMs;
        if (row !== undefined) tables.processes.set(name, { ...row, announcedAtMs });
        return sortClaims(claims);
      },
    };
  },
  ({ chance, sql, tables }) => {
    const name = chance.pick(NAMES);
    return {
      real: () => real.readAssignment(sql, name, SETTLED_MS),
      model: () => model.readAssignment(readServer(tables), name, SETTLED_MS),
    };
  },
  ({ chance, sql, tables }) => {
    const [name, count] = [chance.pick(NAMES), chance.between(0, 3)];
    // The model claims in the millisecond of Postgres.
    let nowMs = Date.now();
    return {
      real: async () => {
        const claims = sortClaims(await real.claimPartitions(sql, name, count));
        if (claims.length > 0) nowMs = Math.min(...claims.map(({ epoch }) => Number(epoch)));
        return claims;
      },
      model: () => sortClaims(model.claimPartitions({ tables, nowMs }, name, count)),
    };
  },
  ({ chance, sql, tables }) => {
    const name = chance.pick(NAMES);
    const stopped = [{ partition: chance.below(PARTITIONS), version: chance.between(2, 3) }];
    return {
      real: () => real.giveUpPartitions(sql, name, stopped),
      model: () => {
        model.giveUpPartitions(readServer(tables), name, stopped);
      },
    };
  },
  ({ chance, sql, tables }) => {
    const [name, ids] = [chance.pick(NAMES), [chance.below(PARTITIONS)]];
    const isLeaving = chance.happens(0.3);
    return {
      real: () =>
        isLeaving ? real.leaveAssignment(sql, name) : real.releasePartitions(sql, name, ids),
      model: () => {
        if (isLeaving) model.leaveAssignment(tables, name);
        else model.releasePartitions(tables, name, ids);
      },
    };
  },
  ({ chance, sql, tables }) => {
    const [name, isDrained] = [chance.pick(NAMES), chance.happens(0.5)];
    return {
      real: () => setDrained(sql, 'operator', name, isDrained),
      model: () => {
        model.setDrained(readServer(tables), name, isDrained);
      },
    };
  },
  ({ chance, sql, tables }) => {
    const [name, partition] = [chance.pick(NAMES), chance.below(PARTITIONS)];
    // Far from the moment at which the others may claim it too.
    const leftMs = chance.pick([-HOUR_MS, HOUR_MS]);
    return {
      real: async () => {
        await movePartition(sql, 'operator', partition, name);
        await sql`update partitions set moves_until = now() + ${leftMs} * interval '1 ms'
          where id = ${partition} and moves_until between now() and now() + interval '1 minute'`;
      },
      model: () => {
        const nowMs = Date.now() + leftMs;
        model.movePartition({ tables, nowMs }, partition, name);
      },
    };
  },
  ({ sql, tables }) => ({
    real: async () => sortClaims(await real.readClaims(sql, listMost())),
    model: () => sortClaims(model.readClaims(tables, listMost())),
  }),
  buildSplitOperation,
  buildCommitOperation,
  buildCommitOperation,
  buildCommitOperation,
];

const MOST_PARTITIONS = PARTITIONS * 4;
const listMost = (): number[] => Array.from({ length: MOST_PARTITIONS }, (_, index) => index);

function buildSplitOperation({ chance, sql, tables }: PostgresPair): PostgresOperation {
  const { size } = tables.partitions;
  const from = chance.happens(0.9) ? size : size + 1;
  const to = chance.pick([from * 2, from * 2, from, from * 2 + 1]);
  // Both raise the epochs to the millisecond of Postgres.
  let nowMs = Date.now();
  if (to > MOST_PARTITIONS) return { real: () => Promise.resolve(), model: () => undefined };
  return {
    real: async () => {
      await splitPartitions(sql, from, to);
      const split = await real.readClaims(sql, listMost().slice(0, from));
      nowMs = Math.min(...split.map(({ epoch }) => Number(epoch)));
    },
    model: () => {
      model.splitPartitions({ tables, nowMs }, from, to);
    },
  };
}

const readServer = (tables: Tables): model.LeaseTables => ({ tables, nowMs: Date.now() });

function buildCommitOperation({ chance, sql, tables }: PostgresPair): PostgresOperation {
  const batch = buildRandomBatch(chance, tables);
  return chance.happens(0.2)
    ? { real: () => probeBatch(sql, batch), model: () => void probeTables(tables, batch) }
    : {
        real: () => commitBatch(sql, batch),
        model: () => void commitToTables(tables, batch, Date.now()),
      };
}

/** Mostly a batch that is accepted, with any of the things that Postgres refuses. */
function buildRandomBatch(chance: Chance, tables: Tables): CommitBatch {
  const partition = chance.below(PARTITIONS);
  const row = tables.partitions.get(partition);
  if (row === undefined) throw new Error('no partition');
  const { ms, seq } = row.position;
  const isWrong = (): boolean => chance.happens(0.07);
  const from = isWrong() ? { ms: ms + 1n, seq } : row.position;
  const to = isWrong() ? from : { ms: ms + BigInt(chance.between(1, 3)), seq };
  const epoch = isWrong() ? row.epoch + 1n : row.epoch;
  const batch = buildBatch({ partition, epoch, from, to });
  if (isWrong()) return { ...batch, positions: [] };
  if (isWrong()) batch.positions.push({ partition, epoch, from, to });
  const id = `pay_${chance.below(30)}`;
  const stored = tables.payments.get(id);
  if (stored === undefined || isWrong()) {
    const changes = isWrong() ? { amountMinor: 0n } : {};
    batch.created.push(
      buildNewPayment(id, { referenceId: isWrong() ? '\u0000' : null, ...changes }),
    );
    batch.events.push({ ...buildCreatedEvent(id, to), partition });
  } else addChange(chance, batch, { id, partition, version: stored.version + (isWrong() ? 1 : 0) });
  if (chance.happens(0.1)) {
    batch.quarantined.push({ partition, position: to, index: 0, command: 'x', error: 'y' });
  }
  addDeferrals(chance, batch, tables);
  return batch;
}

function addDeferrals(chance: Chance, batch: CommitBatch, tables: Tables): void {
  const [move] = batch.positions;
  if (move === undefined) return;
  if (chance.happens(0.3)) {
    const { partition, to: position } = move;
    const sent = { source: 'gateway', sender: 's', correlation: 'c', command: 'x' };
    const paymentId = findPaymentIn(partition, tables.partitions.size);
    batch.deferred.push({ partition, position, index: 1, paymentId, ...sent });
  }
  if (chance.happens(0.2)) {
    const { partition, position, index } = tables.deferred.values()[0] ?? {
      ...move,
      position: move.to,
      index: 7,
    };
    batch.resumed.push({ partition, position, index });
  }
}

/** A process defers commands of payments of its partitions only. */
function findPaymentIn(partition: number, partitions: number): string {
  for (let number = 0; ; number += 1) {
    if (partitionFor(`pay_${number}`, partitions) === partition) return `pay_${number}`;
  }
}

function addChange(
  chance: Chance,
  batch: CommitBatch,
  { id, partition, version: fromVersion }: { id: string; partition: number; version: number },
): void {
  const version = fromVersion + 1;
  const to = batch.positions[0]?.to ?? at(1);
  const status = chance.pick(['paid', 'failed']);
  const shown = { status, paymentMethod: null, dueAtMs: null, snapshot: `{"v":${version}}` };
  batch.changed.push({ id, fromVersion, version, ...shown });
  const event = { ...buildCreatedEvent(id, to), partition, version, type: 'payment_paid' };
  const envelope = chance.happens(0.5) ? '{}' : null;
  const owner = envelope === null ? {} : { merchantId: 'mer_1', environment: 'TEST' };
  batch.events.push({ ...event, ...owner, envelope });
  const credit = chance.happens(0.1) ? 'rail' : 'merchant';
  const posting = {
    partition,
    index: 0,
    debit: 'rail',
    credit,
    amountMinor: 100n,
    currency: 'IDR',
  };
  batch.postings.push({ paymentId: id, version, reason: 'payment_paid', ...posting });
  const transactionId = `tx-${chance.below(40)}`;
  batch.railTransactions.push({ rail: 'sandbox', transactionId, paymentId: id });
  batch.tasks.push({ id: `task-${chance.below(5)}`, kind: 'x', paymentId: id, details: '{}' });
}

t.test('the model of Postgres answers as Postgres', async (t) => {
  const databaseUrl = await createDatabase(t);
  const sql = openPostgres(databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  await checkInstallation(sql, { partitions: PARTITIONS, idKey: Buffer.alloc(32, 7) });
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    await sql`truncate payments_processes, payments, payment_events, postings, balance_rows, refunds, deferred_commands,
      rail_transactions, rail_calls, operator_tasks, quarantined_commands`;
    await sql`delete from partitions where id >= ${PARTITIONS}`;
    await sql`update partitions set owner = null, epoch = 0, position_ms = 0, position_seq = 1,
      stopped_version = null, stopped_at = null, counts = null, moves_to = null, moves_until = null`;
    await sql`update installation set partitions = ${PARTITIONS}`;
    const pair = { chance: createChance(seed), sql, tables: new Tables(PARTITIONS, () => 0) };
    if (!(await comparePostgres(t, pair, seed))) return;
  }
});

async function comparePostgres(t: Test, pair: PostgresPair, seed: number): Promise<boolean> {
  for (let count = 0; count < OPERATIONS; count += 1) {
    const operation = pair.chance.pick(POSTGRES_OPERATIONS)(pair);
    const expected = await answer(operation.real, nameSqlError);
    const found = await answer(operation.model, nameSqlError);
    if (!t.strictSame(found, expected, `seed ${seed}, operation ${count}`)) return false;
  }
  const { sql, tables } = pair;
  const stored = await sql`select id, status, version, snapshot from payments order by id`;
  const modelled = tables.payments
    .values()
    .map(({ id, status, version, snapshot }) => ({ id, status, version, snapshot }))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  t.strictSame(modelled, [...stored]);
  const deferred = await sql`
    select partition, position_ms || '-' || position_seq || '-' || index as place from deferred_commands order by 1, 2`;
  const places = tables.deferred.values().map(({ partition, position: { ms, seq }, index }) => ({
    ...{ partition, place: `${ms}-${seq}-${index}` },
  }));
  t.strictSame(
    places.sort((a, b) =>
      a.partition === b.partition ? (a.place < b.place ? -1 : 1) : a.partition - b.partition,
    ),
    [...deferred],
  );
  const balances = await sql`select account, amount::text from balances order by account`;
  const sums = tables.balances
    .entries()
    .map(([account, amount]) => ({ account, amount: String(amount) }));
  return t.strictSame(
    sums.sort((one, other) => (one.account < other.account ? -1 : 1)),
    [...balances],
  );
}

function nameSqlError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return `${classifyFailure(error)} ${code}`;
}
