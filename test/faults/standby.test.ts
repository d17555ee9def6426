// A Postgres with a standby that takes over: pools and subscriptions leave a server that is not the primary, or is it no more.
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { closePostgres, openPostgres, type Postgres } from '#store/postgres/client.js';
import { subscribeNotifications } from '#store/postgres/notifications.js';
import { startProxy } from '#test/support/peers/proxy.js';
import { promote, startPostgres, startStandby } from '#test/support/servers.js';

const STATEMENTS = 20;
const CONNECTIONS = 4;
const CHANNEL = 'test_channel';

const portOf = (url: string): number => Number(new URL(url).port);

async function startPair(t: Test) {
  const primary = await startPostgres(t);
  const databaseUrl = await primary.createDatabase('kasir');
  const standby = await startStandby(t, primary);
  const atStandby = new URL(databaseUrl);
  atStandby.port = new URL(standby.url).port;
  const sql = openPostgres(databaseUrl, 'test', 1);
  await sql`create table notes (note text)`;
  const replica = openPostgres(atStandby.href, 'test', 1, { isStandbyAllowed: true });
  t.teardown(() => Promise.all([closePostgres(sql), closePostgres(replica)]));
  await waitUntil('the standby has the table', async () => {
    return (await replica`select to_regclass('notes') is not null as has`)[0]?.['has'] === true;
  });
  return { primary, standby, databaseUrl, sql, replica, standbyUrl: atStandby.href };
}

const writes = (pool: Postgres): Promise<unknown> =>
  waitUntil('the pool writes', () => pool`insert into notes values ('one') returning 1`);

t.test('a pool that lost its connections reads nothing from a standby', async (t) => {
  const { primary, standby, databaseUrl, standbyUrl } = await startPair(t);
  const proxy = await startProxy(t, portOf(databaseUrl));
  const pool = openPostgres(proxy.through(databaseUrl), 'reads', CONNECTIONS);
  t.teardown(() => closePostgres(pool));
  await pool`select note from notes`;
  proxy.leadTo(portOf(standbyUrl));
  proxy.cut();
  const reasons: string[] = [];
  for (let count = 0; count < STATEMENTS; count += 1) {
    await pool`select note from notes`.then(
      () => reasons.push('answered'),
      ({ message }: Error) => reasons.push(message),
    );
  }
  const reading = pool.begin('read only', (tx) => tx`select note from notes`);
  await t.rejects(reading, { message: /is a standby/ });
  t.strictSame(
    reasons.filter((reason) => reason === 'answered'),
    [],
  );
  t.match(
    reasons.at(-1),
    /^Postgres at .* is a standby .*: DATABASE_URL must lead to the primary$/,
  );
  await primary.kill();
  await promote(standby);
  await waitUntil('the pool answers', () => pool`select note from notes`);
  await writes(pool);
});

t.test('a pool of several hosts finds the primary, and the next one', async (t) => {
  const { primary, standby, databaseUrl, sql, standbyUrl } = await startPair(t);
  const { host } = new URL(databaseUrl);
  const both = databaseUrl.replace(host, `${new URL(standbyUrl).host},${host}`);
  const url = `${both}?target_session_attrs=primary`;
  const pool = openPostgres(url, 'several', CONNECTIONS);
  const heard: string[] = [];
  const stop = subscribeNotifications(url, CHANNEL, (payload) => heard.push(payload));
  t.teardown(() => Promise.all([closePostgres(pool), stop()]));
  const hears = (payload: string, at: Postgres): Promise<unknown> =>
    waitUntil(`${payload} is heard`, async () => {
      await at`select pg_notify(${CHANNEL}, ${payload})`;
      return heard.includes(payload);
    });
  await pool`insert into notes values ('zero')`;
  const fresh = openPostgres(url, 'fresh', 1);
  t.equal(await fresh.begin(() => 'begun'), 'begun', 'a transaction begins at the primary too');
  await closePostgres(fresh);
  await hears('first', sql);

  const asleep = Array.from({ length: CONNECTIONS }, () =>
    pool`select pg_sleep(60)`.catch((error: unknown) => error),
  );
  await waitUntil('all sleep', async () => {
    const rows = await sql`
      select 1 from pg_stat_activity where application_name = 'kasir several' and state = 'active'`;
    return rows.length === CONNECTIONS;
  });
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'kasir several'`;
  await Promise.all(asleep);
  await writes(pool);
  await Promise.all(
    Array.from({ length: STATEMENTS }, () => pool`insert into notes values ('two')`),
  );

  await primary.kill();
  await promote(standby);
  await writes(pool);
  await hears('second', pool);
});

t.test('a subscription leaves a former primary that was fenced and lives', async (t) => {
  const { standby, databaseUrl, sql, replica, standbyUrl } = await startPair(t);
  const proxy = await startProxy(t, portOf(databaseUrl));
  const heard: string[] = [];
  const stop = subscribeNotifications(proxy.through(databaseUrl), CHANNEL, (payload) =>
    heard.push(payload),
  );
  t.teardown(stop);
  const hears = (payload: string, at: Postgres): Promise<unknown> =>
    waitUntil(`${payload} is heard`, async () => {
      await at`select pg_notify(${CHANNEL}, ${payload})`;
      return heard.includes(payload);
    });
  await hears('before', sql);
  proxy.leadTo(portOf(standbyUrl));
  await sql`alter system set default_transaction_read_only = on`;
  await sql`select pg_reload_conf()`;
  await promote(standby);
  await hears('after', replica);
});
