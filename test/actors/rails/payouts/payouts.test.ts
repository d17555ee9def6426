// Payouts in the rails process: held while they are switched off, and paid by hand without a rail that pays out.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { parsePayoutRequest } from '#actors/core/requests/create-payout.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { reservePayout } from '#store/postgres/payouts/reserve-payout.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import {
  createTestMerchant,
  startProcess,
  startService,
  uniqueWord,
} from '#test/support/processes.js';
import {
  ACCOUNT,
  balanceOf,
  hasStatus,
  makePaid,
  openKey,
  payOut,
  rowsOf,
  showPayout,
} from '#test/support/rails/payouts.js';

const service = await startService(t);
const rails = await startProcess(t, 'rails', service.variables);
const sql = openPostgres(service.databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));

async function makeMerchant() {
  const merchant = await createTestMerchant(service.databaseUrl);
  const api = openApi(service.baseUrl, merchant.testKey);
  await makePaid(api, '1000');
  return { merchant, api };
}

t.test('payouts that are switched off: new ones are refused and pending ones held', async (t) => {
  const { api, merchant } = await makeMerchant();
  const turn = (isOn: boolean) => sql`
    insert into switches (name, is_on) values ('payouts', ${isOn})
    on conflict (name) do update set is_on = excluded.is_on`;
  const before = uniqueWord();
  const { body: taken } = await payOut(api, { amount: '20' }, before);
  await hasStatus(api, String(taken['id']), 'COMPLETED');
  await turn(false);
  const key = uniqueWord();
  await waitUntil('payouts are refused', async () => {
    return (await payOut(api, { amount: '1001' }, key)).status === 503;
  });
  const refused = await payOut(api, { amount: '6' }, uniqueWord());
  t.strictSame([refused.status, refused.code], [503, 'dependency_unavailable']);
  t.equal(refused.headers['retry-after'], '60');
  const repeat = await payOut(api, { amount: '20' }, before);
  t.equal(repeat.status, 200, 'the repeat of an existing payout is a replay');
  t.match(repeat.body, { id: taken['id'], status: 'COMPLETED' });
  t.equal(repeat.headers['idempotent-replayed'], 'true');
  t.equal((await payOut(api, { amount: '21' }, before)).code, 'idempotency_conflict');
  await rails.stop();
  const payoutId = makeId('po', randomBytes(16));
  const request = parsePayoutRequest({ ...ACCOUNT, amount: '5' });
  if ('code' in request) throw new Error(request.code);
  const { merchantId } = merchant;
  const payout = {
    payoutId,
    merchantId,
    environment: 'TEST',
    request,
    fingerprint: '1:x',
  } as const;
  t.equal(await reservePayout(sql, { payout, key: null, nowMs: Date.now() }), 'created');
  await rails.start();
  const { body: paid } = await api.create({ amount: '10092' });
  await waitUntil('the rails process works', async () => {
    return (await api.get(paid['id'])).body['status'] === 'paid';
  });
  t.equal((await showPayout(api, payoutId)).body['status'], 'PENDING', 'held');
  t.equal((await balanceOf(api)).in_transit, '5');
  await turn(true);
  await hasStatus(api, payoutId, 'COMPLETED');
});

t.test(
  'a LIVE payout without a rail that pays out is completed or failed by an administrator',
  async (t) => {
    const { merchantId } = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
    const live = await openKey(service.baseUrl, sql, merchantId, 'LIVE', ['payouts', 'read']);
    await sql`insert into balance_rows (account, currency, amount)
            values (${`merchant_available:${merchantId}:LIVE:IDR`}, 'IDR', 900)`;
    const ids: string[] = [];
    for (const amount of ['500', '400']) {
      const made = await payOut(live, { amount }, uniqueWord());
      t.equal(made.status, 201, made.text);
      ids.push(String(made.body['id']));
    }
    for (const id of ids) await hasStatus(live, id, 'MANUAL_REQUIRED');
    t.strictSame(await balanceOf(live), { available: '0', in_transit: '900' });
    const [paid = '', failed = ''] = ids;
    const readTask = async (id: string) => {
      const [task] =
        await sql`select kind, status, action, details from operator_tasks where payout_id = ${id}`;
      return task;
    };
    t.match(await readTask(paid), {
      kind: 'payout_manual_required',
      status: 'open',
      details: /"amount":"500"/,
    });

    const admin = openApi(
      service.baseUrl,
      await beginSession(sql, await makePerson(sql, 'admin', null)),
    );
    const listed = await admin.call(
      `/v1/admin/payouts?status=MANUAL_REQUIRED&merchant_id=${merchantId}`,
    );
    t.match(rowsOf(listed), [
      { id: failed, merchant_id: merchantId, rail: null, unresolved: false },
      { id: paid, external_reference: null },
    ]);
    const end = (id: string, verb: string, reference: string) =>
      admin.call(`/v1/admin/payouts/${id}/${verb}`, {
        method: 'POST',
        body: { external_reference: reference, reason: 'uji' },
      });
    const done = await Promise.all([
      end(paid, 'complete', 'TRF-1'),
      end(paid, 'complete', 'TRF-1'),
    ]);
    for (const answer of done) {
      t.match(answer.body, { status: 'COMPLETED', external_reference: 'TRF-1' }, answer.text);
    }
    const other = await end(paid, 'complete', 'TRF-2');
    t.strictSame([other.status, other.code], [409, 'state_conflict']);
    t.equal((await end(paid, 'fail', 'TRF-1')).code, 'state_conflict');
    t.match(await readTask(paid), { status: 'resolved', action: 'acknowledge' });
    t.match((await end(failed, 'fail', 'TRF-3')).body, { status: 'FAILED' });
    t.strictSame(await balanceOf(live), { available: '400', in_transit: '0' });
    t.equal((await end('po_00000000000000000000000000', 'fail', 'x')).code, 'payout_not_found');
    t.equal((await end(paid, 'complete', '4111111111111111')).code, 'card_data_refused');
    const audited = await sql`select actor, after from audit_log where target = ${paid}`;
    t.match([...audited], [{ actor: /^usr_/, after: /TRF-1/ }], 'one entry with the actor');
    const [posting] = await sql`select debit, credit from postings
                            where cause_id = ${paid} and reason = 'payout_completed'`;
    t.match(posting, { credit: 'rail_clearing:manual:LIVE:IDR' });
  },
);

t.test('users of the merchant list payouts and export them as CSV, by their role', async (t) => {
  const { api, merchant } = await makeMerchant();
  const { body } = await payOut(api, { amount: '7' });
  await hasStatus(api, body['id'], 'COMPLETED');
  const sessionOf = async (role: 'finance' | 'developer') => {
    const person = await makePerson(sql, role, merchant.merchantId);
    return openApi(service.baseUrl, await beginSession(sql, person));
  };
  const finance = await sessionOf('finance');
  const path = '/v1/merchants/me/payouts';
  const shown = rowsOf(await finance.call(`${path}?environment=TEST`));
  t.strictSame(shown, [(await showPayout(api, body['id'])).body]);
  t.strictSame(rowsOf(await finance.call(`${path}?environment=LIVE`)), []);
  const file = await finance.call(path, { headers: { accept: 'text/csv' } });
  t.match(file.text, /^id,object,environment,status,.*\r?\n"po_.*,"COMPLETED",/s);
  t.equal((await (await sessionOf('developer')).call(path)).code, 'role_insufficient');
});
