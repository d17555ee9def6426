// Payments and refunds of all merchants over HTTP, as administrators find and end them.
import t, { type Test } from 'tap';
import { deriveOrderId, type PaymentId } from '#actors/core/ids.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { startOperators, uniqueTransaction } from '#test/support/operators.js';
import { createTestMerchant, uniqueWord } from '#test/support/processes.js';

const stage = await startOperators(t);
const { office, offices, service, sql, tell } = stage;
const { merchantId } = service.merchant;
const other = await createTestMerchant(service.databaseUrl);
const otherApi = openApi(service.baseUrl, other.testKey);

const CSV = { headers: { accept: 'text/csv' } };
/** More than a page of a file. */
const FILE_ROWS = 130;

function isRefused(t: Test, answer: ApiAnswer, status: number, code: string): void {
  t.same([answer.status, answer.code], [status, code], answer.text);
}

const rowsOf = (answer: ApiAnswer) => answer.body['data'] as Record<string, unknown>[];
const idsOf = (answer: ApiAnswer) => rowsOf(answer).map(({ id }) => id);
const find = (query: string): Promise<ApiAnswer> => office.call(`/v1/admin/transactions?${query}`);

t.test('payments are found by what operators know of them', async (t) => {
  const reference_id = uniqueWord('order');
  const customer = {
    customer_name: 'Rahasia',
    metadata: { o: deriveOrderId('x' as PaymentId, 1) },
  };
  const mine = await service.api.create({ amount: '15000', reference_id, ...customer });
  const theirs = await otherApi.create({ amount: '15000', reference_id });
  const [id, theirId] = [mine.body['id'] as PaymentId, theirs.body['id'] as PaymentId];
  const transaction = uniqueTransaction();
  await stage.settle(id, transaction);
  const order = deriveOrderId(id, 1);

  const newest = await find('limit=2');
  t.same(idsOf(newest), [theirId, id], 'newest first, of all merchants');
  t.match(rowsOf(newest)[1], {
    ...{ object: 'transaction', merchant_id: merchantId, status: 'paid', environment: 'TEST' },
    attempts: [{ rail: 'sandbox', order_id: order, status: 'settled' }],
    rail_transactions: [{ rail: 'sandbox', id: transaction, standing: 'captured' }],
  });
  t.notMatch(newest.text, /Rahasia/, 'no customer is shown');

  const searches: readonly [string, readonly unknown[]][] = [
    [`reference_id=${reference_id}`, [theirId, id]],
    [`reference_id=${reference_id}&merchant_id=${merchantId}`, [id]],
    [`reference_id=${reference_id}&status=paid`, [id]],
    [`reference_id=${reference_id}&status=pending`, [theirId]],
    [`reference_id=${reference_id}&environment=LIVE`, []],
    [`reference_id=${reference_id}&created_to=2020-01-01`, []],
    [`payment_id=${theirId}`, [theirId]],
    [`rail_transaction_id=${transaction}`, [id]],
    [`order_id=${order}`, [id]],
    [`order_id=${customer.metadata.o}`, []],
    [`merchant_id=${other.merchantId}&rail=sandbox`, [theirId]],
    [`merchant_id=${other.merchantId}&rail=midtrans`, []],
    ['environment=LIVE', []],
    ['created_to=2020-01-01', []],
  ];
  for (const [query, ids] of searches) t.same(idsOf(await find(query)), ids, query);
  for (const query of [
    'rail=nowhere',
    'order_id=1',
    'created_from=x',
    'status=creating',
    'limit=0',
  ]) {
    isRefused(t, await find(query), 400, 'field_invalid');
  }
});

t.test('pages of everybody: each payment once, in order', async (t) => {
  const keys = [service.api, otherApi];
  const made: unknown[] = [];
  for (let n = 0; n < 14; n += 1) {
    made.push((await keys[n % 3 === 0 ? 1 : 0]?.create({ amount: '15000' }))?.body['id']);
  }
  for (const filter of ['', '&rail=sandbox', '&status=pending']) {
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const page = await find(`limit=3${filter}${cursor}`);
      seen.push(...idsOf(page));
      const next = page.body['next_cursor'];
      cursor = typeof next === 'string' ? `&cursor=${next}` : '';
    } while (cursor !== '');
    t.equal(new Set(seen).size, seen.length, `${filter}: each once`);
    t.same(new Set(seen.slice(0, 14)), new Set(made), `${filter}: the newest first`);
  }
});

/** A refund that no rail can do. */
async function makeManual(amount = '94') {
  const paymentId = await stage.makePaid('10094');
  const { body } = await service.api.call('/v1/refunds', {
    method: 'POST',
    body: { payment_id: paymentId, amount },
  });
  t.equal(body['status'], 'MANUAL_REQUIRED');
  return { paymentId, refundId: String(body['id']) };
}

