// The statements of rails in the model of Postgres answer as the real ones: the same random operations on both. Times are not
// set but passed: an operation makes all rows older, by times that come near no limit.
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { deriveOrderId, makeId, type PaymentId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import type { RailCall } from '#actors/core/payment/rail-calls.js';
import { encodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { commitBatch } from '#store/postgres/payments/commit-batch.js';
import { at, buildBatch, buildNewPayment } from '#test/support/actors/batches.js';
import { createTestMerchant } from '#test/support/processes.js';
import { createDatabase } from '#test/support/servers.js';
import { commitToTables } from '../postgres/commit.js';
import { Tables } from '../postgres/tables.js';
import { type Chance, createChance } from '../world/chance.js';
import { answer, OPERATIONS, PARTITIONS, SEEDS } from './answer.js';
import { byId, RAIL, RAILS_OPERATIONS, type RailsPair } from './rail-operations.js';

const HOUR_MS = 3_600_000;
/** Between a time in Postgres and the same in the model. */
const TOLERANCE_MS = 1_500;

const databaseUrl = await createDatabase(t);
const { merchantId } = await createTestMerchant(databaseUrl, { isLiveEnabled: true });
const sql = openPostgres(databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));
await checkInstallation(sql, { partitions: PARTITIONS, idKey: Buffer.alloc(32, 7) });

t.test('the statements of rails in the model answer as Postgres', async (t) => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    await sql`truncate payments, refunds, rail_calls, status_inquiries, rail_facts, rail_callbacks, operator_tasks`;
    await sql`update partitions set epoch = 0, position_ms = 0, position_seq = 1`;
    const pair = await openPair(createChance(seed));
    if (!(await compareRails(t, pair, seed))) return;
  }
});

/** Two payments with calls of each operation. */
async function openPair(chance: Chance): Promise<RailsPair> {
  const tables = new Tables(PARTITIONS, () => 0);
  const move = { partition: 0, epoch: 0n, from: at(0, 1), to: at(1) };
  const batch = buildBatch(move);
  const all: RailCall[] = [];
  for (let count = 0; count < 2; count += 1) {
    const paymentId = makeId('pay', randomBytes(16));
    const dueAtMs = Date.now() - 5_000;
    const own = { merchantId, environment: 'LIVE', dueAtMs } as const;
    batch.created.push(buildNewPayment(paymentId, own));
    const planned = buildCalls(paymentId);
    all.push(...planned);
    for (const call of planned) {
      const { id, rail, operation } = call;
      const request = encodeRailCall(call);
      batch.railCalls.push({ id, paymentId, rail, operation, request, waitedMs: 0 });
      if (call.operation !== 'refund') continue;
      const refund = { id: call.refundId, paymentId, merchantId, environment: 'LIVE' };
      batch.refunds.push({ ...refund, status: 'asked', createdAtMs: dueAtMs });
      const details = JSON.stringify({ orderId: call.orderId });
      batch.tasks.push({ id: `task_${paymentId}`, kind: 'attempt_unresolved', paymentId, details });
    }
  }
  await commitBatch(sql, batch);
  commitToTables(tables, batch, Date.now());
  return { chance, sql, tables, calls: all, sentAt: new Map(), claimed: [] };
}

function buildCalls(paymentId: PaymentId): RailCall[] {
  const orderId = deriveOrderId(paymentId, 1);
  const money = { amountMinor: makeMinor(15_000n), currency: 'IDR' } as const;
  const nameCall = (number: number) => ({ id: `call_${paymentId.slice(4)}${number}` });
  const base = { paymentId, rail: RAIL, orderId } as const;
  const expiresAtMs = Date.now() + HOUR_MS;
  const refund = { railReference: null, railTransactionId: 'tx', method: 'QRIS' } as const;
  return [
    ...[1, 2].map((number): RailCall => {
      const order = { ...base, orderId: deriveOrderId(paymentId, number) };
      const charge = { operation: 'charge', method: 'QRIS', expiresAtMs } as const;
      return { ...nameCall(number), ...order, ...charge, ...money };
    }),
    { ...nameCall(3), ...base, operation: 'close', purpose: 'cancel', railReference: null },
    {
      ...{ ...nameCall(4), ...base, operation: 'refund', ...refund, ...money },
      refundId: makeId('ref', randomBytes(16)),
    },
  ];
}

async function compareRails(t: Test, pair: RailsPair, seed: number): Promise<boolean> {
  const { chance, tables } = pair;
  const name = (error: unknown): string => String(error);
  for (let count = 0; count < OPERATIONS; count += 1) {
    const operation = chance.pick(RAILS_OPERATIONS)(pair);
    const expected = await answer(operation.real, name);
    const found = await answer(() => operation.model({ tables, nowMs: Date.now() }), name);
    if (!t.strictSame(found, expected, `seed ${seed}, operation ${count}`)) return false;
  }
  return compareRows(t, tables);
}

async function compareRows(t: Test, tables: Tables): Promise<boolean> {
  const stored = await sql<Record<string, unknown>[]>`
    select id, number, step, callbacks, fast_step as "fastStep", absences, closes,
           close_id as "closeId", reference, to_json(unconfirmed) as unconfirmed,
           extract(epoch from due_at)::float8 * 1000 as "dueAtMs",
           extract(epoch from leased_until)::float8 * 1000 as "leasedUntilMs"
      from status_inquiries order by id`;
  const modelled = byId(tables.statusInquiries.values());
  for (const [index, row] of stored.entries()) {
    const found: Record<string, unknown> = { ...modelled[index] };
    for (const [column, value] of Object.entries(row)) {
      const own = found[column];
      const isTime = typeof value === 'number' && typeof own === 'number' && column.endsWith('Ms');
      if (isTime) t.ok(Math.abs(value - own) < TOLERANCE_MS, `${column} of ${String(row['id'])}`);
      else t.strictSame(own, value, column);
    }
  }
  const states = await sql<{ id: string; state: string; isBegun: boolean; isUnknown: boolean }[]>`
    select id, state, begun_at is not null as "isBegun", unknown_at is not null as "isUnknown"
      from rail_calls order by id`;
  const calls = byId(tables.railCalls.values()).map(({ id, state, begunAtMs, unknownAtMs }) => {
    return { id, state, isBegun: begunAtMs !== null, isUnknown: unknownAtMs !== null };
  });
  t.strictSame(calls, [...states]);
  const tasks = await sql<object[]>`select id, status from operator_tasks order by id`;
  const known = byId(tables.tasks.values()).map(({ id, status }) => ({ id, status }));
  return t.strictSame(known, [...tasks]) && t.passing();
}
