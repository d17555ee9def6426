// Payouts of many merchants in both environments: none waits for another's flood.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { createTestMerchant, uniqueWord } from '#test/support/processes.js';
import { openLivePayouts, payOut } from '#test/support/rails/payouts.js';
import { startRailService } from '#test/support/rails/service.js';
import { fillTables } from '#test/support/servers.js';

/** Many more than one round sends. */
const FLOOD = 2_000;

const service = await startRailService(t);
const { sql, rails } = service;
const { live } = await openLivePayouts(service, 1_000);
const flooding = (await createTestMerchant(service.databaseUrl)).merchantId;
const other = (await createTestMerchant(service.databaseUrl)).merchantId;

/** Inserts pending TEST payouts that were due `agoMs` ago. */
const insertPayouts = (merchantId: string, count: number, agoMs: number) =>
  fillTables(
    sql,
    (tx) => tx`
      insert into payouts (id, merchant_id, environment, status, amount, currency, bank_code,
                           account_number, account_holder, fingerprint, version, created_at, due_at)
      select 'po_' || substr(md5(${merchantId} || n), 1, 26), ${merchantId}, 'TEST', 'PENDING', 5, 'IDR',
             'BCA', '1', 'Budi', '1:x', 1, now(), now() - ${agoMs}::float8 * interval '1 millisecond'
        from generate_series(1, ${count}::integer) as n`,
  );

t.test('a flood of TEST payouts delays neither LIVE payouts nor other merchants', async (t) => {
  await insertPayouts(flooding, FLOOD, 60_000);
  await insertPayouts(other, 1, 1_000);
  const made = await payOut(live, { amount: '10' }, uniqueWord());
  t.equal(made.status, 201, made.text);
  await rails.start();
  const begun = await waitUntil('both have begun', async () => {
    const [row] = await sql<{ begun: number; waiting: number }[]>`
      select count(*) filter (where merchant_id <> ${flooding} and status <> 'PENDING')::integer as begun,
             count(*) filter (where merchant_id = ${flooding} and status = 'PENDING')::integer as waiting
        from payouts`;
    return row?.begun === 2 ? row : undefined;
  });
  t.ok(begun.waiting > FLOOD / 2, `${begun.waiting} of the flood still wait`);
});
