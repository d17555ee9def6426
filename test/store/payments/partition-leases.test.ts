// Leases and ownership of partitions on a real Postgres: by its clock, one owner at a time, and a new epoch per claim.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import {
  claimPartitions,
  giveUpPartitions,
  isFormerMaster,
  renewLease,
  leaveAssignment,
  readClaims,
  readAssignment,
  type RedisContact,
  releasePartitions,
  subscribeFreedPartitions,
} from '#store/postgres/payments/partition-leases.js';
import { createDatabase } from '#test/support/servers.js';

const LEASE_MS = 60_000;
const PARTITIONS = 8;
const ALL = [0, 1, 2, 3, 4, 5, 6, 7];
const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 8);
t.teardown(() => sql.end());
await checkInstallation(sql, { partitions: PARTITIONS, idKey: Buffer.alloc(32, 7) });

const listPartitions = (claims: readonly { partition: number }[]): number[] =>
  claims.map(({ partition }) => partition).sort((a, b) => a - b);

const SETTLED_MS = 5_000;
const REACHED: RedisContact = { isReachable: true, forMs: 0 };
const renew = (name: string, contact = REACHED, readsVersion = 1) =>
  renewLease(sql, name, LEASE_MS, { contact, readsVersion });
const announce = (name: string, readsVersion: number) => renew(name, REACHED, readsVersion);
const readFor = (name: string) => readAssignment(sql, name, SETTLED_MS);

/** Ends the lease of `name`. */
const expire = (name: string) =>
  sql`update payments_processes set lease_until = now() - interval '1 ms' where name = ${name}`;

t.beforeEach(async () => {
  await sql`delete from payments_processes`;
  await sql`update partitions set owner = null, stopped_version = null, stopped_at = null`;
});

t.test('a process without a valid lease claims nothing', async (t) => {
  t.strictSame(await claimPartitions(sql, 'a', PARTITIONS), []);
  await renew('a');
  await expire('a');
  t.strictSame(await claimPartitions(sql, 'a', PARTITIONS), []);
});

t.test('a claim raises the epoch and returns the position', async (t) => {
  const before = await readClaims(sql, [0, 1]);
  await renew('a');
  const claims = await claimPartitions(sql, 'a', 2);
  t.strictSame(listPartitions(claims), [0, 1]);
  for (const claim of claims) {
    const old = before.find(({ partition }) => partition === claim.partition);
    t.ok(claim.epoch > (old?.epoch ?? 0n));
    t.strictSame(claim.position, old?.position);
  }
  t.strictSame(listPartitions(await renew('a')), [0, 1], 'a renewal returns them');
});

t.test('a partition whose owner has a valid lease is not claimed', async (t) => {
  await renew('a');
  await renew('b');
  await claimPartitions(sql, 'a', 5);
  t.strictSame(listPartitions(await claimPartitions(sql, 'b', PARTITIONS)), [5, 6, 7]);
  t.match(await readFor('a'), { processes: ['a', 'b'], free: 0 });
});

t.test('concurrent claims never give one partition to two processes', async (t) => {
  const names = ['a', 'b', 'c', 'd'];
  await Promise.all(names.map((name) => renew(name)));
  const claims = await Promise.all(names.map((name) => claimPartitions(sql, name, PARTITIONS)));
  const rest = await claimPartitions(sql, 'a', PARTITIONS);
  t.strictSame(listPartitions([...claims.flat(), ...rest]), ALL);
});

t.test('the partitions of an ended lease are claimed under a new epoch', async (t) => {
  await renew('a');
  await renew('b');
  const old = await claimPartitions(sql, 'a', PARTITIONS);
  t.strictSame(await claimPartitions(sql, 'b', PARTITIONS), []);
  await expire('a');
  t.match(await readFor('a'), { processes: ['b'], free: PARTITIONS });
  const claimed = await claimPartitions(sql, 'b', PARTITIONS);
  t.strictSame(listPartitions(claimed), ALL);
  for (const { partition, epoch } of claimed) {
    const before = old.find((claim) => claim.partition === partition);
    t.ok(epoch > (before?.epoch ?? 0n));
  }
  t.strictSame(await renew('a'), [], 'the former owner learns it from its renewal');
});

