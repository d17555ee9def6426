// LIVE payments that are stored with their due charge at a scripted Midtrans, past gateway and payments process.
import { randomBytes } from 'node:crypto';
import { makeId, type MerchantId } from '#actors/core/ids.js';
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import type { RailCall } from '#actors/core/payment/rail-calls.js';
import { decide, deriveEffects, evolve } from '#actors/core/payment/state-machine.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import { encodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import { encodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { openCallStore } from '#actors/rails/calls/ports.js';
import { serveRails } from '#actors/rails/serve-rails.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { createLog } from '#ops/runtime/log.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { create } from '#test/core/payment/samples.js';
import { createTestMerchant } from '../processes.js';
import { createDatabase, type TestScope } from '../servers.js';
import { ACCEPTED, type ScriptedRail, startScriptedRail } from './scripted-rail.js';

/** Builds the command that was applied before the charge is claimed. */
type Next = (charge: RailCall) => PaymentCommand;

function apply(
  before: PaymentState | undefined,
  command: PaymentCommand,
): { readonly state: PaymentState; readonly calls: readonly RailCall[] } {
  let state = before;
  const calls: RailCall[] = [];
  for (const event of decide(state, command, Date.now()).events) {
    state = evolve(state, event);
    calls.push(...deriveEffects(state, event).railCalls);
  }
  if (state === undefined) throw new Error(`${command.type} creates no payment`);
  return { state, calls };
}

async function storeCharge(
  sql: Postgres,
  merchantId: MerchantId,
  next: Next | undefined,
): Promise<RailCall> {
  const paymentId = makeId('pay', randomBytes(16));
  const command = { ...create('LIVE', { paymentMethod: 'QRIS' }), paymentId, merchantId };
  const created = apply(undefined, command);
  const [call] = created.calls;
  if (call === undefined) throw new Error('the create has no charge');
  const { state } = next === undefined ? created : apply(created.state, next(call));
  await sql`
    insert into payments (id, merchant_id, environment, status, amount, currency, created_at, version, snapshot)
    values (${paymentId}, ${merchantId}, 'LIVE', ${state.status}, 150000, 'IDR', now(), ${state.version},
            ${encodeSnapshot(state)})`;
  await sql`
    insert into rail_calls (id, payment_id, merchant_id, rail, operation, request, due_at)
    values (${call.id}, ${paymentId}, ${merchantId}, 'midtrans', 'charge', ${encodeRailCall(call)}, now())`;
  return call;
}

const findAnswer = (sql: Postgres, { id }: RailCall): Promise<string> =>
  waitUntil('the call is answered', async () => {
    const [row] = await sql<{ answer: string | null }[]>`
      select answer from rail_calls where id = ${id} and state = 'answered'`;
    return row?.answer;
  });

export interface ChargeStage {
  readonly sql: Postgres;
  readonly merchantId: MerchantId;
  /** Accepts charges unless the test scripts other answers. */
  readonly midtrans: ScriptedRail;
  /** Stores a payment whose charge is due, and wakes the caller. */
  readonly startCharge: (next?: Next) => Promise<RailCall>;
  readonly findAnswer: (call: RailCall) => Promise<string>;
}

/** Serves one rail on a database of its own. `around` may replace the pool of the rails process. */
export async function openChargeStage(
  t: TestScope,
  around: (real: Postgres) => Postgres = (real) => real,
): Promise<ChargeStage> {
  const databaseUrl = await createDatabase(t);
  const { merchantId } = await createTestMerchant(databaseUrl, { isLiveEnabled: true });
  const sql = openPostgres(databaseUrl, 'test', 4);
  const midtrans = await startScriptedRail(t, 'midtrans');
  midtrans.answer('charge', () => ACCEPTED);
  const giveUp = new AbortController();
  const served = serveRails(
    {
      ...{ store: openCallStore(around(sql)), clock: SYSTEM_CLOCK },
      ...{ timeoutMs: 3_000, scheduleS: [60], isOn: () => true },
      ...{ send: () => undefined, onAnswer: () => undefined, giveUp: giveUp.signal },
      log: createLog({ logLevel: 'silent' }, 'rails'),
    },
    [midtrans.rail],
  );
  t.teardown(async () => {
    giveUp.abort();
    await served.stop();
    await sql.end({ timeout: 1 });
  });
  const startCharge = async (next?: Next): Promise<RailCall> => {
    const call = await storeCharge(sql, merchantId, next);
    served.wake(undefined);
    return call;
  };
  return { sql, merchantId, midtrans, startCharge, findAnswer: (call) => findAnswer(sql, call) };
}
