// Invoices are mailed to people who never asked for them. So a merchant may send few mails per hour, and an address
// receives few per day, however many merchants send concurrently. A rejected mail changes nothing.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { startGateways } from '#test/support/accounts.js';
import type { Api, ApiAnswer } from '#test/support/api.js';
import {
  changeInvoice,
  draftInvoice,
  finalizeInvoice,
  openInvoice,
  showInvoice,
} from '#test/support/collecting/invoices.js';
import { openLiveSeller } from '#test/support/collecting/stage.js';

const HOURLY = 3;
/** The service's own bound. */
const DAILY = 10;

const { sql, baseUrl } = await startGateways(t, 1, { INVOICE_MAILS_PER_HOUR: String(HOURLY) });
const openShop = () => openLiveSeller({ baseUrl, sql });
const to = (name: string) => ({
  environment: 'LIVE',
  customer_email: `${name}@pelanggan.example`,
});
const statusesOf = (answers: readonly ApiAnswer[]): number[] =>
  answers.map(({ status }) => status).sort((a, b) => a - b);

async function finalizeAtOnce(api: Api, count: number, name: (index: number) => string) {
  const drafts = await Promise.all(
    Array.from({ length: count }, (_, index) => draftInvoice(api, to(name(index)))),
  );
  return Promise.all(drafts.map(({ body }) => finalizeInvoice(api, body['id'])));
}

t.test('of a merchant, an hour', async (t) => {
  const { api, merchantId } = await openShop();
  const answers = await finalizeAtOnce(api, 8, (index) => `customer-${index}`);
  t.same(statusesOf(answers), [200, 200, 200, 429, 429, 429, 429, 429]);
  const { body } = await draftInvoice(api, to('customer-9'));
  const refused = await finalizeInvoice(api, body['id']);
  t.equal(refused.code, 'rate_limited');
  const retryAfter = Number(refused.headers['retry-after']);
  t.ok(retryAfter > 3_000 && retryAfter <= 3_600, `after ${retryAfter} s`);
  t.match((await showInvoice(api, body['id'])).body, { status: 'draft', number: null });
  const [count] = await sql`
    select count(*)::int as mails from mails where merchant_id = ${merchantId}`;
  t.equal(count?.['mails'], HOURLY);

  await changeInvoice(api, body['id'], { customer_email: null });
  const unmailed = await finalizeInvoice(api, body['id']);
  t.match(unmailed.body, { status: 'open', number: 'INV-000004' }, 'no number is left out');
  t.equal((await openInvoice((await openShop()).api, to('customer-9'))).status, 200, 'another may');
  await sql`update mails set created_at = created_at - interval '1 hour'`;
  t.equal((await openInvoice(api, to('customer-9'))).status, 200, 'later it may again');
});

t.test('to an address, a day, however it is written', async (t) => {
  const shops = await Promise.all(Array.from({ length: 3 }, openShop));
  const answers = await Promise.all(
    shops.map(({ api }) =>
      finalizeAtOnce(api, HOURLY, (index) => (index % 2 === 0 ? 'Victim' : 'victim')),
    ),
  );
  t.same(statusesOf(answers.flat()), Array<number>(DAILY - 1).fill(200));
  const last = await Promise.all(Array.from({ length: 6 }, openShop));
  const drafts = await Promise.all(last.map(({ api }) => draftInvoice(api, to('victim'))));
  const ends = await Promise.all(
    last.map(({ api }, index) => finalizeInvoice(api, drafts[index]?.body['id'])),
  );
  t.same(statusesOf(ends), [200, 429, 429, 429, 429, 429], 'of all at once one');
  await sql`update mails set created_at = created_at - interval '23 hours'`;
  t.equal((await openInvoice((await openShop()).api, to('victim'))).code, 'rate_limited');
  await sql`update mails set created_at = created_at - interval '1 hour'`;
  t.equal((await openInvoice((await openShop()).api, to('victim'))).status, 200);
});

t.test('of two who ask in the same moment, one waits for the other', async (t) => {
  const recipient = 'crowd@pelanggan.example';
  const mail = (id: string) => ({
    ...{ id, recipient, subject: '', body: '' },
    ...{ merchant_id: 'mer_a', budget: 'invoice' },
  });
  await sql`insert into mails ${sql(Array.from({ length: DAILY - 1 }, (_, n) => mail(`m_${n}`)))}`;
  const ask = (on: typeof sql, merchant: string) =>
    on<{ wait: number }[]>`
      select wait_for_mail('invoice', ${merchant}, digest_mailbox(${recipient}), 0) as wait`;
  const second = await sql.begin(async (tx) => {
    t.same(await ask(tx as unknown as typeof sql, 'mer_a'), [{ wait: 0 }], 'the last one');
    await tx`insert into mails ${tx(mail('m_last'))}`;
    const asked = ask(sql, 'mer_b').execute();
    await waitUntil('the other waits', async () => {
      const rows = await tx`
        select 1 from pg_locks l join pg_database d on d.oid = l.database
         where l.locktype = 'advisory' and not l.granted and d.datname = current_database()`;
      return rows.length > 0;
    });
    return { asked };
  });
  const [row] = await second.asked;
  t.ok((row?.wait ?? 0) > 80_000, 'and is too late');
});
