// `expires_in` of LIVE creates: bounded by what the rails that are configured for the method can do, whether they take charges
// at the moment or not. A repeat is answered before the bound.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { pauseAvailability } from '#store/postgres/rails/rail-availability.js';
import { uniqueWord } from '#test/support/processes.js';
import { startRails, startRailService } from '#test/support/rails/service.js';

const DAY_S = 86_400;
/** Xendit keeps a QR code open for two days, Midtrans for a week. */
const XENDIT_S = 2 * DAY_S;
const WEEK_S = 7 * DAY_S;

const service = await startRailService(t, {
  RAIL_ROUTES: 'QRIS=midtrans,xendit;VA_BCA=xendit',
  RAIL_TIMEOUT_MS: '5000',
});
const { live, sql, simulated } = service;
await startRails(service);

const qris = { amount: '25000', payment_method: 'QRIS' };
const create = (expires_in: number, body: object = qris, key = uniqueWord()) =>
  live.create({ ...body, expires_in }, key);
const findRailsOf = async (paymentId: unknown) => {
  const rows = await sql`
    select rail from rail_calls where payment_id = ${String(paymentId)} and operation = 'charge'`;
  return rows.map(({ rail }) => String(rail));
};
const setOwnRails = async (rails: readonly string[]): Promise<void> => {
  await sql`delete from merchant_rail_routes`;
  if (rails.length === 0) return;
  await sql`
    insert into merchant_rail_routes (merchant_id, method, rails)
    select id, 'QRIS', ${[...rails]}::text[] from merchants where live_enabled`;
};

t.test('a payment that no configured rail can keep open is 400 with the bound', async (t) => {
  const week = { key: uniqueWord() };
  const first = await create(WEEK_S, qris, week.key);
  t.equal(first.status, 201, first.text);

  await setOwnRails(['xendit']);
  const refused = await create(XENDIT_S + 1);
  t.equal(refused.status, 400, refused.text);
  t.match(refused.body, {
    error: {
      code: 'field_invalid',
      param: 'expires_in',
      message: 'expires_in must be at most 172800 seconds for this payment method.',
    },
  });
  t.notMatch(refused.text, /xendit|midtrans/i);
  t.equal((await create(XENDIT_S)).status, 201);
  t.equal((await create(WEEK_S, { ...qris, payment_method: 'VA_BCA' })).status, 201);
  t.equal((await create(WEEK_S, { amount: '25000' })).status, 201, 'a virtual account can');

  const repeat = await create(WEEK_S, qris, week.key);
  t.equal(repeat.status, 200, 'a repeat returns its payment');
  t.equal(repeat.body['id'], first.body['id']);
  const other = await create(WEEK_S - 1, qris, week.key);
  t.equal(other.code, 'idempotency_conflict');
  await setOwnRails([]);
});

t.test('the bound does not depend on what is available at the moment', async (t) => {
  const isUnavailable = async (): Promise<boolean> =>
    (await create(WEEK_S)).code === 'payment_method_unavailable';
  await pauseAvailability(sql, 'midtrans', 60_000);
  await waitUntil('the rail pauses', isUnavailable);
  t.equal((await create(XENDIT_S)).status, 201, 'the other rail takes a shorter one');
  await setOwnRails(['xendit']);
  await pauseAvailability(sql, 'xendit', 60_000);
  await waitUntil('both rails pause', async () => {
    return (await create(XENDIT_S)).code === 'payment_method_unavailable';
  });
  const refused = await create(WEEK_S);
  t.match(refused.body, { error: { code: 'field_invalid', param: 'expires_in' } });
  await setOwnRails([]);
  for (const rail of ['midtrans', 'xendit'] as const) await pauseAvailability(sql, rail, 0);
  await waitUntil('the rails take charges', async () => {
    return (await create(WEEK_S)).status === 201;
  });
});

t.test('a rail that cannot keep an order open for so long is not tried', async (t) => {
  await simulated.plan({ kind: 'refuse', operation: 'charge', rail: 'midtrans' });
  const { status, body } = await create(WEEK_S);
  t.equal(status, 502);
  const { payment_id: id } = body['error'] as Record<string, unknown>;
  t.same(await findRailsOf(id), ['midtrans']);
  const shorter = await create(XENDIT_S);
  t.equal(shorter.status, 201);
  t.same((await findRailsOf(shorter.body['id'])).sort(), ['midtrans', 'xendit']);
  await simulated.plan();
});
