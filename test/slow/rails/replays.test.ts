// A LIVE create, repeated with its key after a 504, is answered by its payment, whatever is unavailable by then.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { pauseAvailability } from '#store/postgres/rails/rail-availability.js';
import { uniqueWord } from '#test/support/processes.js';
import { startLiveService } from '#test/support/rails/live.js';
import { ACCEPTED, startScriptedRail, UNKNOWN } from '#test/support/rails/scripted-rail.js';

const BODY = { amount: '25000', payment_method: 'QRIS' };

t.test('a repeat after a 504', async (t) => {
  const rail = await startScriptedRail(t, 'midtrans');
  const service = await startLiveService(t, {
    rails: [rail],
    timeoutMs: 2_000,
    variables: { LIVE_WAIT_MS: '1000' },
  });
  const { live, sql, payments } = service;
  rail.answer('charge', () => UNKNOWN);
  const key = uniqueWord();
  const first = await live.create(BODY, key);
  t.equal(first.code, 'outcome_unknown');
  const { payment_id: id } = first.body['error'] as Record<string, unknown>;

  const turn = (name: string, isOn: boolean) => sql`
    insert into switches (name, is_on) values (${name}, ${isOn})
    on conflict (name) do update set is_on = excluded.is_on`;
  const limit = (minAmount: number) => sql`update rail_offers set min_amount = ${minAmount}`;
  /** `code`: the answer to a first create. */
  const situations = [
    {
      what: 'all rails pause',
      begin: () => pauseAvailability(sql, 'midtrans', 60_000),
      end: () => pauseAvailability(sql, 'midtrans', 0),
      code: 'payment_method_unavailable',
    },
    {
      what: 'no rail takes the amount',
      begin: () => limit(25_001),
      end: () => limit(1),
      code: 'payment_method_unavailable',
    },
    ...(
      [
        ['rail:midtrans', 'payment_method_unavailable'],
        ['method:QRIS', 'payment_method_unavailable'],
        ['live_creates', 'dependency_unavailable'],
      ] as const
    ).map(([name, code]) => ({
      what: `${name} is off`,
      begin: () => turn(name, false),
      end: () => turn(name, true),
      code,
    })),
  ];

  const hold = async (situation: (typeof situations)[number]): Promise<void> => {
    await situation.begin();
    await waitUntil(situation.what, async () => {
      return (await live.create(BODY, uniqueWord())).code === situation.code;
    });
  };

  await t.test('a repeat before the inquiry has an answer is outcome_unknown', async (t) => {
    const [situation] = situations;
    if (situation === undefined) return;
    await hold(situation);
    t.equal((await live.create(BODY, key)).code, 'outcome_unknown', situation.what);
    await situation.end();
  });

  rail.answer('lookUp', () => ({ result: 'open', charge: ACCEPTED }));
  await sql`update status_inquiries set due_at = now()`;
  await waitUntil('the inquiry finds it open', async () => {
    const [row] = await sql`select status from payments where id = ${String(id)}`;
    return row?.['status'] === 'pending';
  });

  await t.test('a repeat after the inquiry is a replay', async (t) => {
    for (const situation of situations) {
      await hold(situation);
      for (const isRemembered of [true, false]) {
        if (!isRemembered) {
          // A restarted payments process has to load the payment.
          await payments[0]?.stop();
          await payments[0]?.start();
        }
        const repeat = await live.create(BODY, key);
        t.equal(repeat.status, 200, `${situation.what}: ${repeat.text}`);
        t.match(repeat.body, { id, status: 'pending' });
        t.equal(repeat.headers['idempotent-replayed'], 'true');
      }
      const other = await live.create({ ...BODY, amount: '25001' }, key);
      t.equal(other.code, 'idempotency_conflict', `${situation.what}, another body`);
      await situation.end();
    }
  });

  await t.test('a repeat of a suspended merchant is live_not_enabled', async (t) => {
    await sql`update merchants set verification_status = 'SUSPENDED'`;
    await waitUntil('the merchant is suspended', async () => {
      return (await live.create(BODY, key)).code === 'live_not_enabled';
    });
    t.equal((await live.get(id)).code, 'live_not_enabled', 'as on every path');
    await sql`update merchants set verification_status = 'APPROVED'`;
    await waitUntil('the merchant is approved', async () => {
      return (await live.create(BODY, key)).status === 200;
    });
  });
});
