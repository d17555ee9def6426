// Erasure of a customer, on request and by age: afterwards no table and no Redis key holds personal data, and all money
// rows are unchanged. It also holds while the payment changes and when a process is killed half-way.
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { makeId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { writeLogs } from '#store/postgres/merchants/write-api-logs.js';
import { openApi } from '#test/support/api.js';
import { draftInvoice, finalizeInvoice } from '#test/support/collecting/invoices.js';
import { buildLateLog, insertInvoiceMail, makeCustomer } from '#test/support/erasing/customer.js';
import { hasEraseCommand, isErased, searchTables } from '#test/support/erasing/search.js';
import { ERASURES, post, startErasing } from '#test/support/erasing/stage.js';
import { uniqueWord } from '#test/support/processes.js';
import { isSignatureRight } from '#test/support/webhooks/verify.js';

const ENDPOINTS = '/v1/merchants/me/webhooks';

const { service, receiver, eraser, sql, redis, key, owner, office, ...stage } =
  await startErasing(t);
const {
  makePaidPayment,
  erase,
  eraseByCommand,
  waitForLogs,
  findText,
  readMoney,
  assertLedgerSound,
} = stage;
const { baseUrl } = service;
const { merchantId } = service.merchant;

/** Waits until no store holds the word: committed commands leave their stream a moment later. */
async function assertErased(t: Test, word: string, message = 'no store holds it'): Promise<void> {
  const isGone = async (): Promise<boolean> => (await findText(word)).length === 0;
  await waitUntil('the word is gone', isGone).catch(() => null);
  t.same(await findText(word), [], message);
}

t.test('an erasure removes all data of one customer and of no other', async (t) => {
  const { secret, id: endpointId } = (
    await post(owner, ENDPOINTS, {
      ...{ url: receiver.url, environment: 'TEST' },
      events: ['payment.paid', 'payment.refunded', 'payout.completed'],
    })
  ).body;
  // 410 makes deliveries dead letters at once; the answer repeats the request body, so that excerpts hold it too.
  receiver.behave(({ body }, response) => void response.writeHead(410).end(body));
  const { name, body } = makeCustomer('Zubaidah');
  const neighbour = makeCustomer('Yohanes');
  const idempotencyKey = `${name}-key`;
  const paymentId = await makePaidPayment(body, idempotencyKey);
  const other = await makePaidPayment({ ...neighbour.body, customer_phone: '0811 2222 3333' });
  const refund = await post(key, '/v1/refunds', {
    ...{ payment_id: paymentId, amount: '10000' },
    ...{ reason: `${name}-reason`, reference_id: `${name}-return` },
  });
  await key.get(paymentId);
  const events = await key.call(`/v1/payments/${paymentId}/events`);
  const [event] = events.body['data'] as { id: string }[];
  await key.call(`/v1/events/${event?.id}`);
  const payout = await post(key, '/v1/payouts', {
    ...{ amount: '10000', bank_code: 'BCA', account_number: '1234509876' },
    ...{ account_holder: `${name}-holder`, reference_id: `${name} "pays\\` },
  });
  const payoutId = String(payout.body['id']);
  await waitUntil('the payout is completed', async () => {
    return (await key.call(`/v1/payouts/${payoutId}`)).body['status'] === 'COMPLETED';
  });
  const customer = { customer_name: `${name}-invoiced`, customer_email: body.customer_email };
  const draft = await draftInvoice(owner, { ...customer, notes: `${name}-notes` });
  const invoice = await finalizeInvoice(owner, draft.body['id']);
  const page = new URL(String(invoice.body['url'])).pathname;
  const paying = await openApi(baseUrl).call(`${page}/payment`, { method: 'POST' });
  const invoicePayment = /pay_[0-9a-z]{26}/.exec(String(paying.headers.location))?.[0];
  await key.simulate(invoicePayment, 'paid');
  await waitUntil('the invoice is paid', async () => {
    const { body: shown } = await owner.call(
      `/v1/merchants/me/invoices/${String(draft.body['id'])}`,
    );
    return shown['status'] === 'paid';
  });
  await insertInvoiceMail(sql, String(draft.body['id']), body.customer_email);
  await sql`
    insert into rail_callbacks (rail, dedupe_key, status, subject_kind, subject_id, body)
    select 'midtrans', 'key', 'taken', 'order', snapshot::json ->> 'order_id', ${Buffer.from(`${name}-payer`)}
      from payments where id = ${paymentId}`;
  await sql`
    insert into quarantined_commands (partition, position_ms, position_seq, index, command, error)
    select 0, 1, 1, 0, json_build_object('t', 'create', 'i', ${paymentId}::text, 'q', ${name}::text)::text, ${name}`;
  await waitUntil('all events are dead letters', async () => {
    const { body: dead } = await owner.call(`${ENDPOINTS}/dlq?limit=100`);
    return (dead['data'] as object[]).length >= 5;
  });
  await waitForLogs();
  const before = await searchTables(sql, [name]);
  for (const table of [
    ...['payments', 'payment_events', 'payment_search', 'payouts', 'payout_events', 'invoices'],
    ...['mails', 'rail_callbacks', 'webhook_attempts', 'webhook_deliveries'],
    'quarantined_commands',
  ]) {
    t.ok(before.includes(`${table}: ${name}`), `${table} held the name`);
  }
  t.ok(
    before.some((found) => found.startsWith('api_logs_')),
    'logs held the name',
  );
  const money = await readMoney();

  // Addresses are matched in any letter case.
  const email = body.customer_email.toUpperCase();
  t.equal(
    await erase({ customer_email: email, with_reference: true }),
    3,
    'two payments and an invoice',
  );
  t.equal(await erase({ payout_id: payoutId, with_reference: true }), 1);
  await waitForLogs();
  await assertErased(t, name, 'the name is erased');
  await assertErased(t, email, 'the value of the request is erased');
  for (const number of ['0001 2233', '00012233']) await assertErased(t, number);
  t.equal(await readMoney(), money, 'money rows are unchanged');
  await assertLedgerSound(t);

  const erased = await key.get(paymentId);
  t.match(erased.body, {
    ...{ status: 'paid', amount: '50000', refunded_amount: '10000', reference_id: null },
    ...{ customer_name: null, customer_email: null, customer_phone: null, description: null },
  });
  t.match(erased.text, /"success_url":null,"cancel_url":null.*"metadata":\{\}/);
  t.match((await key.call(`/v1/refunds/${String(refund.body['id'])}`)).body, {
    ...{ status: 'SUCCEEDED', amount: '10000', reason: null, reference_id: null },
  });
  t.match((await key.call(`/v1/payouts/${payoutId}`)).body, {
    ...{ account_number: '******9876', account_holder: '[erased]', description: null },
  });
  t.equal((await openApi(baseUrl).call(page)).status, 200, 'the invoice page still opens');
  t.match((await key.get(other)).body, { customer_name: neighbour.body.customer_name });
  const again = await key.create(body, idempotencyKey);
  t.same(
    [again.status, again.body['id']],
    [200, paymentId],
    'the idempotency key still finds the payment',
  );
  await waitForLogs();
  await assertErased(t, name, 'the repeated request is logged without its body');

  receiver.behave((_, response) => void response.writeHead(200).end());
  const receivedBefore = receiver.received.length;
  await post(owner, `${ENDPOINTS}/dlq/replay`, { endpoint_id: endpointId });
  const replayed = await waitUntil('the event is replayed', () =>
    receiver.received.slice(receivedBefore).find(({ id }) => id === event?.id),
  );
  t.ok(
    isSignatureRight(replayed.headers, replayed.body, String(secret)),
    'the erased body is signed again',
  );
  t.match(replayed.body.toString(), /"reference_id":null.*"metadata":\{\}/);
  const ofPayout = await waitUntil('the event of the payout is replayed', () =>
    receiver.received.slice(receivedBefore).find(({ type }) => type === 'payout.completed'),
  );
  t.match(JSON.parse(String(ofPayout.body)), { data: { id: payoutId, reference_id: null } });

  const late = {
    ...buildLateLog(merchantId),
    paymentId,
    requestBody: `"${name}-late"`,
    idempotencyKey: `${name}-late`,
  };
  await writeLogs(sql, [late]);
  t.same(await findText(`${name}-late`), [], 'a late log is stored without its body');
  await sql`update webhook_attempts set excerpt = ${name}`;
  await sql`update erasure_subjects set erased_at = now() - interval '1 minute', due_at = now()`;
  await waitUntil('the second pass is done', async () => {
    return (await sql`select from erasure_subjects where swept_at is null`).length === 0;
  });
  const attempts = await sql`
    select 1 from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
     where d.payment_id <> ${other} and coalesce(a.excerpt, a.signatures) is not null`;
  t.same(attempts, []);
  await sql`update webhook_attempts set excerpt = null`;
  await assertErased(t, name, 'data in flight during the erasure is erased too');
  t.equal((await key.create({ amount: '50000' }, idempotencyKey)).code, 'idempotency_conflict');
});

t.test('an erasure keeps references and waits for open payments', async (t) => {
  const { body } = makeCustomer('Xaverius');
  const made = await key.create(body, uniqueWord());
  const id = String(made.body['id']);
  const requested = await post(owner, ERASURES, { environment: 'TEST', payment_id: id });
  t.match(requested.body, { by: 'payment_id', with_reference: false, completed_at: null });
  await waitUntil('the eraser has postponed the payment', async () => {
    const rows = await sql`
      select 1 from erasure_subjects where id = ${id} and due_at > now() + interval '30 seconds'`;
    return rows.length === 1;
  });
  t.match(
    (await key.get(id)).body,
    { customer_name: body.customer_name },
    'an open payment is not erased',
  );
  await key.cancel(id);
  await sql`update erasure_subjects set due_at = now() where id = ${id}`;
  await waitUntil('the payment is erased', async () => {
    return (await key.get(id)).body['customer_name'] === null;
  });
  t.match((await key.get(id)).body, { reference_id: body.reference_id });
  const words = ['reference_id', body.reference_id, '--with-reference'];
  t.equal(await eraseByCommand(...words), 1);
  t.equal((await key.get(id)).body['reference_id'], null);
  await waitForLogs();
  await assertErased(t, 'Xaverius');
});

t.test('a payment that changes during its erasure keeps no data', async (t) => {
  const { body } = makeCustomer('Wulandari');
  const id = await makePaidPayment(body);
  const refunds = Array.from({ length: 20 }, (_, index) =>
    post(key, '/v1/refunds', { payment_id: id, amount: '1000', reason: `Wulandari-${index}` }),
  );
  const erasing = erase({ payment_id: id, with_reference: true });
  await Promise.all([...refunds, erasing]);
  await post(key, '/v1/refunds', { payment_id: id, amount: '1000', reason: 'Wulandari-later' });
  t.match((await key.get(id)).body, { refunded_amount: '21000', customer_name: null });
  await erase({ payment_id: id, with_reference: true });
  await waitForLogs();
  await assertErased(t, 'Wulandari');
  await assertLedgerSound(t);
});

t.test('an erasure continues after the webhooks process was killed half-way', async (t) => {
  const [payments] = service.payments;
  if (payments === undefined) throw new Error('there is no payments process');
  const { body } = makeCustomer('Valentinus');
  const id = await makePaidPayment(body);
  payments.pause();
  await post(owner, ERASURES, { environment: 'TEST', payment_id: id, with_reference: true });
  await waitUntil('the command is sent', () => hasEraseCommand(redis, id));
  await eraser.kill();
  payments.resume();
  await waitUntil('the payment actor has erased its part', async () => {
    return (await key.get(id)).body['customer_name'] === null;
  });
  t.ok(
    (await searchTables(sql, ['Valentinus'])).includes('payment_events: Valentinus'),
    'its events are not erased yet',
  );
  await eraser.start();
  await waitUntil('the erasure is completed', () => isErased(sql, id));
  await waitForLogs();
  await assertErased(t, 'Valentinus');
  await assertLedgerSound(t);
});

t.test('closed payments older than the retention are erased', async (t) => {
  const { body } = makeCustomer('Umar');
  const [old, young] = [
    await makePaidPayment(body),
    await makePaidPayment({ amount: '15000', description: 'Tri' }),
  ];
  const open = String((await key.create({ amount: '15000', description: 'Sri' })).body['id']);
  await sql`
    update payments set created_at = now() - interval '31 days' where id in (${old}, ${open})`;
  await eraser.kill();
  await eraser.start();
  await waitUntil('the payment is erased', () => isErased(sql, old));
  t.match((await key.get(old)).body, { customer_name: null, reference_id: body.reference_id });
  t.match((await key.get(young)).body, { description: 'Tri' });
  t.match((await key.get(open)).body, { description: 'Sri' }, 'an open payment is not erased');
});

t.test('an erasure by an administrator is audited without the value', async (t) => {
  const { body } = makeCustomer('Rahmat');
  const id = await makePaidPayment({ ...body, customer_phone: '+62 (857) 1234-5678' });
  const path = `/v1/admin/merchants/${merchantId}/erasures`;
  const sought = { environment: 'TEST', customer_phone: '085712345678' };
  const elsewhere = path.replace(merchantId, makeId('mer', randomBytes(16)));
  const unknown = await office.call(elsewhere, { method: 'POST', body: sought });
  t.strictSame([unknown.status, unknown.code], [404, 'merchant_not_found']);
  const requested = await post(office, path, sought);
  await waitUntil('the erasure is completed', async () => {
    const { body: shown } = await office.call(`${path}/${String(requested.body['id'])}`);
    return shown['status'] === 'completed' && shown['found'] === 1;
  });
  t.match((await key.get(id)).body, { customer_phone: null });
  const log = await sql<{ action: string; after: string }[]>`
    select action, after from audit_log where action ~ 'erasure' and action !~ '^GET'`;
  t.match(JSON.stringify(log), /POST \/v1\/admin\/merchants\/\{merchant_id\}\/erasures/);
  t.match(JSON.stringify(log), /erasure_requests.insert/);
  t.same(await searchTables(sql, ['085712345678']), []);
  const list = (await owner.call(`${ERASURES}?limit=1`)).body;
  t.match(list, {
    data: [{ id: requested.body['id'], by: 'customer_phone', found: 1, erased: 1 }],
  });
});

t.test('a damaged payment does not delay other erasures', async (t) => {
  const [damaged, sound] = [
    await makePaidPayment({ amount: '15000' }),
    await makePaidPayment({ amount: '15000' }),
  ];
  await waitUntil('the event is fanned out', async () => {
    return (await sql`select 1 from webhook_deliveries where payment_id = ${damaged}`).length > 0;
  });
  const [row] = await sql<{ envelope: string }[]>`
    update payment_events e set envelope = '{broken' from payment_events before
     where e.payment_id = ${damaged} and e.envelope is not null
       and before.payment_id = e.payment_id and before.version = e.version
    returning before.envelope`;
  await post(owner, ERASURES, { environment: 'TEST', payment_id: damaged });
  await waitUntil('the error is logged', () =>
    eraser.lines().some((line) => line.includes('cannot be erased') && line.includes(damaged)),
  );
  t.equal(await erase({ payment_id: sound }), 1);
  await sql`
    update payment_events set envelope = ${row?.envelope ?? ''}
     where payment_id = ${damaged} and envelope is not null`;
  await sql`update erasure_subjects set due_at = now() where id = ${damaged}`;
  await waitUntil('the repaired payment is erased', () => isErased(sql, damaged));
});
