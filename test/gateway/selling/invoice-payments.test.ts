// How invoices are paid: one payment at a time, once, whatever the order of what happens.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openApi, type ApiAnswer } from '#test/support/api.js';
import {
  INVOICES,
  openInvoice,
  previewInvoice,
  remindInvoice,
  sendInvoice,
  showInvoice,
  voidInvoice,
} from '#test/support/collecting/invoices.js';
import {
  getPage,
  addCustomer,
  openSeller,
  type PageAnswer,
  postForm,
  startCollecting,
} from '#test/support/collecting/stage.js';
import { createTestMerchant, readMetrics } from '#test/support/processes.js';

/** The events are counted every five seconds, which is part of the lag. */
const COUNTED_S = 8;

const stage = await startCollecting(t, { gateways: 2, followers: 2 });
const { service, sql } = stage;
const addresses = service.gateways.map(({ baseUrl }) => baseUrl);
const seller = await openSeller(stage);

const idOf = (invoice: ApiAnswer): string => String(invoice.body['id']);
const urlOf = (invoice: ApiAnswer): string => `${addresses[0] ?? ''}/invoice/${idOf(invoice)}`;
const click = (invoice: ApiAnswer, gateway = 0): Promise<PageAnswer> =>
  postForm(`${addresses[gateway] ?? ''}/invoice/${idOf(invoice)}/payment`, {});
const paymentOf = ({ location }: PageAnswer): string => location.split('/').at(-1) ?? '';
const priced = (amount: string): object => ({
  items: [{ description: 'Kopi', quantity: 1, unit_amount: amount }],
});

async function reaches(invoice: ApiAnswer, fields: object): Promise<void> {
  await waitUntil(`the invoice is ${JSON.stringify(fields)}`, async () => {
    const { body } = await showInvoice(seller.api, idOf(invoice));
    return Object.entries(fields).every(([name, value]) => body[name] === value);
  });
}

const tasksOf = (payment: string) => sql<{ id: string; kind: string; details: string }[]>`
  select id, kind, details from operator_tasks where payment_id = ${payment}`;

