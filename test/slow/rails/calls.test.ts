// LIVE payments through real gateway and payments processes, Redis and Postgres, at scripted rails.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { storeCallback } from '#store/postgres/rails/callbacks.js';
import { uniqueWord } from '#test/support/processes.js';
import { startLiveService } from '#test/support/rails/live.js';
import {
  ACCEPTED,
  REFUSED,
  startScriptedRail,
  UNKNOWN,
} from '#test/support/rails/scripted-rail.js';

const BODY = { amount: '25000', payment_method: 'QRIS' };

t.test('a LIVE create', async (t) => {
  const first = await startScriptedRail(t, 'midtrans');
  const second = await startScriptedRail(t, 'xendit');
  const { live, sql, sent } = await startLiveService(t, { rails: [first, second] });
  const create = (body: object = BODY) => live.create(body, uniqueWord());
  const reset = (): void => {
    first.answer('charge', () => ACCEPTED);
    second.answer('charge', () => ACCEPTED);
    first.answer('lookUp', () => UNKNOWN);
  };
  const settledAs = (orderId: string, amountMinor = '25000', id = uniqueWord()) => ({
    result: 'settled',
    settlement: {
      rail: 'midtrans',
      railTransactionId: id,
      orderId,
      amountMinor,
      currency: 'IDR',
      settledAtMs: null,
    },
  });

  await t.test(
    'a create that the first rail accepts is 201, and its repeat calls no rail',
    async (t) => {
      reset();
      const key = uniqueWord();
      const { status, body } = await live.create(BODY, key);
      t.equal(status, 201);
      t.match(body, { status: 'pending', environment: 'LIVE' });
      t.equal(first.count('charge', String(body['order_id'])), 1);
      t.equal(second.count('charge'), 0);
      const repeat = await live.create(BODY, key);
      t.equal(repeat.status, 200);
      t.equal(repeat.body['id'], body['id']);
      t.equal(first.count('charge'), 1, 'the repeat calls no rail');
      await waitUntil('the pending command is applied and deleted', async () => {
        const [row] = await sql`select count(*)::int as pending from rail_facts`;
        return row?.['pending'] === 0;
      });
    },
  );

  await t.test('a create that the first rail refuses goes to the second rail', async (t) => {
    reset();
    first.answer('charge', () => REFUSED);
    const { status, body } = await create();
    t.equal(status, 201);
    t.equal(second.count('charge', String(body['order_id'])), 1);
  });

  await t.test('a create that every rail refuses is 502 and names no rail', async (t) => {
    reset();
    first.answer('charge', () => REFUSED);
    second.answer('charge', () => REFUSED);
    const { status, code, body, text } = await create();
    t.equal(status, 502);
    t.equal(code, 'payment_processing_failed');
    t.notMatch(text, /midtrans|xendit/i);
    const { payment_id: id } = body['error'] as Record<string, unknown>;
    const found = await live.get(id);
    t.match(found.body, { status: 'failed', failure_code: 'processing_failed' });
  });

  await t.test('a create whose answer is lost is inquired and charged once', async (t) => {
    reset();
    const before = first.count('charge');
    first.answer('charge', () => UNKNOWN);
    first.answer('lookUp', () => ({ result: 'open', charge: ACCEPTED }));
    const { status, body } = await create();
    t.equal(status, 201);
    t.equal(body['status'], 'pending');
    t.equal(first.count('charge'), before + 1);
    t.equal(second.count('charge', String(body['order_id'])), 0);
  });

  await t.test(
    'a create whose outcome stays unknown is 504, and paid when the money is found',
    async (t) => {
      reset();
      const others = second.count('charge');
      first.answer('charge', () => UNKNOWN);
      const { status, code, body } = await create();
      t.equal(status, 504);
      t.equal(code, 'outcome_unknown');
      const { payment_id: id } = body['error'] as Record<string, unknown>;
      t.equal(
        (await live.get(id)).body['status'],
        'pending',
        'an unknown outcome is not a failure',
      );
      first.answer('lookUp', ({ orderId }) => settledAs(orderId));
      await waitUntil('it is paid', async () => (await live.get(id)).body['status'] === 'paid');
      const { body: paid } = await live.get(id);
      t.equal(first.count('charge', String(paid['order_id'])), 1);
      t.equal(second.count('charge'), others, 'no other rail is charged after an unknown outcome');
    },
  );

  await t.test(
    'a create that settles before its answer arrives is paid, and the answer is dropped',
    async (t) => {
      reset();
      let release: (() => void) | undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      first.answer('charge', async () => {
        await held;
        return ACCEPTED;
      });
      first.answer('lookUp', ({ orderId }) => settledAs(orderId));
      const charges = first.count('charge');
      const creating = create();
      await waitUntil('the rail is called', () => first.count('charge') > charges);
      const orderId = first.asked.at(-1)?.orderId ?? '';
      await sql`update status_inquiries set due_at = now() where id = ${orderId}`;
      const { status, body } = await creating;
      t.equal(status, 201);
      t.equal(body['status'], 'paid');
      release?.();
      await waitUntil('all answers are recorded', async () => {
        const [row] =
          await sql`select count(*)::int as calls from rail_calls where state <> 'answered'`;
        return row?.['calls'] === 0;
      });
      t.equal((await live.get(body['id'])).body['status'], 'paid');
      t.notOk(
        sent.some((one) => one.type === 'charge_answered' && one.orderId === orderId),
        'the late answer was dropped',
      );
    },
  );

  await t.test('a settlement of another amount goes to suspense', async (t) => {
    reset();
    const { body } = await create();
    first.answer('lookUp', ({ orderId }) => settledAs(orderId, '24999'));
    await waitUntil('there is a task', async () => {
      const rows =
        await sql`select kind from operator_tasks where payment_id = ${String(body['id'])}`;
      return rows[0]?.['kind'] === 'settlement_suspended';
    });
    t.equal((await live.get(body['id'])).body['status'], 'pending');
  });

  await t.test('a cancel closes the order at its rail once, and the answer decides', async (t) => {
    reset();
    first.answer('close', () => ({ result: 'closed' }));
    const one = await create();
    const cancelled = await live.cancel(one.body['id']);
    t.equal(cancelled.status, 200);
    t.equal(cancelled.body['status'], 'cancelled');
    first.answer('close', () => REFUSED);
    const two = await create();
    t.equal((await live.cancel(two.body['id'])).status, 409);
    t.equal((await live.get(two.body['id'])).body['status'], 'pending');
    first.answer('close', () => UNKNOWN);
    const three = await create();
    first.answer('lookUp', () => UNKNOWN);
    t.equal((await live.cancel(three.body['id'])).status, 504);
    first.answer('lookUp', () => ({ result: 'closed' }));
    await waitUntil('the inquiry finds it closed', async () => {
      return (await live.get(three.body['id'])).body['status'] === 'cancelled';
    });
    t.equal(first.count('close', String(three.body['order_id'])), 1, 'closed once');
  });

  await t.test('a pending refund succeeds by a status inquiry', async (t) => {
    reset();
    first.answer('lookUp', ({ orderId }) => settledAs(orderId));
    const { body } = await create();
    await waitUntil('paid', async () => (await live.get(body['id'])).body['status'] === 'paid');
    first.answer('refund', () => ({ result: 'pending', railReference: 'r1' }));
    first.answer('lookUpRefund', () => ({ result: 'pending', railReference: 'r1' }));
    const refund = await live.call('/v1/refunds', {
      method: 'POST',
      body: { payment_id: body['id'] },
      headers: { 'idempotency-key': uniqueWord() },
    });
    t.equal(refund.status, 201);
    t.equal(refund.body['status'], 'PENDING');
    first.answer('lookUpRefund', () => ({ result: 'succeeded', railReference: 'r1' }));
    await waitUntil('refunded', async () => {
      return (await live.get(body['id'])).body['status'] === 'refunded';
    });
    t.equal(first.count('refund'), 1);
  });

  await t.test('a failed refund that its rail later reports as made opens a task', async (t) => {
    reset();
    first.answer('lookUp', ({ orderId }) => settledAs(orderId));
    const { body } = await create();
    await waitUntil('paid', async () => {
      return (await live.get(body['id'])).body['status'] === 'paid';
    });
    first.answer('refund', () => ({ result: 'failed' }));
    const refund = await live.call('/v1/refunds', {
      method: 'POST',
      body: { payment_id: body['id'] },
      headers: { 'idempotency-key': uniqueWord() },
    });
    t.match(refund.body, { status: 'FAILED' });
    // The first inquiry after the callback fails and is repeated.
    const answers: object[] = [UNKNOWN];
    const succeeded = { result: 'succeeded', railReference: 'r3' };
    first.answer('lookUpRefund', () => answers.shift() ?? succeeded);
    const id = String(refund.body['id']);
    const callback = {
      rail: 'midtrans',
      dedupeKey: uniqueWord(),
      subject: { kind: 'refund', id, reference: null },
      reports: 'ended',
      amount: null,
      currency: null,
      body: Buffer.from('{}'),
    } as const;
    t.match(await storeCallback(sql, callback, 1_000), { status: 'taken' });
    await waitUntil('the contradiction is a task', async () => {
      const rows = await sql`
        select from operator_tasks
         where payment_id = ${String(body['id'])} and kind = 'refund_contradicted'`;
      return rows.length === 1;
    });
    const { body: payment } = await live.get(body['id']);
    t.match(payment, { status: 'paid', refundable_amount: '0' }, 'the rail has paid it back');
  });

  await t.test('a refund that its rail never answers becomes one operator task', async (t) => {
    reset();
    first.answer('lookUp', ({ orderId }) => settledAs(orderId));
    const { body } = await create();
    const paymentId = String(body['id']);
    await waitUntil('paid', async () => (await live.get(paymentId)).body['status'] === 'paid');
    first.answer('refund', () => ({ result: 'pending', railReference: 'r2' }));
    first.answer('lookUpRefund', () => UNKNOWN);
    const refund = await live.call('/v1/refunds', {
      method: 'POST',
      body: { payment_id: paymentId },
      headers: { 'idempotency-key': uniqueWord() },
    });
    t.equal(refund.body['status'], 'PENDING');
    const tasks = () => sql`
      select kind, details::json ->> 'refundId' as refund from operator_tasks
       where payment_id = ${paymentId} and kind = 'refund_unresolved'`;
    const inquire = async (until: string): Promise<void> => {
      const [before] = await sql`
        update status_inquiries set due_at = now(), inquire_until = now() + ${until}::text::interval
         where payment_id = ${paymentId} and kind = 'refund' returning number`;
      await waitUntil('it was inquired', async () => {
        const [row] = await sql`
          select number, leased_until from status_inquiries
           where payment_id = ${paymentId} and kind = 'refund'`;
        return (
          Number(row?.['number']) > Number(before?.['number']) && row?.['leased_until'] === null
        );
      });
    };
    await inquire('1 hour');
    t.same(await tasks(), [], 'not yet');
    const [inquiry] = await sql`
      select due_at <= inquire_until as ends from status_inquiries
       where payment_id = ${paymentId} and kind = 'refund' and due_at is not null`;
    t.equal(inquiry?.['ends'], true, 'the last inquiry is made when inquiries end');
    await inquire('-1 second');
    const due = [{ kind: 'refund_unresolved', refund: refund.body['id'] }];
    t.same(await tasks(), due);
    await inquire('-1 second');
    t.same(await tasks(), due, 'once');
    const [ended] = await sql`
      select due_at from status_inquiries where payment_id = ${paymentId} and kind = 'refund'`;
    t.equal(ended?.['due_at'], null, 'no inquiry follows');
  });

  // The last: the first rail stays unavailable for a moment.
  await t.test('a rail that cannot be reached is passed by after five charges', async (t) => {
    reset();
    const before = first.count('charge');
    first.answer('charge', () => ({ result: 'not_sent' }));
    for (let times = 0; times < 8; times += 1) {
      const { status, body } = await create();
      t.equal(status, 201, 'the second rail takes it');
      t.equal(second.count('charge', String(body['order_id'])), 1);
    }
    t.equal(first.count('charge') - before, 5);
    first.answer('charge', () => ACCEPTED);
    await waitUntil('the first rail is tried again', async () => {
      await create();
      return first.count('charge') - before > 5;
    });
  });
});
