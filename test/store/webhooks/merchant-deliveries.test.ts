// Deliveries of a merchant across its endpoints: merged, filtered, and read in bounded steps.
import t from 'tap';
import { randomBytes } from 'node:crypto';
import { deriveEventId, makeId, type MerchantId } from '#actors/core/ids.js';
import { openPostgres } from '#store/postgres/client.js';
import type { PagePlace } from '#store/postgres/page.js';
import {
  listMerchantDeliveries,
  type MerchantDeliveryFilter,
} from '#store/postgres/webhooks/list-merchant-deliveries.js';
import { findSubjects } from '#store/postgres/webhooks/delivery-subjects.js';
import { makeMerchant } from '#test/support/accounts.js';
import { createDatabase, fillTables } from '#test/support/servers.js';

const sql = openPostgres(await createDatabase(t), 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));

/** Each of the endpoints has `each` delivered ones, and a dead one before them. */
async function makeDeliveries(merchantId: MerchantId, endpoints: number, each: number) {
  await fillTables(sql, async (tx) => {
    await tx`
      insert into webhook_endpoints (id, merchant_id, environment, url, secret)
      select 'we_' || ${merchantId.slice(4, 28)}::text || lpad(e::text, 2, '0'), ${merchantId}, 'TEST',
             'https://example.com/hook', ''
        from generate_series(1, ${endpoints}::integer) e`;
    await tx`
      insert into webhook_deliveries (id, event_id, endpoint_id, payment_id, version, type, status,
                                      created_at, settled_at)
      select 'del_' || md5(w.id || ' ' || n), 'evt_' || md5(${merchantId}::text || n) || '0002', w.id,
             'pay_' || lpad(n::text, 26, '0'), 2, 'payment.paid', case n when 0 then 'dead' else 'delivered' end,
             now() - (${each}::integer - n) * interval '1 second', now()
        from webhook_endpoints w, generate_series(0, ${each}::integer) n
       where w.merchant_id = ${merchantId}`;
  });
}

async function readAll(filter: MerchantDeliveryFilter, limit: number) {
  const pages: { ids: string[]; stops: number } = { ids: [], stops: 0 };
  let after: PagePlace | null = null;
  for (let page = 0; page < 100; page += 1) {
    const found = await listMerchantDeliveries(sql, filter, { limit, after });
    const shown = found.rows.slice(0, limit);
    pages.ids.push(...shown.map(({ id }) => id));
    if (found.rows.length > limit) after = shown.at(-1) ?? null;
    else after = found.stoppedAt;
    if (found.stoppedAt !== null) pages.stops += 1;
    if (after === null) return pages;
  }
  throw new Error('the list does not end');
}

const ALL = {
  ...{ environment: null, status: null, eventId: null, subjectIds: null, endpointId: null },
  ...{ type: null, reason: null, amount: null },
} as const;

t.test('the deliveries to all endpoints are one list, newest first', async (t) => {
  const merchantId = await makeMerchant(sql);
  await makeDeliveries(merchantId, 3, 20);
  await makeDeliveries(await makeMerchant(sql), 1, 5);
  const { ids } = await readAll({ ...ALL, merchantId }, 7);
  const rows = await sql<{ id: string }[]>`
    select d.id from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
     where w.merchant_id = ${merchantId} order by d.created_at desc, d.id desc`;
  t.strictSame(
    ids,
    rows.map(({ id }) => id),
    'each once, of this merchant only',
  );
  t.equal(ids.length, 63);
  const live = await readAll({ ...ALL, merchantId, environment: 'LIVE' }, 7);
  t.same(live.ids, []);
});

t.test(
  'a rare status is found over several pages, each of which reads a bounded number',
  async (t) => {
    const merchantId = await makeMerchant(sql);
    await makeDeliveries(merchantId, 2, 25_000);
    const { ids, stops } = await readAll({ ...ALL, merchantId, status: 'dead' }, 20);
    t.equal(ids.length, 2, 'both dead ones');
    t.equal(stops, 2, 'after 10,000 rows of an endpoint a page ends');
  },
);

t.test('the deliveries of one event and of one payment', async (t) => {
  const merchantId = await makeMerchant(sql);
  await makeDeliveries(merchantId, 2, 3);
  const paymentId = makeId('pay', randomBytes(16));
  const versions = [2, 3, 1_100];
  for (const version of versions) {
    await sql`
      insert into webhook_deliveries (id, event_id, endpoint_id, payment_id, version, type)
      select 'del_' || md5(id || ' version ' || ${version}::text), ${deriveEventId(paymentId, version)}, id, ${paymentId},
             ${version}::integer, 'payment.paid'
        from webhook_endpoints where merchant_id = ${merchantId}`;
  }
  const ofPayment = await readAll({ ...ALL, merchantId, subjectIds: [paymentId] }, 100);
  t.equal(ofPayment.ids.length, versions.length * 2);
  const eventId = deriveEventId(paymentId, 3);
  t.equal((await readAll({ ...ALL, merchantId, eventId }, 100)).ids.length, 2);
  const otherMerchant = await makeMerchant(sql);
  t.same(
    (await readAll({ ...ALL, merchantId: otherMerchant, subjectIds: [paymentId] }, 100)).ids,
    [],
  );
});

t.test('deliveries are found by endpoint, event, reason, amount and reference', async (t) => {
  const merchantId = await makeMerchant(sql);
  await makeDeliveries(merchantId, 2, 3);
  const paymentId = makeId('pay', randomBytes(16));
  await sql`
    insert into payments (id, merchant_id, environment, status, amount, currency, reference_id, created_at,
                          version, snapshot)
    values (${paymentId}, ${merchantId}, 'TEST', 'failed', 175000, 'IDR', 'order-9', now(), 2, '{}')`;
  await sql`
    insert into webhook_deliveries (id, event_id, endpoint_id, payment_id, version, type, status, reason,
                                    settled_at)
    select 'del_' || md5(id || ' sought'), ${deriveEventId(paymentId, 2)}, id, ${paymentId}, 2, 'payment.failed',
           'dead', 'http_410', now()
      from webhook_endpoints where merchant_id = ${merchantId}`;
  const endpointId = `we_${merchantId.slice(4, 28)}01`;
  const subjectIds = await findSubjects(sql, {
    ...{ merchantId, environment: 'TEST', referenceId: 'order-9' },
  });
  t.strictSame(subjectIds, [paymentId]);
  const count = async (filter: Partial<MerchantDeliveryFilter>): Promise<number> =>
    (await readAll({ ...ALL, merchantId, ...filter }, 3)).ids.length;
  t.equal(await count({}), 10);
  t.equal(await count({ endpointId }), 5);
  t.equal(await count({ type: 'payment.failed' }), 2);
  t.equal(await count({ reason: 'http_410' }), 2);
  t.equal(await count({ amount: '175000' }), 2);
  t.equal(await count({ amount: '175001' }), 0);
  t.equal(await count({ subjectIds }), 2);
  t.equal(await count({ subjectIds, endpointId, amount: '175000' }), 1);
  t.equal(await count({ subjectIds: [] }), 0);
  const [row] = (
    await listMerchantDeliveries(sql, { ...ALL, merchantId, subjectIds }, { limit: 1, after: null })
  ).rows;
  t.match(row, { referenceId: 'order-9', amount: '175000', currency: 'IDR' });
});
