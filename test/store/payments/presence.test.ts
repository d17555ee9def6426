// The presence of a process on a real Postgres: its death frees its partitions at once, and nothing else does.
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import {
  claimPartitions,
  readAssignment,
  renewLease,
  subscribeFreedPartitions,
} from '#store/postgres/payments/partition-leases.js';
import { createDatabase } from '#test/support/servers.js';

const LEASE_MS = 60_000;
const SETTLED_MS = 5_000;
const PARTITIONS = 8;
const ALL = [0, 1, 2, 3, 4, 5, 6, 7];
const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 4);
t.teardown(() => sql.end());
await checkInstallation(sql, { partitions: PARTITIONS, idKey: Buffer.alloc(32, 7) });

const listPartitions = (claims: readonly { partition: number }[]): number[] =>
  claims.map(({ partition }) => partition).sort((a, b) => a - b);

t.beforeEach(async () => {
  await sql`delete from payments_processes`;
  await sql`update partitions set owner = null`;
});

/** A process with its connection for notifications, which holds its presence. */
async function present(t: Test, name: string) {
  const subscription = subscribeFreedPartitions(databaseUrl, () => {});
  t.teardown(subscription.stop);
  const presence = await waitUntil('its presence', () => subscription.readPresence() ?? undefined);
  return {
    presence,
    die: subscription.stop,
    renew: () =>
      renewLease(sql, name, LEASE_MS, {
        contact: { isReachable: true, forMs: 0 },
        readsVersion: 1,
        presence,
      }),
    read: () => readAssignment(sql, name, SETTLED_MS, presence),
    claim: () => claimPartitions(sql, name, PARTITIONS, presence),
  };
}

/** Resolves once Postgres has ended the connection that holds it. */
const waitUntilGone = ({ key }: { readonly key: number }): Promise<unknown> =>
  waitUntil('the lock is gone', async () => {
    const held =
      await sql`select from pg_locks where locktype = 'advisory' and objid = ${key}::bigint`;
    return held.length === 0;
  });

t.test('the partitions of a process that died are free before its lease ends', async (t) => {
  const [a, b] = [await present(t, 'a'), await present(t, 'b')];
  await a.renew();
  await b.renew();
  t.strictSame(listPartitions(await a.claim()), ALL);
  t.match(await b.read(), { processes: ['a', 'b'], free: 0 });
  await a.die();
  await waitUntilGone(a.presence);
  t.match(await b.read(), { processes: ['b'], free: PARTITIONS, isAlive: true });
  t.strictSame(listPartitions(await b.claim()), ALL);
});

t.test('only a process whose own presence is older than the last renewal judges', async (t) => {
  const a = await present(t, 'a');
  await a.renew();
  await a.claim();
  // As after a restart of Postgres: everybody's connection is new, and `a` has not renewed since.
  const b = await present(t, 'b');
  await b.renew();
  await a.die();
  await waitUntilGone(a.presence);
  t.match(await b.read(), { processes: ['a', 'b'], free: 0 });
  t.strictSame(await b.claim(), []);
});

t.test('one that does not renew while another is present is dead too', async (t) => {
  const [a, b] = [await present(t, 'a'), await present(t, 'b')];
  await a.renew();
  await b.renew();
  await a.die();
  await waitUntilGone(a.presence);
  const judgeAfter = async (presentS: number): Promise<readonly string[]> => {
    await sql`update payments_processes set present_at = now() - interval '30 s',
                     lease_until = now() + interval '30 s' where name = 'a'`;
    const presence = { ...b.presence, sinceMs: Date.now() - presentS * 1000 };
    return (await readAssignment(sql, 'b', SETTLED_MS, presence)).processes;
  };
  t.strictSame(await judgeAfter(12), ['a', 'b'], 'a fifth of the lease');
  t.strictSame(await judgeAfter(24), ['b'], 'two fifths');
});

t.test('a process without a presence judges nobody, and is not judged', async (t) => {
  const [a, b, other] = [await present(t, 'a'), await present(t, 'b'), await present(t, 'd')];
  await a.renew();
  await b.renew();
  await a.claim();
  t.match(await readAssignment(sql, 'c', SETTLED_MS), { processes: ['a', 'b'], free: 0 });
  await b.die();
  await a.die();
  await Promise.all([waitUntilGone(a.presence), waitUntilGone(b.presence)]);
  t.match(await b.read(), { processes: ['a', 'b'], free: 0 }, 'its own connection is lost too');
  await a.renew();
  await other.renew();
  t.match(await other.read(), { processes: ['a', 'd'] }, '`a` renewed without its connection');
});
