// A split of the partitions in Postgres: all at once, with everything that belongs to a partition, and for processes that follow it only.
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { makeId } from '#actors/core/ids.js';
import { partitionFor } from '#actors/core/partition.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { ensureCursors } from '#store/postgres/cursors.js';
import { checkInstallation, readInstallation } from '#store/postgres/migration/installation.js';
import { startPartitionCount } from '#store/postgres/migration/partition-count.js';
import {
  listUnawareProcesses,
  splitPartitions,
} from '#store/postgres/operations/split-partitions.js';
import { commitBatch } from '#store/postgres/payments/commit-batch.js';
import { loadDeferred } from '#store/postgres/payments/deferred-commands.js';
import {
  type Claim,
  claimPartitions,
  readAssignment,
  readClaims,
  renewLease,
} from '#store/postgres/payments/partition-leases.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { at, buildBatch, buildMove } from '#test/support/actors/batches.js';
import { generatePaymentIdIn } from '#test/support/actors/commands.js';
import { SILENT_LOG } from '#test/support/actors/loop.js';
import { createDatabase } from '#test/support/servers.js';

const BEFORE = 4;
const AFTER = 16;
const MINUTE_MS = 60_000;
const ID_KEY = Buffer.alloc(32, 7);
const ANNOUNCEMENT = { contact: { isReachable: true, forMs: 0 }, readsVersion: 1 };
const ALL = Array.from({ length: AFTER }, (_, partition) => partition);

const readAll = async (sql: Postgres): Promise<Claim[]> =>
  (await readClaims(sql, ALL)).sort((a, b) => a.partition - b.partition);

