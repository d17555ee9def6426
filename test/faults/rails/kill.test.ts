// kill -9 of the rails process between every two steps of a call, and a rail that hangs.
//
// For a death between two statements the test runs the first one itself, with the store function that the process would
// have called; the process that starts afterwards finds what a killed one leaves behind.
import t from 'tap';
import { parseOrderId, parsePaymentId } from '#actors/core/ids.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import { decodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { claimCalls } from '#store/postgres/rails/claim-calls.js';
import { recordAnswers } from '#store/postgres/rails/record-answers.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { startRails, startRailService } from '#test/support/rails/service.js';

const CHARGES = { rail: 'midtrans', operation: 'charge' } as const;
const INSTRUCTIONS = { kind: 'qr', payload: 'answered before the kill' } as const;

t.test('a rails process that is killed', async (t) => {
  const service = await startRailService(t, {
    RAIL_SYNC_SCHEDULE: '1',
    RAIL_TIMEOUT_MS: '2000',
    LIVE_WAIT_MS: '25000',
  });
  const { simulated, rails, live, sql, create, statusOf, ordersOf } = service;
  await startRails(service);
  const orderOf = async (id: unknown) => (await live.get(id)).body['order_id'];
  const callOf = async (state: string) => {
    const rows = await sql`
      select id, payment_id, request from rail_calls where state = ${state} and operation = 'charge'`;
    return rows[0];
  };
  /** A create while no process makes calls; resolves with its answer, once its call is stored. */
  const createUnserved = async () => {
    await rails.kill();
    const creating = create('QRIS');
    await waitUntil('the call is stored', async () => (await callOf('due')) !== undefined);
    return { creating };
  };

  await t.test('before the claim leaves the call to another process', async (t) => {
    const { creating } = await createUnserved();
    await rails.start();
    const { status, body } = await creating;
    t.equal(status, 201);
    t.equal(await ordersOf(body['order_id']), 1);
  });

  await t.test('after the claim and before the call leaves it unmade and unknown', async (t) => {
    const { creating } = await createUnserved();
    t.equal((await claimCalls(sql, CHARGES, 10, 1_000)).length, 1);
    await rails.start();
    const { status, body } = await creating;
    t.equal(status, 504, 'the outcome is unknown');
    const { payment_id: id } = body['error'] as Record<string, unknown>;
    t.equal(await statusOf(id), 'pending');
    t.equal(await ordersOf(await orderOf(id)), 0);
    t.equal((await callOf('sent'))?.['payment_id'], id, 'inquiries go on');
    await sql`update rail_calls set state = 'answered' where payment_id = ${String(id)}`;
  });

  await t.test('during the call leaves one order, which an inquiry finds', async (t) => {
    await simulated.plan({ kind: 'no_answer', operation: 'charge', times: 1 });
    const before = await countOrders();
    const creating = create('QRIS');
    await waitUntil('the rail has it', async () => (await countOrders()) === before + 1);
    await rails.kill();
    await rails.start();
    const { status, body } = await creating;
    t.equal(status, 201);
    t.equal(await ordersOf(body['order_id']), 1);
    t.equal(await countOrders(), before + 1);
  });

  await t.test(
    'after the answer is stored and before its command is sent loses nothing',
    async (t) => {
      const { creating } = await createUnserved();
      const [claimed] = await claimCalls(sql, CHARGES, 10, 60_000);
      const call = decodeRailCall(claimed?.request ?? '');
      const { paymentId, orderId } = call;
      const answer = {
        result: 'accepted',
        railReference: 'r',
        instructions: INSTRUCTIONS,
      } as const;
      const command = encodeCommand({ type: 'charge_answered', paymentId, orderId, answer });
      const stored = {
        callId: call.id,
        command,
        inquiryId: orderId,
        inquireInMs: 600_000,
        reference: null,
      };
      t.strictSame(await recordAnswers(sql, [stored]), [true]);
      t.strictSame(await recordAnswers(sql, [stored]), [false], 'the first answer counts');
      await rails.start();
      const { status, body } = await creating;
      t.equal(status, 201);
      t.equal(parsePaymentId(String(body['id'])), paymentId);
      t.equal(parseOrderId(String(body['order_id'])), orderId);
      t.equal(await ordersOf(orderId), 0, 'no process called again');
    },
  );

  await t.test('twice after a settlement leaves the payment paid once', async (t) => {
    const { body } = await create('QRIS');
    await simulated.plan({ kind: 'lost', operation: 'callback' });
    await simulated.control('POST', 'pay', { order_id: body['order_id'] });
    for (let kills = 0; kills < 2; kills += 1) {
      await rails.kill();
      await rails.start();
    }
    await waitUntil('it is paid', async () => (await statusOf(body['id'])) === 'paid');
    const [events] = await sql`
      select count(*)::int as paid from payment_events
       where payment_id = ${String(body['id'])} and type = 'payment_paid'`;
    t.equal(events?.['paid'], 1);
  });

  await waitUntil('every answer is applied', async () => {
    const [row] = await sql`select count(*)::int as pending from rail_facts`;
    return row?.['pending'] === 0;
  });
  t.strictSame((await verifyLedger(sql)).faults, []);

  async function countOrders(): Promise<number> {
    const { data } = (await simulated.control('GET', 'orders')) as { data: object[] };
    return data.length;
  }
});

t.test(
  'a rail that hangs delays no other rail, is not offered, and is offered again after a probe',
  async (t) => {
    const HANGING = 300;
    const service = await startRailService(t, {
      RAIL_ROUTES: 'QRIS=midtrans;VA_BCA=xendit',
      RAIL_TIMEOUT_MS: '12000',
      LIVE_WAIT_MS: '40000',
      // With the usual ten a second, the last inquiry comes 20 s after the first, when a slow machine has no time left.
      RAIL_BUDGETS: 'inquiry=0',
    });
    const { simulated, test, create, methods } = service;
    await startRails(service);
    await simulated.plan({ kind: 'no_answer', operation: 'charge', rail: 'midtrans' });
    let answered = 0;
    const hanging = Array.from({ length: HANGING }, async () => {
      const { status } = await create('QRIS');
      answered += 1;
      return status;
    });
    await waitUntil('they wait at the rail', async () => {
      const { data } = (await simulated.control('GET', 'orders')) as { data: object[] };
      return data.length >= HANGING;
    });
    const others = Array.from({ length: 20 }, () => [
      create('VA_BCA'),
      test.create({ amount: '15000' }),
    ]);
    const statuses = (await Promise.all(others.flat())).map(({ status }) => status);
    t.ok(
      statuses.every((status) => status === 201),
      'the other rail and TEST go on',
    );
    t.equal(answered, 0, 'while all of the first rail still wait');

    await waitUntil('it is not offered', async () => {
      const offered = await methods();
      return !offered.includes('QRIS') && offered.includes('VA_BCA');
    });
    t.equal((await create('QRIS')).code, 'payment_method_unavailable');
    // Inquiries find the orders: the simulator took them.
    t.strictSame([...new Set(await Promise.all(hanging))], [201]);
    await simulated.plan();
    await waitUntil('it is offered again, and the probe is taken', async () => {
      return (await methods()).includes('QRIS') && (await create('QRIS')).status === 201;
    });
  },
);
