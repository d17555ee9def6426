// Payouts by HTTP, with the rails process behind them: from the balance to the bank, once, and never overdrawn.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { type Api, openApi } from '#test/support/api.js';
import { createRandom } from '#test/support/load/random.js';
import { expectBalance, moveMoney } from '#test/support/merchant-money.js';
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

/** Of money that is moved at random. */
const ROUNDS = 20;

const service = await startService(t, { gateways: 2 });
await startProcess(t, 'rails', service.variables);
const sql = openPostgres(service.databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));

/** A merchant of its own with so much in TEST. */
async function makeMerchant(amount?: string) {
  const merchant = await createTestMerchant(service.databaseUrl);
  const api = openApi(service.baseUrl, merchant.testKey);
  if (amount !== undefined) await makePaid(api, amount);
  return { merchant, api };
}

/** A key of a merchant with these scopes. */
const makeKey = (merchantId: string, environment: 'TEST' | 'LIVE', scopes: readonly string[]) =>
  openKey(service.baseUrl, sql, merchantId, environment, scopes);

t.test('a payout goes to the bank', async (t) => {
  const { api } = await makeMerchant('100000');
  const words = { reference_id: 'gaji-1', description: 'Gaji' };
  const made = await payOut(api, { amount: '040000', ...words }, uniqueWord());
  t.equal(made.status, 201, made.text);
  t.strictSame(Object.keys(made.body), [
    ...['id', 'object', 'environment', 'status', 'amount', 'currency', 'bank_code'],
    ...['account_number', 'account_holder', 'reference_id', 'description', 'failure_code'],
    ...['created_at', 'completed_at', 'failed_at', 'reversed_at'],
  ]);
  t.match(made.body, {
    id: /^po_[0-9a-z]{26}$/,
    object: 'payout',
    environment: 'TEST',
    status: 'PENDING',
    amount: '40000',
    currency: 'IDR',
    ...ACCOUNT,
    ...words,
    failure_code: null,
    completed_at: null,
  });
  const { id } = made.body;
  await hasStatus(api, id, 'COMPLETED');
  const { body } = await showPayout(api, id);
  t.match(body, { failure_code: null, completed_at: String, failed_at: null, reversed_at: null });
  t.strictSame(await balanceOf(api), { available: '60000', in_transit: '0' });
});

t.test('one that the bank refuses gives the money back', async (t) => {
  const { api } = await makeMerchant('500');
  const { body } = await payOut(api, { amount: '500', account_number: '1230000' });
  await hasStatus(api, body['id'], 'FAILED');
  t.match((await showPayout(api, body['id'])).body, {
    failure_code: 'account_invalid',
    completed_at: null,
    failed_at: String,
  });
  t.strictSame(await balanceOf(api), { available: '500', in_transit: '0' });
});

t.test('never more than there is, however many arrive at once', async (t) => {
  const { api, merchant } = await makeMerchant('1000');
  const other = openApi(service.gateways[1]?.baseUrl ?? '', merchant.testKey);
  const made = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      payOut(index % 2 === 0 ? api : other, { amount: '90' }, uniqueWord()),
    ),
  );
  const taken = made.filter(({ status }) => status === 201);
  t.equal(taken.length, 11);
  for (const { status, code } of made) {
    if (status !== 201) t.strictSame([status, code], [409, 'balance_insufficient']);
  }
  await waitUntil('all are sent', async () => {
    return (await balanceOf(api)).in_transit === '0';
  });
  t.strictSame(await balanceOf(api), { available: '10', in_transit: '0' });
  t.equal((await payOut(api, { amount: '11' })).code, 'balance_insufficient');
  t.equal((await payOut(api, { amount: '10' })).status, 201);
});

t.test('a balance below zero blocks payouts', async (t) => {
  const { api } = await makeMerchant();
  const paid = await makePaid(api, '700');
  await payOut(api, { amount: '600' });
  const refund = await api.call('/v1/refunds', { method: 'POST', body: { payment_id: paid } });
  t.equal(refund.status, 201);
  t.equal((await balanceOf(api)).available, '-600');
  t.equal((await payOut(api, { amount: '1' })).code, 'balance_insufficient');
  await makePaid(api, '600');
  t.equal((await payOut(api, { amount: '1' })).code, 'balance_insufficient');
  await makePaid(api, '1');
  t.equal((await payOut(api, { amount: '1' })).status, 201);
});