const end = (refundId: string, verb: string, body: object, at = office): Promise<ApiAnswer> =>
  at.call(`/v1/admin/refunds/${refundId}/${verb}`, { method: 'POST', body });

async function taskOf(paymentId: string) {
  const rows = await sql`
    select id, status, action, external_reference, resolved_by from operator_tasks
     where payment_id = ${paymentId} and kind = 'refund_manual_required'`;
  return rows[0];
}

t.test('refunds to be paid by hand', async (t) => {
  const { paymentId, refundId } = await makeManual();
  const sandbox = await stage.balanceOf('rail_clearing:sandbox:TEST:IDR');
  const queue = await office.call('/v1/admin/refunds?status=MANUAL_REQUIRED&limit=1');
  t.match(rowsOf(queue), [
    { id: refundId, merchant_id: merchantId, rail: 'sandbox', payment_status: 'paid' },
  ]);
  const task = await taskOf(paymentId);
  const early = await office.call(`/v1/admin/tasks/${String(task?.['id'])}/resolve`, {
    method: 'POST',
    body: { action: 'acknowledge', note: 'x' },
  });
  isRefused(t, early, 409, 'state_conflict');
  const reference = { external_reference: 'TRF-1' };
  isRefused(t, await end(refundId, 'complete', {}), 400, 'field_invalid');
  isRefused(t, await end(`ref_${'0'.repeat(26)}`, 'complete', reference), 404, 'refund_not_found');

  const answers = await Promise.all(
    offices.flatMap((at) => [1, 2, 3].map(() => end(refundId, 'complete', reference, at))),
  );
  t.same([...new Set(answers.map(({ status }) => status))], [200], 'the same again is answered');
  t.match(answers[0]?.body, { id: refundId, status: 'SUCCEEDED', amount: '94' });
  for (const [verb, body] of [
    ['complete', { external_reference: 'TRF-2' }],
    ['fail', reference],
  ] as const) {
    const answer = await end(refundId, verb, body);
    isRefused(t, answer, 409, 'state_conflict');
    t.match(answer.text, /SUCCEEDED/, 'its status is told');
  }
  t.match(await taskOf(paymentId), {
    ...{ status: 'resolved', action: 'acknowledge', external_reference: 'TRF-1' },
    resolved_by: stage.admin.userId,
  });
  const events = await service.api.call(`/v1/payments/${paymentId}/events`);
  t.same(
    rowsOf(events).map(({ type }) => type),
    ['payment.paid', 'payment.refunded'],
    'told once',
  );
  t.equal(await stage.balanceOf('rail_clearing:manual:TEST:IDR'), '94', 'the bank paid it');
  t.equal(await stage.balanceOf('rail_clearing:sandbox:TEST:IDR'), sandbox, 'not the rail');
  t.strictSame(await stage.findFaults(), []);
});

t.test('a payment that is taken back after a refund by hand', async (t) => {
  const { paymentId, refundId } = await makeManual();
  await end(refundId, 'complete', { external_reference: 'TRF-5' });
  const [row] = await sql<{ id: string }[]>`
    select transaction_id as id from rail_transactions where payment_id = ${paymentId}`;
  await tell({ type: 'reverse', paymentId, rail: 'sandbox', railTransactionId: row?.id ?? '' });
  t.strictSame(await stage.findFaults(), []);
  t.equal(await stage.balanceOf(`suspense:${merchantId}:TEST:IDR`), '-94', 'it is paid twice');
  const task = await stage.findTask(paymentId, 'refund_on_reversed_payment');
  t.same(task.actions, ['debit', 'write_off']);
  const body = { action: 'write_off', note: 'x' };
  const resolved = await office.call(`/v1/admin/tasks/${task.id}/resolve`, {
    method: 'POST',
    body,
  });
  t.equal(resolved.status, 200, resolved.text);
  t.equal(await stage.balanceOf(`suspense:${merchantId}:TEST:IDR`), '0');
  t.strictSame(await stage.findFaults(), []);
});

t.test('of both ends at once, one counts', async (t) => {
  const { refundId } = await makeManual();
  const answers = await Promise.all(
    offices.flatMap((at) => [
      end(refundId, 'complete', { external_reference: 'A' }, at),
      end(refundId, 'fail', { external_reference: 'A', reason: 'Rekening tutup' }, at),
    ]),
  );
  const [one, two] = [
    answers.filter(({ status }) => status === 200),
    answers.filter(({ status }) => status === 409),
  ];
  t.same([one.length, two.length], [2, 2]);
  t.equal(new Set(one.map(({ body }) => body['status'])).size, 1);
  t.strictSame(await stage.findFaults(), []);
});