async function openInstallation(t: Test) {
  const sql = openPostgres(await createDatabase(t), 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  await checkInstallation(sql, { partitions: BEFORE, idKey: ID_KEY });
  return sql;
}

/** As a build of before the split says nothing of it. */
const insertUnaware = (sql: Postgres, name: string, untilMs: number) => sql`
  insert into payments_processes (name, lease_until) values (${name}, now() + ${untilMs} * interval '1 ms')`;

t.test('the database finds the partition of each id as the processes do', async (t) => {
  const sql = await openInstallation(t);
  const ids = ['', 'x', ...Array.from({ length: 500 }, () => makeId('pay', randomBytes(16)))];
  for (const count of [1, 3, 16, 64, 1_024]) {
    const rows = await sql<{ found: number }[]>`
      select find_partition(id, ${count}) as found
        from unnest(string_to_array(${ids.join(',')}, ',')) with ordinality as u (id, n) order by n`;
    t.strictSame(
      rows.map(({ found }) => found),
      ids.map((id) => partitionFor(id, count)),
      `of ${count}`,
    );
  }
});

t.test(
  'a new partition begins at the position that its payments had, under no owner',
  async (t) => {
    const sql = await openInstallation(t);
    await renewLease(sql, 'a', MINUTE_MS, ANNOUNCEMENT);
    const claims = await claimPartitions(sql, 'a', BEFORE);
    const late = buildBatch(await buildMove(sql, 2, at(60_000)));
    await commitBatch(sql, buildBatch(await buildMove(sql, 1, at(50_000))));
    await splitPartitions(sql, BEFORE, AFTER);
    const split = await readAll(sql);
    t.strictSame(
      split.map(({ partition }) => partition),
      ALL,
    );
    for (const { partition, epoch, position, counts } of split) {
      t.strictSame(counts, [BEFORE, AFTER]);
      t.strictSame(position, partition % BEFORE === 1 ? at(50_000) : { ms: 0n, seq: 1n });
      const before = claims.find((claim) => claim.partition === partition);
      if (before !== undefined) t.ok(epoch > before.epoch, `the epoch of ${partition} rises`);
    }
    await t.rejects(commitBatch(sql, late), { code: 'KS001' }, 'and the owner of before is fenced');
    const { owned, free, total } = await readAssignment(sql, 'a', MINUTE_MS);
    t.strictSame({ owned, free, total }, { owned: [], free: AFTER, total: AFTER });
    const again = await claimPartitions(sql, 'a', AFTER);
    t.ok(again.every(({ counts }) => counts.at(-1) === AFTER));
    t.match(await readInstallation(sql), { partitions: AFTER, counts: [BEFORE, AFTER] });
    const audited =
      await sql`select before, after from audit_log where action = 'installation.update'`;
    t.match([...audited], [{ before: '{"partitions": 4}', after: '{"partitions": 16}' }]);
  },
);

t.test('deferred commands go with their payments, and keep their places', async (t) => {
  const sql = await openInstallation(t);
  const sent = { source: 'gateway', sender: 'gw', correlation: 'c', command: 'text' };
  const ids = [1, 5, 13].map((partition) => generatePaymentIdIn(partition, AFTER));
  const position = at(20_000);
  const batch = buildBatch(await buildMove(sql, 1, position));
  ids.forEach((paymentId, index) => {
    batch.deferred.push({ partition: 1, position, index, paymentId, ...sent });
  });
  await commitBatch(sql, batch);
  await splitPartitions(sql, BEFORE, AFTER);
  const moved = await loadDeferred(sql, ALL);
  t.strictSame(
    moved.map(({ partition, index, paymentId }) => [partition, index, paymentId]),
    [
      [1, 0, ids[0]],
      [5, 1, ids[1]],
      [13, 2, ids[2]],
    ],
  );
  t.ok(moved.every((one) => one.position.ms === position.ms && one.position.seq === position.seq));
});

t.test('followers find each new event once, and search what was not searchable', async (t) => {
  const sql = await openInstallation(t);
  await ensureCursors(sql);
  for (const table of ['webhook_cursors', 'payment_totals_cursors', 'payment_search_cursors']) {
    await sql`update ${sql(table)} set position_ms = 100 + partition, position_seq = 3`;
  }
  await splitPartitions(sql, BEFORE, AFTER);
  for (const table of ['webhook_cursors', 'payment_follower_cursors', 'payment_totals_cursors']) {
    const rows = await sql`
      select partition, position_ms::int as ms from ${sql(table)} where partition >= ${BEFORE}`;
    t.equal(rows.length, AFTER - BEFORE);
    t.ok(
      rows.every(({ ms }) => ms === 0),
      `${table} begin before the first event`,
    );
  }
  const search = await sql`
    select partition, position_ms::int as ms, position_seq::int as seq from payment_search_cursors order by 1`;
  t.strictSame(
    [...search],
    ALL.map((partition) => ({ partition, ms: 100 + (partition % BEFORE), seq: 3 })),
  );
});

t.test('a split that is not allowed changes nothing', async (t) => {
  const sql = await openInstallation(t);
  const before = await readAll(sql);
  const refused = { code: 'KS003' };
  await t.rejects(splitPartitions(sql, 8, 16), refused, 'of another installation');
  await t.rejects(splitPartitions(sql, BEFORE, 10), refused, 'no multiple');
  await t.rejects(splitPartitions(sql, BEFORE, BEFORE), refused, 'the same');
  await t.rejects(splitPartitions(sql, BEFORE, 2_048), { code: '23514' }, 'too many');
  await insertUnaware(sql, 'old', -MINUTE_MS / 2);
  t.strictSame(await listUnawareProcesses(sql), ['old'], 'it may be paused');
  await t.rejects(splitPartitions(sql, BEFORE, AFTER), refused);
  t.strictSame(await readAll(sql), before);
  await sql`update payments_processes set lease_until = now() - interval '2 minutes'`;
  t.strictSame(await listUnawareProcesses(sql), []);
  await splitPartitions(sql, BEFORE, AFTER);
  await t.rejects(splitPartitions(sql, BEFORE, AFTER), refused, 'and only once');
});

t.test('an earlier build claims partitions before a split, and none after it', async (t) => {
  const sql = await openInstallation(t);
  await insertUnaware(sql, 'old', MINUTE_MS);
  t.equal((await claimPartitions(sql, 'old', 1)).length, 1);
  await sql`delete from payments_processes`;
  await splitPartitions(sql, BEFORE, AFTER);
  await insertUnaware(sql, 'old', MINUTE_MS);
  t.strictSame(await claimPartitions(sql, 'old', AFTER), []);
  await renewLease(sql, 'new', MINUTE_MS, ANNOUNCEMENT);
  t.equal((await claimPartitions(sql, 'new', AFTER)).length, AFTER);
});

t.test('a process starts with the number of before, and follows the next one', async (t) => {
  const sql = await openInstallation(t);
  const found = await checkInstallation(sql, { partitions: BEFORE, idKey: ID_KEY });
  t.equal(found, BEFORE);
  const count = startPartitionCount({ sql, found, log: SILENT_LOG });
  t.teardown(() => count.stop());
  t.equal(count.read(), BEFORE);
  await splitPartitions(sql, BEFORE, AFTER);
  await waitUntil('the process knows of the split', () => count.read() === AFTER);
  for (const partitions of [BEFORE, AFTER]) {
    t.equal(await checkInstallation(sql, { partitions, idKey: ID_KEY }), AFTER);
  }
  await t.rejects(checkInstallation(sql, { partitions: 8, idKey: ID_KEY }), /PARTITIONS is 8/);
});
