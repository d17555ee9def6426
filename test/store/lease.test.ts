// Ownership of partitions on a real Postgres: by the database's clock, one owner at a time, and every
// take-over under a new epoch.
import t from 'tap';
import { openPostgres } from '../../store/postgres/client.js';
import { checkInstallation } from '../../store/postgres/installation.js';
import {
  claimPartitions,
  heartbeat,
  leaveSpread,
  readClaims,
  readSpread,
  releasePartitions,
} from '../../store/postgres/partitions/lease.js';
import { createDatabase } from '../support/servers.js';

const LEASE_MS = 60_000;
const PARTITIONS = 8;
const ALL = [0, 1, 2, 3, 4, 5, 6, 7];
const sql = openPostgres(await createDatabase(t), 'test', 8);
t.teardown(() => sql.end());
await checkInstallation(sql, { partitions: PARTITIONS, idKey: Buffer.alloc(32, 7) });

const idsOf = (claims: readonly { partition: number }[]): number[] =>
  claims.map(({ partition }) => partition).sort((a, b) => a - b);

/** The lease of `name` runs out now. */
const expire = (name: string) =>
  sql`update payments_processes set lease_until = now() - interval '1 ms' where name = ${name}`;

t.beforeEach(async () => {
  await sql`delete from payments_processes`;
  await sql`update partitions set owner = null`;
});

t.test('whoever has no lease gets nothing', async (t) => {
  t.strictSame(await claimPartitions(sql, 'a', PARTITIONS), []);
  await heartbeat(sql, 'a', LEASE_MS);
  await expire('a');
  t.strictSame(await claimPartitions(sql, 'a', PARTITIONS), []);
});

t.test('a claim raises the epoch and tells the position', async (t) => {
  const before = await readClaims(sql, [0, 1]);
  await heartbeat(sql, 'a', LEASE_MS);
  const claims = await claimPartitions(sql, 'a', 2);
  t.strictSame(idsOf(claims), [0, 1]);
  for (const claim of claims) {
    const old = before.find(({ partition }) => partition === claim.partition);
    t.equal(claim.epoch, (old?.epoch ?? 0n) + 1n);
    t.strictSame(claim.position, old?.position);
  }
  t.strictSame(idsOf(await heartbeat(sql, 'a', LEASE_MS)), [0, 1], 'and the heartbeat knows');
});

t.test('what has an owner with a lease is taken by nobody', async (t) => {
  await heartbeat(sql, 'a', LEASE_MS);
  await heartbeat(sql, 'b', LEASE_MS);
  await claimPartitions(sql, 'a', 5);
  t.strictSame(idsOf(await claimPartitions(sql, 'b', PARTITIONS)), [5, 6, 7]);
  t.match(await readSpread(sql, 'a'), { processes: ['a', 'b'], free: 0 });
});

t.test('claims at the same time never give one partition to two', async (t) => {
  const names = ['a', 'b', 'c', 'd'];
  await Promise.all(names.map((name) => heartbeat(sql, name, LEASE_MS)));
  const claims = await Promise.all(names.map((name) => claimPartitions(sql, name, PARTITIONS)));
  const rest = await claimPartitions(sql, 'a', PARTITIONS);
  t.strictSame(idsOf([...claims.flat(), ...rest]), ALL);
});

t.test('a lease that ran out frees its partitions, under a new epoch', async (t) => {
  await heartbeat(sql, 'a', LEASE_MS);
  await heartbeat(sql, 'b', LEASE_MS);
  const old = await claimPartitions(sql, 'a', PARTITIONS);
  t.strictSame(await claimPartitions(sql, 'b', PARTITIONS), []);
  await expire('a');
  t.match(await readSpread(sql, 'a'), { processes: ['b'], free: PARTITIONS });
  const taken = await claimPartitions(sql, 'b', PARTITIONS);
  t.strictSame(idsOf(taken), ALL);
  for (const { partition, epoch } of taken) {
    const before = old.find((claim) => claim.partition === partition);
    t.equal(epoch, (before?.epoch ?? 0n) + 1n);
  }
  t.strictSame(await heartbeat(sql, 'a', LEASE_MS), [], 'and the former owner hears of it');
});

t.test('only the owner releases', async (t) => {
  await heartbeat(sql, 'a', LEASE_MS);
  await claimPartitions(sql, 'a', PARTITIONS);
  await releasePartitions(sql, 'b', ALL);
  t.equal((await readSpread(sql, 'a')).free, 0);
  await releasePartitions(sql, 'a', [1, 2]);
  const spread = await readSpread(sql, 'a');
  t.equal(spread.free, 2);
  t.equal(spread.owned.length, PARTITIONS - 2);
  t.notOk(spread.owned.includes(1));
});

t.test('whoever leaves is not counted and owns nothing', async (t) => {
  await heartbeat(sql, 'a', LEASE_MS);
  await heartbeat(sql, 'b', LEASE_MS);
  await claimPartitions(sql, 'a', PARTITIONS);
  await leaveSpread(sql, 'a');
  t.match(await readSpread(sql, 'a'), { processes: ['b'], free: PARTITIONS });
});

t.test('processes that were away for long are forgotten', async (t) => {
  await heartbeat(sql, 'a', LEASE_MS);
  await sql`update payments_processes set lease_until = now() - interval '2 minutes'`;
  await heartbeat(sql, 'b', LEASE_MS);
  const rows = await sql`select name from payments_processes`;
  t.strictSame([...rows], [{ name: 'b' }]);
});
