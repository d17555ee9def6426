// Readings of changed payouts: transactions commit in any order, and none is missed.
import { randomBytes } from 'node:crypto';
import type { TransactionSql } from 'postgres';
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { type PayoutSnapshot, readPayoutChanges } from '#store/postgres/changes/payout-changes.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { createDatabase } from '#test/support/servers.js';

const MANY = 3_000;
const merchantId = makeId('mer', randomBytes(16));
const sql = openPostgres(await createDatabase(t), 'test', 3);
t.teardown(() => sql.end({ timeout: 1 }));
await checkInstallation(sql, { partitions: 4, idKey: Buffer.alloc(32, 7) });

let snapshot: PayoutSnapshot | null = null;
async function read(within = sql): Promise<{ ids: readonly string[]; isComplete: boolean }> {
  const { changes, isComplete, ...next } = await readPayoutChanges(within, snapshot, [merchantId]);
  snapshot = next.snapshot;
  return { ids: changes.map(({ id }) => id), isComplete };
}

async function addPayouts(
  within: TransactionSql | Postgres,
  merchant: string,
  count = 1,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => makeId('po', randomBytes(16)));
  await within`
    insert into payouts (id, merchant_id, environment, status, amount, currency, bank_code, account_number,
                         account_holder, fingerprint, version, created_at)
    select id, ${merchant}, 'TEST', 'PENDING', 1, 'IDR', 'BCA', '1', 'Budi', '', 1, now()
      from unnest(${ids}::text[]) id`;
  await within`
    insert into payout_events (payout_id, version, type, at, event)
    select id, 1, 'payout_requested', now(), '{}' from unnest(${ids}::text[]) id`;
  return ids;
}

t.test('the first reading has no changes, and later ones those of their merchants', async (t) => {
  await addPayouts(sql, merchantId);
  t.strictSame(await read(), { ids: [], isComplete: true });
  await addPayouts(sql, makeId('mer', randomBytes(16)));
  const ids = await addPayouts(sql, merchantId);
  t.strictSame(await read(), { ids, isComplete: true });
  t.strictSame(await read(), { ids: [], isComplete: true });
});

t.test('while another transaction is open, each change is read once', async (t) => {
  await sql.begin(async (open) => {
    await open`select pg_current_xact_id()`;
    await addPayouts(sql, merchantId);
    snapshot = null;
    t.strictSame(await read(), { ids: [], isComplete: true });
    const ids = await addPayouts(sql, merchantId);
    t.strictSame(await read(), { ids, isComplete: true });
    await addPayouts(sql, merchantId, MANY);
    t.equal((await read()).isComplete, false);
    t.strictSame(await read(), { ids: [], isComplete: true });
  });
  t.strictSame(await read(), { ids: [], isComplete: true });
});

t.test('a payout that commits after a later one is read, and each is read once', async (t) => {
  let late: string[] = [];
  const soon = await sql.begin(async (open) => {
    late = await addPayouts(open, merchantId);
    const others = await addPayouts(sql, merchantId);
    t.strictSame((await read()).ids, others);
    t.strictSame((await read()).ids, [], 'the older transaction is still open');
    return others;
  });
  t.strictSame((await read()).ids, late);
  t.strictSame((await read()).ids, []);
  t.equal(soon.length, 1);
});

t.test('more changes than a reading holds, and a server that lost commits, are told', async (t) => {
  await addPayouts(sql, merchantId, MANY);
  t.equal((await read()).isComplete, false);
  t.strictSame(await read(), { ids: [], isComplete: true });
  const later = 2n ** 60n + 3n;
  snapshot = `${later}:${later}:`;
  t.equal((await read()).isComplete, false);
  t.strictSame(await read(), { ids: [], isComplete: true });
});

t.test('a reading finds few new events among many by the index', async (t) => {
  const late = await sql.begin(async (open) => {
    const added = await addPayouts(open, merchantId);
    await read();
    return added;
  });
  const ids = [...late, ...(await addPayouts(sql, merchantId))];
  const rows = await sql.begin(async (transaction) => {
    t.strictSame((await read(transaction as unknown as Postgres)).ids, ids);
    const [row] = await transaction<{ rows: string }[]>`
      select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_xact_user_tables
       where relname = 'payout_events'`;
    return Number(row?.rows);
  });
  t.ok(rows > 0 && rows < MANY / 100, `${rows} rows`);
});
