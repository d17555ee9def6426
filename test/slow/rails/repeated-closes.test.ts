// Closes that are made again until the rail confirms them, through a service with scripted rails.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { uniqueWord } from '#test/support/processes.js';
import { startLiveService } from '#test/support/rails/live.js';
import {
  ACCEPTED,
  REFUSED,
  startScriptedRail,
  UNKNOWN,
} from '#test/support/rails/scripted-rail.js';

const CLOSED = { result: 'closed' } as const;
const OPEN = { result: 'open', charge: ACCEPTED } as const;

const first = await startScriptedRail(t, 'midtrans');
const second = await startScriptedRail(t, 'xendit');
const { live, sql } = await startLiveService(t, { rails: [first, second] });
const statusOf = async (id: unknown) => (await live.get(id)).body['status'];
const reset = (): void => {
  for (const rail of [first, second]) {
    rail.answer('charge', () => ACCEPTED);
    rail.answer('lookUp', () => OPEN);
  }
};

await t.test('a cancel that is lost three times is made again until it is confirmed', async (t) => {
  reset();
  let closes = 0;
  let isClosed = false;
  first.answer('close', () => {
    closes += 1;
    isClosed ||= closes > 3;
    return isClosed ? CLOSED : UNKNOWN;
  });
  first.answer('lookUp', () => (isClosed ? CLOSED : OPEN));
  const { body } = await live.create({ amount: '25000', payment_method: 'QRIS' }, uniqueWord());
  const { status, code } = await live.cancel(body['id']);
  t.same([status, code], [504, 'outcome_unknown'], 'an order that is open is no refusal');
  await sql`update rail_calls set due_at = now() where state = 'due'`;
  await waitUntil('it is cancelled', async () => {
    await sql`update rail_calls set due_at = now() where state = 'due'`;
    return (await statusOf(body['id'])) === 'cancelled';
  });
  t.equal(first.count('charge', String(body['order_id'])), 1);
});

await t.test(
  'a superseded order whose close is refused and lost is closed in the end',
  async () => {
    reset();
    first.answer('charge', () => REFUSED);
    const { body } = await live.create({ amount: '25000', payment_method: 'QRIS' }, uniqueWord());
    const { id, order_id: orderId } = body;
    const refused = first.asked.findLast(({ operation }) => operation === 'charge')?.orderId ?? '';
    // The rail took the first order although it refused it, and its customer paid it.
    const settlement = {
      ...{ rail: 'midtrans', railTransactionId: uniqueWord(), orderId: refused },
      ...{ amountMinor: '25000', currency: 'IDR', settledAtMs: null },
    };
    first.answer('lookUp', () => ({ result: 'settled', settlement }));
    let closes = 0;
    second.answer('close', () => {
      closes += 1;
      return closes === 1 ? REFUSED : closes === 2 ? UNKNOWN : CLOSED;
    });
    second.answer('lookUp', () => (closes > 2 ? CLOSED : OPEN));
    await sql`update status_inquiries set due_at = now() where id = ${refused}`;
    await waitUntil('it is paid', async () => (await statusOf(id)) === 'paid');
    await waitUntil('the other order is closed', async () => {
      await sql`update rail_calls set due_at = now() where state = 'due'`;
      return second.count('close', String(orderId)) >= 3;
    });
  },
);
