// A LIVE create, sent again with its key after a 504: its payment answers, whatever is offered or switched off by then.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { pauseAvailability } from '#store/postgres/rails/rail-availability.js';
import { uniqueWord } from '#test/support/processes.js';
import { startLiveService } from '#test/support/rails/live.js';
import { ACCEPTED, startScriptedRail, UNKNOWN } from '#test/support/rails/scripted-rail.js';

const DEADLINE_MS = 10_000;
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
  /** `code`: what a create gets that is the first of its payment. */
  const ways = [
    {
      what: 'all rails rest',
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

  const hold = async (way: (typeof ways)[number]): Promise<void> => {
    await way.begin();
    await waitUntil(way.what, DEADLINE_MS, async () => {
      return (await live.create(BODY, uniqueWord())).code === way.code;
    });
  };

  await t.test('while its rail has not answered it is unknown still', async (t) => {
    const [way] = ways;
    if (way === undefined) return;
    await hold(way);
    t.equal((await live.create(BODY, key)).code, 'outcome_unknown', way.what);
    await way.end();
  });

  rail.answer('lookUp', () => ({ result: 'open', charge: ACCEPTED }));
  await sql`update rail_watches set look_at = now()`;
  await waitUntil('the look-up tells', DEADLINE_MS, async () => {
    const [row] = await sql`select status from payments where id = ${String(id)}`;
    return row?.['status'] === 'pending';
  });

  await t.test('once it has, it is a replay', async (t) => {
    for (const way of ways) {
      await hold(way);
      for (const isRemembered of [true, false]) {
        if (!isRemembered) {
          // A payments process that has not seen the payment has to ask for it.
          await payments[0]?.stop();
          await payments[0]?.start();
        }
        const repeat = await live.create(BODY, key);
        t.equal(repeat.status, 200, `${way.what}: ${repeat.text}`);
        t.match(repeat.body, { id, status: 'pending' });
        t.equal(repeat.headers['idempotent-replayed'], 'true');
      }
      const other = await live.create({ ...BODY, amount: '25001' }, key);
      t.equal(other.code, 'idempotency_conflict', `${way.what}, another body`);
      await way.end();
    }
  });

  await t.test('the gate of LIVE comes first: it is about the key, not the payment', async (t) => {
    await sql`update merchants set verification_status = 'SUSPENDED'`;
    await waitUntil('it is shut', DEADLINE_MS, async () => {
      return (await live.create(BODY, key)).code === 'live_not_enabled';
    });
    t.equal((await live.get(id)).code, 'live_not_enabled', 'as on every path');
    await sql`update merchants set verification_status = 'APPROVED'`;
    await waitUntil('it is open', DEADLINE_MS, async () => {
      return (await live.create(BODY, key)).status === 200;
    });
  });
});