t.test('a refund of a payment that was taken back', async (t) => {
  for (const verb of ['complete', 'fail']) {
    const { paymentId, refundId } = await makeManual();
    const [row] = await sql<{ id: string }[]>`
      select transaction_id as id from rail_transactions where payment_id = ${paymentId}`;
    await tell({ type: 'reverse', paymentId, rail: 'sandbox', railTransactionId: row?.id ?? '' });
    t.equal((await end(refundId, verb, { external_reference: 'TRF-3' })).status, 200);
    const open = await office.call(
      '/v1/admin/tasks?status=open&environment=TEST&kind=refund_on_reversed_payment',
    );
    const [task] = rowsOf(open).filter((one) => one['payment_id'] === paymentId);
    t.same(task?.['actions'], verb === 'complete' ? ['debit', 'write_off'] : ['acknowledge']);
    const resolved = await office.call(`/v1/admin/tasks/${String(task?.['id'])}/resolve`, {
      method: 'POST',
      body: { action: verb === 'complete' ? 'debit' : 'acknowledge', note: 'x' },
    });
    t.equal(resolved.status, 200, resolved.text);
    t.strictSame(await stage.findFaults(), []);
  }
  t.equal(await stage.balanceOf(`suspense:${merchantId}:TEST:IDR`), '0');
});

t.test('all transactions are one audited file, for administrators only', async (t) => {
  const path = '/v1/admin/transactions';
  const mine = await service.api.create({
    amount: '15000',
    reference_id: '=1+1',
    customer_name: 'Rahasia',
  });
  const theirs = await otherApi.create({ amount: '15000' });
  await sql`
    insert into payments (id, merchant_id, environment, status, amount, currency, payment_method, reference_id,
                          created_at, version, snapshot)
    select new_id, merchant_id, 'LIVE', status, amount, currency, payment_method, reference_id,
           created_at - i * interval '1 second', version, replace(snapshot, id, new_id)
      from payments, generate_series(1, ${FILE_ROWS}::integer) as i,
           lateral (select 'pay_' || lpad(i::text, 26, '0') as new_id) made
     where id = ${String(mine.body['id'])}`;
  const day = new Date().toISOString().slice(0, 10);
  const file = await office.call(`${path}?created_from=${day}`, CSV);
  t.match(file.headers['content-disposition'], /filename="transactions-\d{4}-\d\d-\d\d.csv"$/);
  const lines = file.text.split('\r\n');
  t.match(lines[0], /^id,object,merchant_id,environment,status,amount,currency,payment_method,/);
  const head = (answer: ApiAnswer, of: string): string =>
    `"${String(answer.body['id'])}","transaction","${of}",`;
  t.match(lines[1], head(theirs, other.merchantId));
  t.match(lines[2], head(mine, merchantId));
  t.match(lines[2], /,"'=1\+1",.*"\[\{""order_id"":/);
  t.notMatch(file.text, /Rahasia/);
  const live = await office.call(
    `${path}?merchant_id=${merchantId}&environment=LIVE&rail=sandbox`,
    CSV,
  );
  const ids = live.text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',')[0]);
  t.same([ids.length, new Set(ids).size], [FILE_ROWS, FILE_ROWS], 'each once, over several pages');
  const audited = await sql`
    select actor, target from audit_log where action = ${`GET ${path}`} order by id`;
  t.same(audited, Array(2).fill({ actor: stage.admin.userId, target: path }), 'and no page');
  isRefused(t, await office.call(`${path}?payment_id=x&limit=3`, CSV), 400, 'field_invalid');
  const owner = await makePerson(sql, 'owner', merchantId);
  const own = openApi(service.baseUrl, await beginSession(sql, owner));
  isRefused(t, await own.call(path, CSV), 403, 'role_insufficient');
});

t.test('a file of all merchants needs a time range of at most 31 days', async (t) => {
  const save = (query: string) => office.call(`/v1/admin/transactions?${query}`, CSV);
  const days = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString();
  const paymentId = String((await service.api.create({ amount: '15000' })).body['id']);
  const allowed = [
    `merchant_id=${merchantId}`,
    `payment_id=${paymentId}`,
    'reference_id=none',
    'rail_transaction_id=none',
    `created_from=${days(30.9)}`,
    'created_from=2026-07-01&created_to=2026-08-01',
    'created_from=2026-08-02&created_to=2026-08-01',
  ];
  for (const query of allowed) t.equal((await save(query)).status, 200, query);
  const refused = [
    ...['', 'environment=LIVE', 'status=paid', 'rail=sandbox', `created_to=${days(0)}`],
    ...[`created_from=${days(31.1)}`, 'created_from=2026-07-01&created_to=2026-08-01T00:00:01Z'],
  ];
  for (const query of refused) {
    const answer = await save(query);
    isRefused(t, answer, 400, 'field_invalid');
    t.match(answer.text, /created_from .*at most 31 days.*merchant_id/);
    t.equal((await find(query)).status, 200, 'pages need none');
  }
});
