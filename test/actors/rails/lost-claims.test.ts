// Claims of calls that nobody knows of any more: a failover of Postgres may have lost them, so a charge is not made again; or the
// process that claimed the call is gone, so status inquiries go on until they have answered it.
import t from 'tap';
import type { RailCall } from '#actors/core/payment/rail-calls.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { ACCEPTED, UNKNOWN } from '#test/support/rails/scripted-rail.js';
import { encodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import { openChargeStage } from '#test/support/rails/stored-charges.js';

const ABSENT = { ...UNKNOWN, isAbsent: true } as const;
const OPEN = { result: 'open', charge: ACCEPTED } as const;

const { sql, merchantId, midtrans, startCharge, findAnswer } = await openChargeStage(t);

/** As if a standby had been promoted `agoS` seconds ago. */
async function promote(agoS: number): Promise<void> {
  await sql`delete from postgres_timelines`;
  await sql`insert into postgres_timelines (timeline, first_seen_at) values (0, 'epoch')`;
  await sql`select note_timeline()`;
  await sql`
    update postgres_timelines set first_seen_at = now() - ${agoS} * interval '1 second'
     where timeline <> 0`;
}

t.test('without a failover, a charge is made at once', async (t) => {
  const call = await startCharge();
  t.match(await findAnswer(call), /"accepted"/);
  t.equal(midtrans.count('charge', call.orderId), 1);
});

t.test('a charge whose claim a failover may have lost is not made again', async (t) => {
  midtrans.answer('lookUp', () => OPEN);
  await promote(0);
  const found = await startCharge();
  t.match(await findAnswer(found), /"accepted"/, 'a status inquiry finds its order');
  midtrans.answer('lookUp', () => ABSENT);
  await promote(0);
  const absent = await startCharge();
  await waitUntil('its outcome is unknown', async () => {
    const rows = await sql`
      select from rail_calls where id = ${absent.id} and unknown_at is not null`;
    return rows.length === 1 && midtrans.count('lookUp', absent.orderId) > 0;
  });
  for (const { orderId } of [found, absent]) t.equal(midtrans.count('charge', orderId), 0);
});

t.test('a charge whose refusal was applied again waits for no answer of its rail', async (t) => {
  for (const answer of [ABSENT, UNKNOWN]) {
    midtrans.answer('lookUp', () => answer);
    await promote(0);
    const refused = await startCharge((charge) => ({
      ...{ type: 'charge_answered', paymentId: charge.paymentId, orderId: charge.orderId },
      answer: { result: 'refused' },
    }));
    t.equal(await findAnswer(refused), '', 'no command follows');
    t.equal(midtrans.count('charge', refused.orderId), 0);
    const [inquiry] = await sql`select due_at from status_inquiries where id = ${refused.orderId}`;
    t.not(inquiry?.['due_at'], null, 'inquiries go on, in case that the order shows up');
  }
});

t.test('the first claim on a new timeline is doubtful itself', async (t) => {
  midtrans.answer('lookUp', () => OPEN);
  await sql`delete from postgres_timelines`;
  await sql`insert into postgres_timelines (timeline, first_seen_at) values (0, 'epoch')`;
  const call = await startCharge();
  t.match(await findAnswer(call), /"accepted"/);
  t.equal(midtrans.count('charge', call.orderId), 0);
});

t.test('a timeline that was seen before another one is a new one', async (t) => {
  const [row] = await sql<{ timeline: number }[]>`select read_timeline() as timeline`;
  await sql`delete from postgres_timelines`;
  for (const timeline of [row?.timeline ?? 0, 77]) {
    await sql`insert into postgres_timelines (timeline, first_seen_at) values (${timeline}, 'epoch')`;
  }
  const [noted] = await sql<{ isNow: boolean }[]>`
    select note_timeline() > now() - interval '1 minute' as "isNow"`;
  t.equal(noted?.isNow, true, 'the database was restored into another cluster');
});

t.test('a charge that was requested after the failover is made at once', async (t) => {
  await promote(3);
  const call = await startCharge();
  t.match(await findAnswer(call), /"accepted"/);
  t.equal(midtrans.count('lookUp', call.orderId), 0);
});

t.test(
  'a close that nobody made is answered, though its order was reversed meanwhile',
  async (t) => {
    const charge = await startCharge();
    const { paymentId, rail, orderId } = charge;
    await findAnswer(charge);
    const close: RailCall = {
      ...{ id: `${charge.id}c`, operation: 'close', purpose: 'expire' },
      ...{ paymentId, rail, orderId, railReference: null },
    };
    await sql`
    insert into rail_calls (id, payment_id, merchant_id, rail, operation, request, due_at, state, sent_at)
    values (${close.id}, ${paymentId}, ${merchantId}, ${rail}, 'close', ${encodeRailCall(close)}, now(),
            'sent', now())`;
    midtrans.answer('lookUp', () => ({ result: 'reversed', railTransactionId: 'tx-1' }));
    const inquire = () => sql`update status_inquiries set due_at = now() where id = ${orderId}`;
    await inquire();
    await waitUntil('an inquiry has found the reversal', async () => {
      const rows = await sql`
      select from status_inquiries where id = ${orderId} and leased_until is null and inquired_at is not null`;
      return rows.length === 1 && midtrans.count('lookUp', orderId) > 0;
    });
    const [inquiry] = await sql`select due_at from status_inquiries where id = ${orderId}`;
    t.not(inquiry?.['due_at'], null, 'another inquiry follows');
    await sql`update rail_calls set sent_at = now() - interval '1 minute' where id = ${close.id}`;
    await inquire();
    await waitUntil('the close is answered', async () => {
      const rows = await sql`select from rail_calls where id = ${close.id} and state = 'answered'`;
      return rows.length === 1;
    });
  },
);
