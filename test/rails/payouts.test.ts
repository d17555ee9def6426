// What the rails process does with payouts: held while they are switched off, and by hand where no rail pays out.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { newId } from '../../actors/core/ids.js';
import { parsePayoutRequest } from '../../actors/core/requests/create-payout.js';
import { waitUntil } from '../../ops/dev/wait.js';
import { openPostgres } from '../../store/postgres/client.js';
import { reservePayout } from '../../store/postgres/payouts/reserve-payout.js';
import { openApi } from '../support/api.js';
import {
  createTestMerchant,
  startProcess,
  startService,
  uniqueWord,
} from '../support/processes.js';
import {
  ACCOUNT,
  balanceOf,
  hasStatus,
  makePaid,
  openKey,
  payOut,
  showPayout,
} from '../support/rails/payouts.js';

/** A second, three times. */
const WITHIN_MS = 3_000;

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

t.test('switched off, new ones are refused and waiting ones held', async (t) => {
  const { api, merchant } = await makeMerchant();
  const turn = (isOn: boolean) => sql`
    insert into switches (name, is_on) values ('payouts', ${isOn})
    on conflict (name) do update set is_on = excluded.is_on`;
  await turn(false);
  const key = uniqueWord();
  await waitUntil('payouts are refused', WITHIN_MS, async () => {
    return (await payOut(api, { amount: '1001' }, key)).status === 503;
  });
  const refused = await payOut(api, { amount: '6' }, uniqueWord());
  t.strictSame([refused.status, refused.code], [503, 'dependency_unavailable']);
  t.equal(refused.headers['retry-after'], '60');
  await rails.stop();
  const payoutId = newId('po', randomBytes(16));
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
  await waitUntil('the rails process works', 3 * WITHIN_MS, async () => {
    return (await api.get(paid['id'])).body['status'] === 'paid';
  });
  t.equal((await showPayout(api, payoutId)).body['status'], 'PENDING', 'held');
  t.equal((await balanceOf(api)).in_transit, '5');
  await turn(true);
  await hasStatus(api, payoutId, 'COMPLETED');
});

t.test('LIVE without a rail that pays out is for an administrator', async (t) => {
  const approved = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
  const live = await openKey(service.baseUrl, sql, approved.merchantId, 'LIVE', [
    'payouts',
    'read',
  ]);
  await sql`
    insert into balances (account, currency, amount)
    values (${`merchant_available:${approved.merchantId}:LIVE:IDR`}, 'IDR', 900)`;
  const made = await payOut(live, { amount: '900' }, uniqueWord());
  t.equal(made.status, 201, made.text);
  await hasStatus(live, made.body['id'], 'MANUAL_REQUIRED');
  t.strictSame(await balanceOf(live), { available: '0', in_transit: '900' });
  const tasks = await sql`
    select kind, status, details from operator_tasks where payout_id = ${String(made.body['id'])}`;
  t.match(tasks[0], { kind: 'payout_manual_required', status: 'open', details: /"amount":"900"/ });
});
