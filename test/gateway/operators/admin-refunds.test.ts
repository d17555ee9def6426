// Refunds that an administrator makes in the name of a merchant, over HTTP: customers get their money back although their
// merchant is suspended.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { uniqueWord } from '#test/support/processes.js';
import { startRailService, startRails } from '#test/support/rails/service.js';

const service = await startRailService(t, { RAIL_ROUTES: 'QRIS=xendit' });
const { sql, live, test, simulated } = service;
await startRails(service);
const admin = openApi(
  service.baseUrl,
  await beginSession(sql, await makePerson(sql, 'admin', null)),
);

const setStatus = (status: string) => sql`
  update merchants set verification_status = ${status}, live_enabled = ${status === 'APPROVED'}`;

const isBlocked = (wanted: boolean) =>
  waitUntil(`the live key is ${wanted ? 'blocked' : 'admitted'}`, async () => {
    return ((await live.call('/v1/balance')).code === 'live_not_enabled') === wanted;
  });

async function makePaid(): Promise<string> {
  const { body, text } = await service.create('QRIS');
  const id = String(body['id']);
  const [call] = await sql`select request from rail_calls where payment_id = ${id}`;
  if (call === undefined) throw new Error(text);
  const { orderId } = JSON.parse(String(call['request'])) as { orderId: string };
  await simulated.control('POST', 'pay', { order_id: orderId });
  await waitUntil('it is paid', async () => (await service.statusOf(id)) === 'paid');
  return id;
}

const refund = (id: string, body: object, key?: string): Promise<ApiAnswer> =>
  admin.call(`/v1/admin/payments/${id}/refunds`, {
    method: 'POST',
    body: { reason: 'the merchant is suspended', ...body },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });

const readAdminRefund = async (id: unknown) => {
  const { body } = await admin.call('/v1/admin/refunds?limit=100');
  return (body['data'] as Record<string, unknown>[]).find((one) => one['id'] === id);
};

t.test('an administrator refunds for a suspended merchant: the rail pays back once', async (t) => {
  const id = await makePaid();
  await setStatus('SUSPENDED');
  await isBlocked(true);
  const key = uniqueWord();
  const answers = await Promise.all([1, 2].map(() => refund(id, { amount: '1000' }, key)));
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 201]);
  const [one, two] = answers.map(({ body }) => body);
  t.equal(one?.['id'], two?.['id'], 'a repeat is the same refund');
  await waitUntil('it has succeeded', async () => {
    return (await readAdminRefund(one?.['id']))?.['status'] === 'SUCCEEDED';
  });
  t.match(await readAdminRefund(one?.['id']), {
    ...{ environment: 'LIVE', amount: '1000', reason: 'the merchant is suspended' },
    payment_id: id,
  });
  const [order] = await sql`
    select request::json ->> 'orderId' as id from rail_calls
     where payment_id = ${id} and operation = 'charge'`;
  const seen = await simulated.control('GET', `orders/${String(order?.['id'])}`);
  t.equal((seen as { refunds: unknown[] }).refunds.length, 1);
  const audited = await sql`
    select actor, after from audit_log where target = ${`/v1/admin/payments/${id}/refunds`}`;
  t.match(audited[0], { actor: /^usr_/, after: /suspended/ });
  await setStatus('APPROVED');
  await isBlocked(false);
});

t.test('the rules of refunds hold for an administrator', async (t) => {
  const id = await makePaid();
  t.equal((await refund(id, {})).code, 'idempotency_key_required', 'LIVE needs a key');
  t.equal((await refund(id, { amount: '0' }, uniqueWord())).code, 'amount_out_of_range');
  t.equal((await refund(id, { amount: 'x' }, uniqueWord())).code, 'amount_invalid');
  t.equal((await refund(id, { reason: '' }, uniqueWord())).code, 'field_invalid');
  const beyond = await refund(id, { amount: '999999999' }, uniqueWord());
  t.equal(beyond.code, 'refund_exceeds_payment', beyond.text);
  const key = uniqueWord();
  t.equal((await refund(id, { amount: '1000' }, key)).status, 201);
  t.equal((await refund(id, { amount: '2000' }, key)).code, 'idempotency_conflict');
  const own = await live.call('/v1/refunds', {
    method: 'POST',
    body: { payment_id: id, amount: '3000' },
    headers: { 'idempotency-key': key },
  });
  t.equal(own.status, 201, 'the key of a merchant is another one');
  const unknown = await refund(`pay_${'0'.repeat(26)}`, {}, uniqueWord());
  t.equal(unknown.code, 'payment_not_found');
});

t.test('a TEST payment is refunded in TEST, also for a suspended merchant', async (t) => {
  const { body } = await test.create({ amount: '15000' });
  const id = String(body['id']);
  t.equal((await refund(id, {})).code, 'state_conflict', 'it is not paid');
  await test.simulate(id, 'paid');
  await setStatus('SUSPENDED');
  const made = await refund(id, {});
  t.match(made.body, { status: 'SUCCEEDED', amount: '15000', payment_id: id }, made.text);
  t.match((await test.get(id)).body, { status: 'refunded' });
  await setStatus('APPROVED');
  const { faults } = await verifyLedger(sql);
  t.strictSame(faults, []);
});