t.test('one key is one payout', async (t) => {
  const { api, merchant } = await makeMerchant('1000');
  const other = openApi(service.gateways[1]?.baseUrl ?? '', merchant.testKey);
  const key = uniqueWord();
  const made = await Promise.all([
    ...Array.from({ length: 6 }, () => payOut(api, { amount: '400' }, key)),
    ...Array.from({ length: 6 }, () => payOut(other, { amount: '0400', currency: 'IDR' }, key)),
  ]);
  t.equal(made.filter(({ status }) => status === 201).length, 1);
  t.equal(made.filter(({ status }) => status === 200).length, 11);
  t.equal(new Set(made.map(({ body }) => body['id'])).size, 1);
  for (const { status, headers } of made) {
    t.equal(headers['idempotent-replayed'], status === 200 ? 'true' : undefined);
  }
  t.equal((await balanceOf(api)).available, '600');
  for (const change of [
    { amount: '401' },
    { amount: '400', account_number: '1234567891' },
    { amount: '400', account_holder: 'Siti' },
    { amount: '400', bank_code: 'BNI' },
    { amount: '400', description: 'x' },
    { amount: '400', reference_id: 'x' },
  ]) {
    t.equal((await payOut(api, change, key)).code, 'idempotency_conflict');
  }
  const poor = uniqueWord();
  t.equal((await payOut(api, { amount: '700' }, poor)).code, 'balance_insufficient');
  t.equal((await payOut(api, { amount: '1' }, poor)).code, 'idempotency_conflict', 'it is used up');
  await makePaid(api, '100');
  t.equal((await payOut(api, { amount: '700' }, poor)).status, 201, 'the same, once it can be');
});

t.test('an invalid payout is rejected with the name of its field', async (t) => {
  const { api } = await makeMerchant('1000');
  const cases: readonly [body: object, status: number, code: string, param: string | null][] = [
    [{}, 400, 'amount_invalid', 'amount'],
    [{ amount: 5 }, 400, 'amount_invalid', 'amount'],
    [{ amount: '-5' }, 400, 'amount_invalid', 'amount'],
    [{ amount: '000' }, 400, 'amount_out_of_range', 'amount'],
    [{ amount: '1', currency: 'USD' }, 400, 'currency_unsupported', 'currency'],
    [{ amount: '1', bank_code: undefined }, 400, 'field_invalid', 'bank_code'],
    [{ amount: '1', bank_code: 'bca' }, 400, 'field_invalid', 'bank_code'],
    [{ amount: '1', account_number: '12a34567' }, 400, 'field_invalid', 'account_number'],
    [{ amount: '1', account_number: 1234567 }, 400, 'field_invalid', 'account_number'],
    [{ amount: '1', account_holder: '' }, 400, 'field_invalid', 'account_holder'],
    [{ amount: '1', account_holder: 'a\0' }, 400, 'field_invalid', 'account_holder'],
    [{ amount: '1', description: 'x'.repeat(501) }, 400, 'field_invalid', 'description'],
    [{ amount: '1', description: '4111 1111 1111 1111' }, 400, 'card_data_refused', 'description'],
    [{ amount: '1', reference_id: '4111111111111111' }, 400, 'card_data_refused', 'reference_id'],
    [
      { amount: '1', account_holder: '4111111111111111' },
      400,
      'card_data_refused',
      'account_holder',
    ],
    [{ amount: '1', pan: '1' }, 400, 'body_invalid', 'pan'],
    [{ amount: '999999999999999' }, 409, 'balance_insufficient', 'amount'],
  ];
  for (const [body, status, code, param] of cases) {
    const answer = await payOut(api, body, uniqueWord());
    const error = answer.body['error'] as { param?: unknown };
    t.strictSame([answer.status, answer.code, error.param], [status, code, param], answer.text);
  }
  t.equal((await balanceOf(api)).available, '1000', 'nothing was taken');
  const card = await payOut(api, { amount: '1', account_number: '4111111111111111' });
  t.equal(card.status, 201, 'an account number is a field of its own');
  for (const id of ['po_1', 'po_00000000000000000000000000']) {
    t.equal((await showPayout(api, id)).code, 'payout_not_found');
  }
  const { api: otherMerchant } = await makeMerchant();
  t.equal((await showPayout(otherMerchant, card.body['id'])).code, 'payout_not_found');
});