t.test('a claim that a failover lost does not share its epoch with the next claim', async (t) => {
  await renew('a');
  const [before] = await readClaims(sql, [0]);
  const [lost] = await claimPartitions(sql, 'a', 1);
  await sql`update partitions set owner = null, epoch = ${String(before?.epoch)} where id = 0`;
  await waitUntil('the next millisecond', async () => {
    const later =
      await sql`select where extract(epoch from now()) * 1000 >= ${String(lost?.epoch)}::bigint + 1`;
    return later.length === 1;
  });
  const [claim] = await claimPartitions(sql, 'a', 1);
  t.equal(claim?.partition, 0);
  t.ok(claim !== undefined && lost !== undefined && claim.epoch > lost.epoch);
});

t.test('only the owner releases a partition', async (t) => {
  await renew('a');
  await claimPartitions(sql, 'a', PARTITIONS);
  await releasePartitions(sql, 'b', ALL);
  t.equal((await readFor('a')).free, 0);
  await releasePartitions(sql, 'a', [1, 2]);
  const assignment = await readFor('a');
  t.equal(assignment.free, 2);
  t.equal(assignment.owned.length, PARTITIONS - 2);
  t.notOk(assignment.owned.includes(1));
});

t.test('a process that leaves owns nothing and is not in the assignment', async (t) => {
  await renew('a');
  await renew('b');
  await claimPartitions(sql, 'a', PARTITIONS);
  await leaveAssignment(sql, 'a');
  t.match(await readFor('a'), { processes: ['b'], free: PARTITIONS });
});

t.test('a process whose lease ended two minutes ago is deleted', async (t) => {
  await renew('a');
  await sql`update payments_processes set lease_until = now() - interval '2 minutes'`;
  await renew('b');
  const rows = await sql`select name from payments_processes`;
  t.strictSame([...rows], [{ name: 'b' }]);
});

t.test(
  'a process that does not reach Redis for a while, when another does, is assigned nothing',
  async (t) => {
    const sharing = async (a: RedisContact, b: RedisContact): Promise<string[]> => {
      await renew('a', a);
      await renew('b', b);
      return (await readFor('a')).processes;
    };
    const longMs = SETTLED_MS + 1_000;
    const shortMs = SETTLED_MS - 1_000;
    const contact = (isReachable: boolean, forMs: number): RedisContact => {
      return { isReachable, forMs };
    };
    t.strictSame(await sharing(contact(false, longMs), contact(true, longMs)), ['b']);
    t.equal((await readFor('a')).isAlive, true, 'its lease is valid');
    t.strictSame(
      await sharing(contact(false, shortMs), contact(true, longMs)),
      ['a', 'b'],
      'not yet',
    );
    t.strictSame(
      await sharing(contact(false, longMs), contact(true, shortMs)),
      ['a', 'b'],
      'the other only reached it now',
    );
    t.strictSame(
      await sharing(contact(false, longMs), contact(false, longMs)),
      ['a', 'b'],
      'no process reaches it',
    );
    t.strictSame(
      await sharing(contact(true, 0), contact(true, longMs)),
      ['a', 'b'],
      'reached again',
    );
    await expire('b');
    t.strictSame(await sharing(contact(false, longMs), contact(true, 0)), ['a', 'b']);
  },
);

t.test(
  'a process that hears a former master of Redis, when another hears the master, is assigned nothing',
  async (t) => {
    const longMs = SETTLED_MS + 1_000;
    const hears = (runId: string, forMs: number): RedisContact => {
      return { isReachable: true, forMs, runId };
    };
    const sharing = async (a: RedisContact, b: RedisContact): Promise<string[]> => {
      await renew('a', a);
      await renew('b', b);
      return (await readFor('a')).processes;
    };
    t.strictSame(await sharing(hears('first', longMs), hears('first', longMs)), ['a', 'b']);
    t.strictSame(await sharing(hears('first', longMs), hears('second', 0)), ['a', 'b'], 'not yet');
    t.strictSame(await sharing(hears('first', longMs), hears('second', longMs)), ['b']);
    t.equal((await readFor('a')).isAlive, true, 'its lease is valid');
    t.equal(await isFormerMaster(sql, ['second', 'first']), true);
    t.equal(await isFormerMaster(sql, ['second']), false);
    t.equal(await isFormerMaster(sql, ['unheard']), false, 'it may be newer');
    await expire('b');
    t.strictSame(await sharing(hears('first', longMs), hears('first', 0)), ['a', 'b'], 'back');
  },
);

