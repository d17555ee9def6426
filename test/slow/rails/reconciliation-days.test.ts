// Reconciliation of a day, by the command and in the rails process: it finds exactly the planted differences, opens one task
// for each, and moves money only through status inquiries.
import t from 'tap';
import { findLastRailDay } from '#actors/core/tasks/rail-days.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import {
  findNoon,
  listDifferences as found,
  type Output,
  runReconcile as run,
} from '#test/support/rails/reconciled.js';
import { startRails, startRailService } from '#test/support/rails/service.js';

const DAY_MS = 24 * 3_600_000;
const AMOUNT = '25000';

t.test('a day with differences', async (t) => {
  const service = await startRailService(t, { RAIL_SYNC_SCHEDULE: '600', RAIL_TIMEOUT_MS: '5000' });
  const { simulated, sql, create, statusOf, databaseUrl } = service;
  const { control, plan } = simulated;
  await startRails(service);
  const nowMs = Date.now();
  const day = findLastRailDay(nowMs);
  const paidAt = findNoon(day).toISOString();
  const reconcile = (...words: string[]) =>
    run(databaseUrl, ['--date', day, '--wait', '30', '--json', ...words]);

  const open = async (method: string) => {
    const { body } = await create(method, AMOUNT);
    return { id: String(body['id']), orderId: String(body['order_id']) };
  };
  const pay = async (method: string, isLost = false) => {
    const made = await open(method);
    if (isLost) await plan({ kind: 'lost', operation: 'callback' });
    await control('POST', 'pay', { order_id: made.orderId });
    await plan();
    if (!isLost) {
      await waitUntil('paid', async () => (await statusOf(made.id)) === 'paid');
    }
    await control('POST', `orders/${made.orderId}/amend`, { paid_at: paidAt });
    return made;
  };
  // QRIS goes to the rail without a list, VA_BCA to the rail with one.
  const alike = [await pay('QRIS'), await pay('VA_BCA')];
  const lost = [await pay('QRIS', true), await pay('VA_BCA', true)];
  const amended = [await pay('QRIS'), await pay('VA_BCA')];
  for (const { orderId } of amended) {
    await control('POST', `orders/${orderId}/amend`, { amount: '24000' });
  }
  const forgotten = [await pay('QRIS'), await pay('VA_BCA'), await open('QRIS')];
  for (const { orderId } of forgotten) await control('POST', `orders/${orderId}/forget`, {});
  const orphan = (await control('POST', 'orphans', {
    ...{ rail: 'xendit', method: 'VA_BCA', amount: '77000', paid_at: paidAt },
  })) as { orderId: string };
  // Dates everything back into the day.
  await sql`update rail_transactions set booked_at = ${paidAt}`;
  await sql`
    update rail_calls
       set request = (request::jsonb || jsonb_build_object('expiresAtMs',
                       ${Date.parse(paidAt)}::float8::bigint))::text
     where operation = 'charge'`;

  const money = await sql`select account, amount::text from balances order by account`;
  const tasks = () =>
    sql<{ details: string; paymentId: string }[]>`
      select details, payment_id as "paymentId" from operator_tasks
       where kind = 'rail_difference' order by id`;
  const sums = ({ lines }: Output) =>
    lines.flatMap((line) => ('matched' in line ? [[line['rail'], line['matched']]] : []));
  const lasting = [
    ...amended.map(({ orderId }) => [orderId, 'differing', 'amount', AMOUNT, '24000']),
    ...forgotten.map(({ orderId }, index) => [
      ...[orderId, 'missing', 'status'],
      ...[index === 2 ? 'open' : 'settled', 'absent'],
    ]),
    [orphan.orderId, 'orphan', 'status', 'absent', 'settled 77000 IDR'],
  ];
  const passing = lost.map(({ orderId }) => [orderId, 'differing', 'status', 'pending', 'settled']);

  await t.test('the first reconciliation finds exactly the planted differences', async (t) => {
    const first = await reconcile();
    t.equal(first.code, 1, first.text);
    t.strictSame(found(first), [...lasting, ...passing].sort());
    t.strictSame(sums(first), [
      ['midtrans', 1],
      ['xendit', 1],
    ]);
    t.equal(
      (await tasks()).length,
      lasting.length - 1 + passing.length,
      'the orphan gets its task from its inquiry',
    );
    t.strictSame(
      (await tasks()).map(({ paymentId }) => paymentId).sort(),
      [...amended, ...forgotten, ...lost].map(({ id }) => id).sort(),
    );
  });

  await t.test('status inquiries book lost settlements and the orphan', async (t) => {
    for (const { id } of lost) {
      await waitUntil('it is paid', async () => (await statusOf(id)) === 'paid');
    }
    await waitUntil('the orphan has its task', async () => {
      const rows = await sql`select details from operator_tasks where kind = 'unknown_order'`;
      return rows.length === 1 && String(rows[0]?.['details']).includes(orphan.orderId);
    });
    const [suspense] = await sql`
      select amount::text from balances where account = 'platform_suspense:LIVE:IDR'`;
    t.equal(suspense?.['amount'], '77000');
    t.strictSame((await verifyLedger(sql)).faults, []);
    for (const { id } of [...alike, ...amended]) t.equal(await statusOf(id), 'paid');
    t.ok(money.length > 0);
  });

  await t.test(
    'a repeated reconciliation finds lasting differences again and opens no task',
    async (t) => {
      await sql`update rail_transactions set booked_at = ${paidAt}
                 where booked_at > ${new Date(nowMs)}`;
      const before = await tasks();
      const balances = await sql`select account, amount::text from balances order by account`;
      const again = await reconcile();
      t.equal(again.code, 1, again.text);
      t.strictSame(found(again), lasting.sort());
      t.strictSame(sums(again), [
        ['midtrans', 2],
        ['xendit', 2],
      ]);
      t.strictSame(await tasks(), before);
      t.strictSame(
        await sql`select account, amount::text from balances order by account`,
        balances,
        'no money has moved',
      );
      const one = await reconcile('--rail', 'midtrans');
      t.strictSame(sums(one), [['midtrans', 2]], 'one rail alone');
    },
  );

  await t.test(
    'the reconciliation of a silent rail is postponed and continues at its page',
    async (t) => {
      await plan({ kind: 'server_error', operation: 'list' });
      const silent = await run(databaseUrl, ['--date', day, '--rail', 'xendit', '--wait', '3']);
      t.match(silent.text, /not done yet: list, the rail was silent 1 times/);
      t.equal(silent.code, 1, silent.text);
      await plan();
      t.equal((await reconcile('--rail', 'xendit')).code, 1);
    },
  );

  await t.test('the reconciliation of a killed process is continued by the next one', async (t) => {
    await plan({ kind: 'latency', operation: 'list', ms: 5_000 });
    const running = reconcile('--rail', 'xendit');
    await waitUntil('it is under way', async () => {
      const rows = await sql`select from rail_reconciliations where leased_until > now()`;
      return rows.length === 1;
    });
    await service.rails.kill();
    await plan();
    // Its lease is a minute.
    await sql`update rail_reconciliations set leased_until = now()`;
    const before = await tasks();
    await service.rails.start();
    const done = await running;
    t.equal(done.code, 1, done.text);
    t.strictSame(sums(done), [['xendit', 2]]);
    t.strictSame(await tasks(), before);
  });

  await t.test('a day without payments exits with 0, invalid options with 2', async (t) => {
    const quiet = await run(databaseUrl, ['--date', '2026-01-02', '--wait', '30']);
    t.equal(quiet.code, 0, quiet.text);
    t.match(quiet.text, /xendit 2026-01-02: 0 matched, 0 missing, 0 orphans, 0 differing/);
    const today = new Date(nowMs + DAY_MS).toISOString().slice(0, 10);
    for (const words of [[], ['--date', '2026-02-30'], ['--date', today], ['--date', day, 'x']]) {
      t.equal((await run(databaseUrl, words)).code, 2, words.join(' '));
    }
    t.equal((await run(databaseUrl, ['--date', day, '--rail', 'other'])).code, 2);
  });

  await t.test('metrics show differences and the age of the last reconciled day', async (t) => {
    await waitUntil('the metrics are polled', async () => {
      const page = await (
        await fetch(`http://127.0.0.1:${service.rails.metricsPort}/metrics`)
      ).text();
      return (
        page.includes('kasir_rail_reconciliation_differences{rail="xendit",kind="orphan"} 1') &&
        /^kasir_rail_reconciliation_age_seconds\{rail="midtrans"\} [1-9]/m.test(page)
      );
    });
    t.pass('differences and age');
  });
});
