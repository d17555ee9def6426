// Files, statements and `kasir ledger verify` with DATABASE_URL_REPLICA: a standby answers that has all that was committed before
// it was asked. Otherwise the primary does.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { openStandby, StandbyReads } from '#store/postgres/standby-reads.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { deployRoles, nameUser, runDeployFile } from '#test/support/deployed.js';
import { runKasir } from '#test/support/kasir.js';
import { uniqueWord } from '#test/support/processes.js';
import { makeFolder, promote, startPostgres, startStandby } from '#test/support/servers.js';
import { startServingService } from '#test/support/serving.js';

const CSV = { headers: { accept: 'text/csv' } };

const primary = await startPostgres(t);
const databaseUrl = await primary.createDatabase('kasir');
const urls = await deployRoles(databaseUrl);
await runDeployFile(urls.kasir_migration, 'postgres-rights.sql');
const standby = await startStandby(t, primary);
const atStandby = (url: string): string => {
  const moved = new URL(url);
  moved.port = new URL(standby.url).port;
  return moved.href;
};
const sql = openPostgres(databaseUrl, 'test', 2);
const replica = openPostgres(atStandby(databaseUrl), 'test', 1, { isStandbyAllowed: true });
t.teardown(() => Promise.all([sql.end({ timeout: 1 }), replica.end({ timeout: 1 })]));
const file = join(makeFolder(t), 'url');
writeFileSync(file, atStandby(urls.kasir_process), { mode: 0o600 });
const variables = { DATABASE_URL_REPLICA_FILE: file };
const { api, baseUrl, merchant } = await startServingService(t, {
  ...{ databaseUrl: urls.kasir_process, variables },
});
const owner = await makePerson(sql, 'owner', merchant.merchantId);
const session = openApi(baseUrl, await beginSession(sql, owner));
const reading = {
  DATABASE_URL: urls.kasir_reading,
  DATABASE_URL_REPLICA: atStandby(urls.kasir_reading),
};

/** Whether the last statement of these connections was another than the question how far the standby is. */
async function hasRead(at: Postgres, purpose: string): Promise<boolean> {
  const rows = await at`
    select 1 from pg_stat_activity
     where application_name = ${purpose} and query not like '%pg_last_wal_replay_lsn%'
       and query not like '%pg_current_wal_lsn%'`;
  return rows.length > 0;
}

async function pauseReplay(): Promise<void> {
  await replica`select pg_wal_replay_pause()`;
  await waitUntil('replay is paused', async () => {
    const [row] = await replica`select pg_get_wal_replay_pause_state() as state`;
    return row?.['state'] === 'paused';
  });
}

async function createPaid(): Promise<string> {
  const reference = uniqueWord();
  const { body } = await api.create({ amount: '15000', reference_id: reference });
  const id = String(body['id']);
  await waitUntil('it is paid', async () => (await api.simulate(id, 'paid')).status < 500);
  return id;
}

const readFile = async (): Promise<string> =>
  (await session.call('/v1/merchants/me/payments', CSV)).text;
const readStatement = async (): Promise<string> => {
  const from = new Date(Date.now() - 86_400_000).toISOString();
  return (await session.call(`/v1/merchants/me/balance/statement?from=${from}`)).text;
};

t.test('a standby that is not behind answers, with all that was there before', async (t) => {
  const id = await createPaid();
  t.match(await readFile(), id);
  t.match(await readStatement(), id);
  t.ok(await hasRead(replica, 'kasir gateway files'), 'the file came from the standby');
  t.ok(await hasRead(replica, 'kasir gateway statements'), 'and the statement too');
  t.notOk(await hasRead(sql, 'kasir gateway files'));
  t.notOk(await hasRead(sql, 'kasir gateway statements'));
  const verified = await runKasir(reading, 'ledger', 'verify');
  t.match(verified, { code: 0, stdout: /the ledger is sound/, stderr: '' });
});

t.test('while a standby does not go on, the primary answers', async (t) => {
  await pauseReplay();
  const id = await createPaid();
  t.match(await readFile(), id);
  t.match(await readStatement(), id);
  t.ok(await hasRead(sql, 'kasir gateway files'));
  t.ok(await hasRead(sql, 'kasir gateway statements'));
  t.strictSame([...(await replica`select 1 from payments where id = ${id}`)], []);
  const verified = await runKasir(reading, 'ledger', 'verify');
  t.match(verified, { code: 0, stdout: /the ledger is sound/, stderr: /the primary is read/ });
  await replica`select pg_wal_replay_resume()`;
});

t.test('after a pause a standby that goes on is asked again', async (t) => {
  await waitUntil('the standby is read', async () => {
    await readFile();
    return hasRead(replica, 'kasir gateway files');
  });
  t.pass('so it was not given up');
});

t.test('a file of several pages keeps to the position of its first one', async (t) => {
  const reads = new StandbyReads(sql, replica);
  const first = await reads.choose();
  t.equal(first.sql, replica);
  await pauseReplay();
  await createPaid();
  t.equal((await reads.choose(first.since)).sql, replica, 'what came later does not count');
  t.equal((await reads.choose()).sql, sql, 'for another file it does');
  await replica`select pg_wal_replay_resume()`;
});

t.test('a server that is away, or no standby, is not read', async (t) => {
  const away = openStandby(nameUser('postgres://127.0.0.1:1/kasir', 'a', 'b'), 'test');
  t.equal((await new StandbyReads(sql, away).choose()).sql, sql);
  await away?.end();
  t.equal((await new StandbyReads(sql, null).choose()).sql, sql, 'nor one that is not given');
  await promote(standby);
  t.equal((await new StandbyReads(sql, replica).choose()).sql, sql, 'one that became a primary');
});
