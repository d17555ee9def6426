// Ownership of partitions on a real Postgres: by the database's clock, one owner at a time, and every
// take-over under a new epoch.
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/installation.js';
import {
  claimPartitions,
  renewLease as renew,
  leaveAssignment,
  readClaims,
  readAssignment as read,
  type RedisContact,
  releasePartitions,
} from '#store/postgres/payments/partition-leases.js';
import { createDatabase } from '#test/support/servers.js';

const LEASE_MS = 60_000;
const PARTITIONS = 8;
const ALL = [0, 1, 2, 3, 4, 5, 6, 7];
const sql = openPostgres(await createDatabase(t), 'test', 8);
t.teardown(() => sql.end());
await checkInstallation(sql, { partitions: PARTITIONS, idKey: Buffer.alloc(32, 7) });

const idsOf = (claims: readonly { partition: number }[]): number[] =>
  claims.map(({ partition }) => partition).sort((a, b) => a - b);

const SETTLED_MS = 5_000;
const HEARD: RedisContact = { isReachable: true, forMs: 0 };
const heartbeat = (name: string, contact = HEARD) => renew(sql, name, LEASE_MS, contact);
const readSpread = (name: string) => read(sql, name, SETTLED_MS);

/** The lease of `name` runs out now. */
const expire = (name: string) =>
  sql`update payments_processes set lease_until = now() - interval '1 ms' where name = ${name}`;

t.beforeEach(async () => {
  await sql`delete from payments_processes`;
  await sql`update partitions set owner = null`;
});

t.test('whoever has no lease gets nothing', async (t) => {
  t.strictSame(await claimPartitions(sql, 'a', PARTITIONS), []);
  await heartbeat('a');
  await expire('a');
  t.strictSame(await claimPartitions(sql, 'a', PARTITIONS), []);
});

t.test('a claim raises the epoch and tells the position', async (t) => {
  const before = await readClaims(sql, [0, 1]);
  await heartbeat('a');
  const claims = await claimPartitions(sql, 'a', 2);
  t.strictSame(idsOf(claims), [0, 1]);
  for (const claim of claims) {
    const old = before.find(({ partition }) => partition === claim.partition);
    t.equal(claim.epoch, (old?.epoch ?? 0n) + 1n);
    t.strictSame(claim.position, old?.position);
  }
  t.strictSame(idsOf(await heartbeat('a')), [0, 1], 'and the heartbeat knows');
});

t.test('what has an owner with a lease is taken by nobody', async (t) => {
  await heartbeat('a');
  await heartbeat('b');
  await claimPartitions(sql, 'a', 5);
  t.strictSame(idsOf(await claimPartitions(sql, 'b', PARTITIONS)), [5, 6, 7]);
  t.match(await readSpread('a'), { processes: ['a', 'b'], free: 0 });
});

t.test('claims at the same time never give one partition to two', async (t) => {
  const names = ['a', 'b', 'c', 'd'];
  await Promise.all(names.map((name) => heartbeat(name)));
  const claims = await Promise.all(names.map((name) => claimPartitions(sql, name, PARTITIONS)));
  const rest = await claimPartitions(sql, 'a', PARTITIONS);
  t.strictSame(idsOf([...claims.flat(), ...rest]), ALL);
});

t.test('a lease that ran out frees its partitions, under a new epoch', async (t) => {
  await heartbeat('a');
  await heartbeat('b');
  const old = await claimPartitions(sql, 'a', PARTITIONS);
  t.strictSame(await claimPartitions(sql, 'b', PARTITIONS), []);
  await expire('a');
  t.match(await readSpread('a'), { processes: ['b'], free: PARTITIONS });
  const taken = await claimPartitions(sql, 'b', PARTITIONS);
  t.strictSame(idsOf(taken), ALL);
  for (const { partition, epoch } of taken) {
    const before = old.find((claim) => claim.partition === partition);
    t.equal(epoch, (before?.epoch ?? 0n) + 1n);
  }
  t.strictSame(await heartbeat('a'), [], 'and the former owner hears of it');
});

t.test('only the owner releases', async (t) => {
  await heartbeat('a');
  await claimPartitions(sql, 'a', PARTITIONS);
  await releasePartitions(sql, 'b', ALL);
  t.equal((await readSpread('a')).free, 0);
  await releasePartitions(sql, 'a', [1, 2]);
  const spread = await readSpread('a');
  t.equal(spread.free, 2);
  t.equal(spread.owned.length, PARTITIONS - 2);
  t.notOk(spread.owned.includes(1));
});

t.test('whoever leaves is not counted and owns nothing', async (t) => {
  await heartbeat('a');
  await heartbeat('b');
  await claimPartitions(sql, 'a', PARTITIONS);
  await leaveAssignment(sql, 'a');
  t.match(await readSpread('a'), { processes: ['b'], free: PARTITIONS });
});

t.test('processes that were away for long are forgotten', async (t) => {
  await heartbeat('a');
  await sql`update payments_processes set lease_until = now() - interval '2 minutes'`;
  await heartbeat('b');
  const rows = await sql`select name from payments_processes`;
  t.strictSame([...rows], [{ name: 'b' }]);
});

t.test(
  'who has been cut off from Redis for a while has no share, while another hears it',
  async (t) => {
    const sharing = async (a: RedisContact, b: RedisContact): Promise<string[]> => {
      await heartbeat('a', a);
      await heartbeat('b', b);
      return (await readSpread('a')).processes;
    };
    const long = SETTLED_MS + 1_000;
    const short = SETTLED_MS - 1_000;
    const contact = (isHeard: boolean, forMs: number): RedisContact => ({
      isReachable: isHeard,
      forMs,
    });
    t.strictSame(await sharing(contact(false, long), contact(true, long)), ['b']);
    t.equal((await readSpread('a')).isAlive, true, 'though its lease is valid');
    t.strictSame(await sharing(contact(false, short), contact(true, long)), ['a', 'b'], 'not yet');
    t.strictSame(
      await sharing(contact(false, long), contact(true, short)),
      ['a', 'b'],
      'both come back',
    );
    t.strictSame(
      await sharing(contact(false, long), contact(false, long)),
      ['a', 'b'],
      'away for all',
    );
    t.strictSame(await sharing(contact(true, 0), contact(true, long)), ['a', 'b'], 'heard again');
    await expire('b');
    t.strictSame(await sharing(contact(false, long), contact(true, 0)), ['a', 'b']);
  },
);