async function attemptsOf(invoice: ApiAnswer): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from invoice_payments where invoice_id = ${idOf(invoice)}`;
  return row?.count ?? 0;
}

t.test('the page, and 50 clicks at once', async (t) => {
  const invoice = await openInvoice(seller.api, { customer_name: 'Budi', notes: 'Lunas <i>' });
  const shown = await getPage(urlOf(invoice));
  t.equal(shown.status, 200);
  for (const text of ['INV-0', 'Rp\u00a0300.000', 'Celemek &lt;b&gt;', 'Lunas &lt;i&gt;', 'Budi']) {
    t.ok(shown.text.includes(text), text);
  }
  t.notMatch(shown.text, /<script|<style| style=| on[a-z]+=/, 'nothing is inline');
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => click(invoice, index % 2)),
  );
  t.same(new Set(answers.map(({ status }) => status)), new Set([303]));
  t.equal(new Set(answers.map(paymentOf)).size, 1, 'one payment');
  const payment = paymentOf(answers[0] ?? { status: 0, location: '', text: '' });
  const [row] =
    await sql`select amount, reference_id, snapshot from payments where id = ${payment}`;
  t.match(row, { amount: '300000', reference_id: String(invoice.body['number']) });
  t.ok(String(row?.['snapshot']).includes(idOf(invoice)));
  await seller.api.simulate(payment, 'paid');
  t.match((await getPage(urlOf(invoice))).text, /Your payment was received/, 'at once');
  await reaches(invoice, { status: 'paid', payment_id: payment });
  const { body } = await showInvoice(seller.api, idOf(invoice));
  const [event] = await sql<{ paid: string }[]>`
    select envelope::json -> 'data' ->> 'paid_at' as paid from payment_events
     where payment_id = ${payment} and envelope is not null`;
  t.equal(body['paid_at'], event?.paid);
  t.equal((await click(invoice)).location, `/invoice/${idOf(invoice)}`, 'nothing is left to pay');
  t.equal((await voidInvoice(seller.api, idOf(invoice))).status, 409);
  t.same(await tasksOf(payment), []);
  const [log] = await sql`select actor from audit_log where target = ${idOf(invoice)}
                           order by id desc limit 1`;
  t.equal(log?.['actor'], 'payments');
});

t.test(
  'a paid invoice is not mailed and not voided, also before it knows of its payment',
  async (t) => {
    const customer = await addCustomer(stage, seller);
    const invoice = await openInvoice(seller.api, { customer_email: customer });
    const id = idOf(invoice);
    const payment = paymentOf(await click(invoice));
    // Its event waits behind this lock.
    await sql.begin(async (tx) => {
      await tx`select 1 from invoices where id = ${id} for share`;
      await seller.api.simulate(payment, 'paid');
      t.match((await previewInvoice(seller.api, id)).body, { mail: null, reminder: null });
      const asked = await tx`
      select mail_invoice(${id}, ${seller.merchantId}, 'reminder', 'mail_x', ${customer}, '', '', 0)`;
      t.same(asked, [{ mail_invoice: 'paid' }]);
      const voided = await tx`select void_invoice(${id}, ${seller.merchantId})`;
      t.same(voided, [{ void_invoice: 'paid' }]);
    });
    for (const ask of [sendInvoice, remindInvoice]) {
      t.match((await ask(seller.api, id)).body['error'], { message: /status is paid/ });
    }
    await reaches(invoice, { status: 'paid' });
  },
);

t.test('a new payment behind one that failed', async (t) => {
  const invoice = await openInvoice(seller.api);
  const first = paymentOf(await click(invoice));
  await seller.api.simulate(first, 'failed');
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => click(invoice, index % 2)),
  );
  const seconds = new Set(answers.map(paymentOf));
  t.equal(seconds.size, 1);
  t.notOk(seconds.has(first));
  t.equal(await attemptsOf(invoice), 2);
});

t.test('paid late, and paid twice', async (t) => {
  // It expires at once, and is paid late; meanwhile the customer has begun another.
  const invoice = await openInvoice(seller.api, priced('10095'));
  const first = paymentOf(await click(invoice));
  await reaches(invoice, { status: 'paid', payment_id: first });
  const second = `pay_${'7'.repeat(26)}`;
  await sql`insert into payments (id, merchant_id, environment, status, amount, currency, created_at, version, snapshot)
            select ${second}, merchant_id, environment, 'paid', amount, currency, now(), 1, ''
              from payments where id = ${first}`;
  await sql`insert into invoice_payments (invoice_id, attempt, payment_id) values (${idOf(invoice)}, 2, ${second})`;
  for (let time = 0; time < 2; time += 1) await sql`select settle_invoices(array[${second}])`;
  const tasks = await tasksOf(second);
  t.match(tasks, [{ id: /^task_[0-9a-z]{32}$/, kind: 'invoice_paid_twice' }]);
  t.same(JSON.parse(tasks[0]?.details ?? ''), {
    invoice: idOf(invoice),
    number: invoice.body['number'],
    paidBy: first,
  });
  t.match((await showInvoice(seller.api, idOf(invoice))).body, { payment_id: first });
});

t.test('a payment that is reversed', async (t) => {
  const invoice = await openInvoice(seller.api, priced('10096'));
  const first = paymentOf(await click(invoice));
  await waitUntil('it is reversed', async () => {
    const [row] = await sql`select status from payments where id = ${first}`;
    return row?.['status'] === 'failed';
  });
  await reaches(invoice, { status: 'open', payment_id: null, paid_at: null });
  t.not(paymentOf(await click(invoice)), first, 'it can be paid again');
});

t.test('a refund changes nothing', async (t) => {
  const { merchantId, testKey } = await createTestMerchant(service.databaseUrl);
  const refunder = await openSeller(stage, 'owner', merchantId);
  const invoice = await openInvoice(refunder.api);
  const payment = paymentOf(await click(invoice));
  await seller.api.simulate(payment, 'paid');
  const api = openApi(service.baseUrl, testKey);
  const refund = await api.call('/v1/refunds', { method: 'POST', body: { payment_id: payment } });
  t.equal(refund.status, 201, refund.text);
  await waitUntil('it is paid', async () => {
    const { body } = await showInvoice(refunder.api, idOf(invoice));
    return body['payment_id'] === payment && body['status'] === 'paid';
  });
  const path = `${INVOICES}?status=paid`;
  t.equal(((await refunder.api.call(path)).body['data'] as unknown[]).length, 1);
});

t.test('void: its payment is cancelled, or its money is a task', async (t) => {
  const invoice = await openInvoice(seller.api);
  const payment = paymentOf(await click(invoice));
  t.match((await voidInvoice(seller.api, idOf(invoice))).body, { status: 'void' });
  const [row] = await sql`select status from payments where id = ${payment}`;
  t.equal(row?.['status'], 'cancelled');
  t.equal((await click(invoice)).location, `/invoice/${idOf(invoice)}`);
  t.match((await getPage(urlOf(invoice))).text, /Do not pay it/);
  const late = await openInvoice(seller.api, priced('10095'));
  const paid = paymentOf(await click(late));
  await sql`select void_invoice(${idOf(late)}, ${seller.merchantId})`;
  await waitUntil('there is a task', async () => (await tasksOf(paid)).length === 1);
  t.match(await tasksOf(paid), [{ kind: 'invoice_paid_void' }]);
  t.match((await showInvoice(seller.api, idOf(late))).body, { status: 'void', payment_id: null });
});

t.test(
  'a gateway that died after beginning a payment: the next click creates that payment',
  async (t) => {
    const invoice = await openInvoice(seller.api);
    const clicked = await click(invoice);
    const payment = paymentOf(clicked);
    // As if nothing had been sent: the row is there, the payment is not.
    await sql`delete from payment_events where payment_id = ${payment}`;
    await sql`delete from payments where id = ${payment}`;
    await Promise.all(service.payments.map((process) => process.kill()));
    await Promise.all(service.payments.map((process) => process.start()));
    t.equal(
      (await click(invoice)).location,
      clicked.location,
      'the same payment is asked for again',
    );
    const [row] = await sql`select status from payments where id = ${payment}`;
    t.equal(row?.['status'], 'pending');
    t.equal(await attemptsOf(invoice), 1);
  },
);

t.test('LIVE passes its gate at every click', async (t) => {
  const { merchantId } = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
  const live = await openSeller(stage, 'owner', merchantId);
  const invoice = await openInvoice(live.api, { environment: 'LIVE' });
  const payment = paymentOf(await click(invoice));
  const [row] = await sql`select environment from payments where id = ${payment}`;
  t.equal(row?.['environment'], 'LIVE');
  const other = await openInvoice(live.api, { environment: 'LIVE' });
  await sql`insert into switches (name, is_on) values ('live_creates', false)`;
  await waitUntil('nothing new is taken', async () => {
    return (await getPage(urlOf(other))).text.includes('cannot take payments at the moment');
  });
  t.equal((await click(other)).status, 400);
  t.equal(paymentOf(await click(invoice)), payment, 'what is open is still found');
  await sql`delete from switches where name = 'live_creates'`;
  await sql`update merchants set live_enabled = false where id = ${merchantId}`;
  const refused = await click(other);
  t.equal(refused.status, 400);
  t.match(refused.text, /cannot take payments at the moment/);
  t.match((await getPage(urlOf(other))).text, /cannot take payments at the moment/);
  t.equal(await attemptsOf(other), 0);
});

t.test('an unknown or draft invoice returns 404', async (t) => {
  for (const id of ['inv_x', `inv_${'0'.repeat(26)}`]) {
    const answer = await getPage(`${addresses[0] ?? ''}/invoice/${id}`);
    t.equal(answer.status, 404);
    t.match(answer.text, /Invoice not found/);
  }
  const path = `/invoice/inv_${'0'.repeat(26)}/payment`;
  const answer = await seller.api.call(path, { method: 'POST', headers: { authorization: '' } });
  t.equal(answer.code, 'invoice_not_found');
});

t.test('that followers are stuck is told by every one of them', async (t) => {
  const invoice = await openInvoice(seller.api, priced('15000'));
  const payment = paymentOf(await click(invoice));
  const tell = async (isTold: (unhandled: number, lagS: number) => boolean): Promise<void> => {
    for (const follower of stage.followers) {
      await waitUntil(`${follower.name} tells`, async () => {
        const page = await readMetrics(follower);
        const lag = 'lag_seconds\\{follower="links_and_invoices"\\}';
        const [unhandled, lagS] = ['unhandled', lag].map((name) =>
          Number(new RegExp(`^kasir_payment_followers_${name} (\\S+)$`, 'm').exec(page)?.[1]),
        );
        return isTold(unhandled ?? NaN, lagS ?? NaN);
      });
    }
  };
  await sql.begin(async (tx) => {
    await tx`select 1 from invoices where id = ${idOf(invoice)} for update`;
    await openApi(stage.baseUrl).simulate(payment, 'paid');
    await tell((unhandled, lagS) => unhandled === 1 && lagS > COUNTED_S);
  });
  await reaches(invoice, { status: 'paid' });
  await tell((unhandled, lagS) => unhandled === 0 && lagS < COUNTED_S);
  t.pass('and that it is over');
});