t.test('lists', async (t) => {
  const { api, merchant } = await makeMerchant('1000');
  const ids: unknown[] = [];
  for (const [amount, more] of [
    ['1', { reference_id: 'a' }],
    ['2', { account_number: '990000' }],
    ['3', { reference_id: 'a' }],
  ] as const) {
    ids.unshift((await payOut(api, { amount, ...more })).body['id']);
  }
  await hasStatus(api, ids[0], 'COMPLETED');
  await hasStatus(api, ids[1], 'FAILED');
  const list = async (query: string, of: Api = api) => {
    const answer = await of.call(`/v1/payouts${query}`);
    return [rowsOf(answer).map(({ id }) => id), answer.body['next_cursor']] as const;
  };
  t.strictSame(await list(''), [ids, null], 'newest first');
  const [first, cursor] = await list('?limit=2');
  t.strictSame(first, ids.slice(0, 2));
  t.strictSame(await list(`?limit=2&cursor=${String(cursor)}`), [ids.slice(2), null]);
  t.strictSame(await list('?status=FAILED'), [[ids[1]], null]);
  t.strictSame(await list('?reference_id=a'), [[ids[0], ids[2]], null]);
  t.strictSame(await list('?created_to=2020-01-01'), [[], null]);
  t.strictSame(await list('?created_from=2020-01-01&limit=1').then(([rows]) => rows), [ids[0]]);
  const { api: otherMerchant } = await makeMerchant();
  t.strictSame(await list('', otherMerchant), [[], null]);
  for (const query of ['?status=paid', '?limit=0', '?created_from=x', '?cursor=x', '?what=1']) {
    t.equal((await api.call(`/v1/payouts${query}`)).status, 400, query);
  }
  t.strictSame(
    rowsOf(await api.call('/v1/payouts?limit=1')),
    [(await showPayout(api, ids[0])).body],
    'as it is shown',
  );
  t.strictSame(
    await list('', await makeKey(merchant.merchantId, 'TEST', ['payouts'])),
    [ids, null],
    'who may pay out may look',
  );
});

t.test('keys need the scope', async (t) => {
  const { merchant } = await makeMerchant('1000');
  const approved = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
  const plainLive = openApi(service.baseUrl, approved.liveKey);
  const refused = await payOut(plainLive, { amount: '1' }, uniqueWord());
  t.strictSame([refused.status, refused.code], [403, 'scope_insufficient']);
  t.equal((await plainLive.call('/v1/payouts')).status, 200, 'looking is reading');
  const granted = await makeKey(approved.merchantId, 'LIVE', ['payouts']);
  t.equal((await payOut(granted, { amount: '1' })).code, 'idempotency_key_required');
  t.equal((await payOut(granted, { amount: '1' }, uniqueWord())).code, 'balance_insufficient');
  const writer = await makeKey(merchant.merchantId, 'TEST', ['read', 'write']);
  t.equal((await payOut(writer, { amount: '1' })).code, 'scope_insufficient');
});

t.test(
  'money in any order and at once: none is made or lost, and no payout overdraws',
  async (t) => {
    const { api, merchant } = await makeMerchant();
    await sql.unsafe(`
    create function refuse_overdraft() returns trigger language plpgsql as $$
    begin
      if new.reason = 'payout_requested' and (select amount from balances where account = new.debit) < 0 then
        raise exception 'a payout overdrew %', new.debit;
      end if;
      return null;
    end $$;
    create constraint trigger no_overdraft after insert on postings deferrable initially deferred
      for each row execute function refuse_overdraft()`);
    const seed = Number(process.env['KASIR_SEED'] ?? 20261122);
    const admin = openApi(
      service.baseUrl,
      await beginSession(sql, await makePerson(sql, 'admin', null)),
    );
    const apis = service.gateways.map(({ baseUrl }) => openApi(baseUrl, merchant.testKey));
    const parts = { apis, admin, random: createRandom(seed) };
    const met = ['create 201', 'refund 201', 'refund 409', 'payout 201', 'payout 409'];
    const answers = new Map<string, number>();
    const countOf = (name: string): number => answers.get(name) ?? 0;
    // The rejections depend on the order of arrival, so it repeats until each kind has occurred.
    for (let round = 0; round < ROUNDS && met.some((name) => countOf(name) <= 3); round += 1) {
      const moved = await moveMoney(parts, { workers: 10, steps: 16 });
      for (const [name, count] of moved.answers) answers.set(name, countOf(name) + count);
    }
    t.comment(`seed ${seed}`, Object.fromEntries(answers));
    for (const name of met) t.ok(countOf(name) > 3, name);
    const odd = [...answers.keys()].filter((name) => !/ (200|201|409)$/.test(name));
    t.strictSame(odd, [], 'nothing else was answered');
    await waitUntil('the balance is what payments, refunds and payouts say', async () => {
      const expected = await expectBalance(api);
      const found = await balanceOf(api);
      return found.available === expected.available && found.in_transit === expected.in_transit;
    });
  },
);

t.test('the books are right', async (t) => {
  const report = await verifyLedger(sql);
  t.strictSame(report.faults, []);
  t.ok(report.payouts > 15);
});
