// Concurrent claims at Postgres, on more connections than gateways have: the locks must hold.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { claimUse, releaseClaim } from '#store/postgres/links-and-invoices/link-uses.js';
import { beginInvoicePayment } from '#store/postgres/links-and-invoices/invoice-payments.js';
import { finalizeInvoice } from '#store/postgres/links-and-invoices/invoices.js';
import { openPostgres } from '#store/postgres/client.js';
import { makeMerchant } from '#test/support/accounts.js';
import { createDatabase } from '#test/support/servers.js';

const CONNECTIONS = 24;
const BOUND = 10;

const sql = openPostgres(await createDatabase(t), 'test', CONNECTIONS);
t.teardown(() => sql.end({ timeout: 1 }));
const merchantId = await makeMerchant(sql);
const actor = { userId: makeId('usr', randomBytes(16)), address: '127.0.0.1' };
const makePaymentId = () => makeId('pay', randomBytes(16));
const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));

async function makeLink() {
  const id = makeId('plink', randomBytes(16));
  await sql`insert into payment_links (id, slug, merchant_id, environment, title, amount, currency, max_uses)
            values (${id}, ${id.slice(-16)}, ${merchantId}, 'TEST', 'Kopi', 15000, 'IDR', ${BOUND})`;
  return id;
}

async function countUses(id: string): Promise<{ uses: number; rows: number }> {
  const [row] = await sql<{ uses: number; rows: number }[]>`
    select uses, (select count(*)::int from payment_link_uses u
                   where u.link_id = l.id and u.state <> 'given_back') as rows
      from payment_links l where id = ${id}`;
  return row ?? { uses: -1, rows: -1 };
}

t.test('concurrent claims never exceed max_uses, and the counter equals the rows', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    const link = await makeLink();
    // Each payment is claimed five times at once.
    const payments = times(60, makePaymentId);
    const claims = await Promise.all(
      times(300, (index) => claimUse(sql, link, payments[index % 60] ?? makePaymentId())),
    );
    t.equal(claims.filter((claim) => claim === 'claimed').length, BOUND * 5);
    t.same(await countUses(link), { uses: BOUND, rows: BOUND });
    const rows = await sql<{ paymentId: never; claimedAt: string }[]>`
      select payment_id as "paymentId", claimed_at::text as "claimedAt" from payment_link_uses
       where link_id = ${link} limit 4`;
    const old = rows.map((row) => ({ ...row, merchantId, environment: 'TEST' as const }));
    const given = await Promise.all([...old, ...old].map((claim) => releaseClaim(sql, claim)));
    t.equal(given.filter((isGiven) => isGiven).length, 4, 'each once');
    t.same(await countUses(link), { uses: BOUND - 4, rows: BOUND - 4 });
  }
});

t.test('a claim that was renewed is not released', async (t) => {
  const link = await makeLink();
  const paymentId = makePaymentId();
  await claimUse(sql, link, paymentId);
  const [row] = await sql<{ claimedAt: string }[]>`
    select claimed_at::text as "claimedAt" from payment_link_uses where payment_id = ${paymentId}`;
  const claim = {
    paymentId,
    merchantId,
    environment: 'TEST',
    claimedAt: row?.claimedAt ?? '',
  } as const;
  await claimUse(sql, link, paymentId);
  t.equal(await releaseClaim(sql, claim), false);
  t.same(await countUses(link), { uses: 1, rows: 1 });
});

t.test(
  'concurrent finalizing and paying of an invoice gives one number and one attempt',
  async (t) => {
    const id = makeId('inv', randomBytes(16));
    await sql`insert into invoices (id, merchant_id, environment, language, currency, items, total)
            values (${id}, ${merchantId}, 'TEST', 'id', 'IDR', '[]', 15000)`;
    const key = { id, merchantId, revision: 1 };
    const finals = await Promise.all(times(50, () => finalizeInvoice(sql, actor, key, null)));
    t.equal(finals.filter((result) => result === 'done').length, 1);
    const first = makePaymentId();
    const begun = await Promise.all(times(50, () => beginInvoicePayment(sql, id, 1, first)));
    t.same(new Set(begun), new Set(['begin']));
    const seconds = await Promise.all(
      times(50, () => beginInvoicePayment(sql, id, 2, makePaymentId())),
    );
    t.same(new Set(seconds), new Set(['again']), 'the first attempt is still undecided');
    await sql`insert into payments (id, merchant_id, environment, status, amount, currency, created_at, version, snapshot)
            values (${first}, ${merchantId}, 'TEST', 'failed', 15000, 'IDR', now(), 1, '')`;
    const next = makePaymentId();
    const again = await Promise.all(times(50, () => beginInvoicePayment(sql, id, 2, next)));
    t.same(new Set(again), new Set(['begin']));
    const [row] =
      await sql`select count(*)::int as count from invoice_payments where invoice_id = ${id}`;
    t.equal(row?.['count'], 2);
  },
);