t.test('a process with an older version shares only when writers know of it', async (t) => {
  const sharing = async (name: string) => {
    const { processes, isAnnounced, othersRead } = await readFor(name);
    return { processes, isAnnounced, othersRead };
  };
  await announce('new', 2);
  await announce('old', 1);
  const onlyNew = ['new'];
  t.strictSame(await sharing('old'), { processes: onlyNew, isAnnounced: false, othersRead: 2 });
  t.strictSame(await sharing('new'), { processes: onlyNew, isAnnounced: true, othersRead: 1 });
  await sql`update payments_processes set announced_at = now() - interval '3 s' where name = 'old'`;
  await announce('old', 1);
  const both = ['new', 'old'];
  t.strictSame(await sharing('old'), { processes: both, isAnnounced: true, othersRead: 2 });
  await announce('old', 2);
  await announce('old', 1);
  t.strictSame((await sharing('old')).processes, onlyNew, 'it announces another version');
  await announce('new', 1);
  t.strictSame((await sharing('new')).processes, both, 'no other one reads more');
});

t.test('a build that announces no version reads version 1', async (t) => {
  await sql`insert into payments_processes (name, lease_until) values ('before', now() + interval '1 minute')`;
  await announce('new', 2);
  t.match(await readFor('new'), { othersRead: 1 });
});

t.test(
  'a partition that stopped is claimed first, by a process that reads the frame',
  async (t) => {
    await announce('old', 1);
    await claimPartitions(sql, 'old', PARTITIONS);
    const before = await readClaims(sql, [5]);
    await giveUpPartitions(sql, 'old', [{ partition: 5, version: 2 }]);
    t.strictSame(
      (await readClaims(sql, [5])).map(({ position }) => position),
      before.map(({ position }) => position),
      'its position stays',
    );
    await releasePartitions(sql, 'old', [0, 1]);
    t.match(await readFor('old'), { free: 2, beyondShare: 0, unreadable: 1 });
    await announce('new', 2);
    t.match(await readFor('new'), { free: 3, beyondShare: 1, unreadable: 0 });
    t.strictSame(listPartitions(await claimPartitions(sql, 'old', PARTITIONS)), [0, 1]);
    t.strictSame(listPartitions(await claimPartitions(sql, 'new', 1)), [5]);
    t.match(await readFor('old'), { free: 0, beyondShare: 0, unreadable: 0 });
  },
);

t.test(
  'while no process reads the frame, a stopped partition is claimed again seldom',
  async (t) => {
    const stopLongAgo = () =>
      sql`update partitions set stopped_at = now() - interval '11 s' where stopped_at is not null`;
    await announce('old', 1);
    await claimPartitions(sql, 'old', PARTITIONS);
    await giveUpPartitions(sql, 'old', [{ partition: 5, version: 3 }]);
    t.strictSame(await claimPartitions(sql, 'old', PARTITIONS), [], 'not at once');
    await stopLongAgo();
    await announce('new', 2);
    t.match(await readFor('old'), { free: 0, unreadable: 1 }, 'a newer announcement lives');
    t.strictSame(await claimPartitions(sql, 'old', PARTITIONS), []);
    await expire('new');
    t.strictSame(listPartitions(await claimPartitions(sql, 'old', PARTITIONS)), [5]);
  },
);

t.test('only the owner gives a partition up', async (t) => {
  await announce('a', 1);
  await announce('b', 1);
  await claimPartitions(sql, 'a', PARTITIONS);
  await giveUpPartitions(sql, 'b', [{ partition: 5, version: 2 }]);
  const { owned, free, unreadable } = await readFor('a');
  t.strictSame(owned.sort(), ALL);
  t.strictSame({ free, unreadable }, { free: 0, unreadable: 0 });
});

t.test('a process that frees partitions wakes the others', async (t) => {
  let wakes = 0;
  const { stop } = subscribeFreedPartitions(databaseUrl, () => (wakes += 1));
  t.teardown(stop);
  await renew('a');
  await claimPartitions(sql, 'a', PARTITIONS);
  // The subscription begins at some time.
  await waitUntil('a wake-up', async () => {
    await releasePartitions(sql, 'a', [0]);
    return wakes > 0;
  });
  const before = wakes;
  await leaveAssignment(sql, 'a');
  await waitUntil('a wake-up', () => wakes > before);
});
