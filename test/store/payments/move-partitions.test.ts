// Operators drain processes and move partitions: what a process may claim then, and what it hands over.
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import {
  listPaymentsProcesses,
  movePartition,
  setDrained,
} from '#store/postgres/operations/move-partitions.js';
import {
  claimPartitions,
  giveUpPartitions,
  readAssignment,
  type RedisContact,
  releasePartitions,
  renewLease,
} from '#store/postgres/payments/partition-leases.js';
import { createDatabase } from '#test/support/servers.js';

const LEASE_MS = 60_000;
const SETTLED_MS = 5_000;
const SETTLED: RedisContact = { isReachable: true, forMs: LEASE_MS };
const sql = openPostgres(await createDatabase(t), 'test', 4);
t.teardown(() => sql.end());
await checkInstallation(sql, { partitions: 4, idKey: Buffer.alloc(32, 7) });

const renew = (name: string, readsVersion = 1, contact = SETTLED) =>
  renewLease(sql, name, LEASE_MS, { contact, readsVersion });
const readFor = (name: string) => readAssignment(sql, name, SETTLED_MS);
const move = (partition: number, name: string) => movePartition(sql, 'operator', partition, name);
const drain = (name: string, isDrained = true) => setDrained(sql, 'operator', name, isDrained);
const claim = async (name: string, count: number): Promise<number[]> =>
  (await claimPartitions(sql, name, count)).map(({ partition }) => partition).sort();
/** Ends the time in which only the new owner may claim. */
const endMoves = () => sql`update partitions set moves_until = now() where moves_until is not null`;

t.beforeEach(async () => {
  await sql`delete from payments_processes`;
  await sql`
    update partitions set owner = null, stopped_version = null, stopped_at = null, moves_to = null, moves_until = null`;
  await renew('a');
  await renew('b');
});

t.test('a drained process shares no partitions until that is undone', async (t) => {
  await drain('a');
  t.strictSame((await readFor('b')).processes, ['b']);
  await renew('a');
  t.strictSame((await readFor('b')).processes, ['b'], 'after its renewal too');
  t.strictSame(
    [...(await listPaymentsProcesses(sql))],
    [
      { name: 'a', isDrained: true, canOwn: false, partitions: 0 },
      { name: 'b', isDrained: false, canOwn: true, partitions: 0 },
    ],
  );
  await drain('a', false);
  await renew('a');
  t.strictSame((await readFor('b')).processes, ['a', 'b']);
});

t.test('a drained process owns partitions again when no other one can', async (t) => {
  await drain('a');
  await sql`delete from payments_processes where name = 'b'`;
  t.strictSame((await readFor('a')).processes, ['a']);
  await renew('b', 1, { isReachable: false, forMs: LEASE_MS });
  t.strictSame((await readFor('a')).processes, ['a', 'b'], 'Redis is away for both');
});

t.test('each change has one row in the audit log', async (t) => {
  const list = async () => [
    ...(await sql`select action, target, before, after from audit_log
       where action like 'partitions.%' order by id`),
  ];
  const before = (await list()).length;
  for (let times = 0; times < 2; times += 1) await drain('b');
  await claim('a', 1);
  await move(0, 'a');
  await move(0, 'b');
  t.strictSame((await list()).slice(before), [
    { action: 'partitions.drain', target: 'b', before: null, after: '{"is_drained" : true}' },
    { action: 'partitions.move', target: '0', before: '{"owner" : "a"}', after: '{"owner" : "b"}' },
  ]);
});

t.test('the owner of a partition that moves hands it over', async (t) => {
  await claim('a', 4);
  await move(2, 'b');
  const { leaving, moved } = await readFor('a');
  t.strictSame({ leaving, moved }, { leaving: [2], moved: [] });
  await endMoves();
  t.strictSame((await readFor('a')).leaving, [], 'the time is over');
  await move(2, 'b');
  await drain('b');
  t.strictSame((await readFor('a')).leaving, [], 'the new owner could not own it');
});

t.test('only its new owner claims it, first and beyond its share', async (t) => {
  await claim('a', 4);
  await move(2, 'b');
  await releasePartitions(sql, 'a', [1, 2]);
  t.match(await readFor('a'), { free: 1, beyondShare: 0 });
  t.match(await readFor('b'), { free: 2, beyondShare: 1 });
  t.strictSame(await claim('a', 2), [1]);
  await releasePartitions(sql, 'a', [1]);
  t.strictSame(await claim('b', 1), [2]);
  t.match(await readFor('b'), { beyondShare: 0, moved: [2] });
});

t.test('any process claims it when its new owner has not', async (t) => {
  await move(2, 'b');
  t.match(await readFor('a'), { free: 3 });
  await endMoves();
  t.match(await readFor('b'), { free: 4, beyondShare: 0 });
  t.strictSame(await claim('a', 4), [0, 1, 2, 3]);
  await releasePartitions(sql, 'a', [2]);
  await claim('b', 1);
  t.strictSame((await readFor('b')).moved, [], 'the claim of another process ended the move');
});

t.test('a partition that waits for a newer version is for any process that reads it', async (t) => {
  await claim('a', 4);
  await giveUpPartitions(sql, 'a', [{ partition: 2, version: 2 }]);
  await move(2, 'b');
  await renew('c', 2);
  t.match(await readFor('c'), { free: 1, beyondShare: 1 });
  t.strictSame(await claim('c', 1), [2]);
});
