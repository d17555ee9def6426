// Runs each command of docs/operations/backup.md, in the order of the page, on a server of Debian with payments: a restore of a
// moment has the payments until then, a restore of the dump those until the dump, and both prove their ledger and audit log.
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { chooseAccount } from '#ops/dev/servers/postgres-account.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { openPostgres } from '#store/postgres/client.js';
import { readBlocks } from '#test/gateway/docs/guide-blocks.js';
import { openApi } from '#test/support/api.js';
import { deployRoles, runDeployFile } from '#test/support/deployed.js';
import { startService } from '#test/support/processes.js';
import { makeFolder, startPostgres } from '#test/support/servers.js';
import { needProgram } from '#test/support/suite/programs.js';

const PAYMENTS = 4;
const LONG_AGO = new Date('2020-01-01T00:00:00Z');
const ROOT = findPackageRoot();

const bin = dirname(realpathSync(needProgram('pg_ctl', 'postgresql')));
const account = chooseAccount(dirname(bin), makeFolder(t));
const postgres = await startPostgres(t, { native: dirname(bin) });
const databaseUrl = await postgres.createDatabase('kasir');
const urls = await deployRoles(databaseUrl);
await runDeployFile(urls.kasir_migration, 'postgres-rights.sql');
const sql = openPostgres(databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));

const restoredPort = await findFreePort();
const folders = { backup: join(account.base, 'backup'), restored: join(account.base, 'restored') };
const server = new URL(databaseUrl);
const variables = {
  ...{ PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`, HOME: account.base },
  ...{ PGHOST: server.hostname, PGPORT: server.port, PGUSER: server.username },
  ...{ PGPASSWORD: server.password, PGDATABASE: 'kasir', KASIR: ROOT },
  ...{ BACKUP: folders.backup, RESTORED: folders.restored, RESTORED_PORT: String(restoredPort) },
  READING_PASSWORD: new URL(urls.kasir_reading).password,
};
const restoredUrl = new URL(urls.kasir_reading);
restoredUrl.port = String(restoredPort);

const blocks = readBlocks('docs/operations/backup.md');
const unused = new Set(blocks.map(({ role }) => role));

/** Runs a block as the user of the server. A block that proves runs as an operator. */
async function run(role: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const block = blocks.find((one) => one.role === role);
  if (block === undefined) throw new Error(`docs/operations/backup.md has no block "${role}"`);
  unused.delete(role);
  const isOperator = role === 'prove';
  const [command = 'sh', ...args] = [...(isOperator ? [] : account.prefix), 'sh', '-eu', '-c'];
  const options = { env: { ...variables, ...more }, cwd: isOperator ? ROOT : account.base };
  const user = isOperator ? {} : account.user;
  const { stdout } = await promisify(execFile)(command, [...args, block.text], {
    ...options,
    ...user,
  });
  return stdout;
}

t.teardown(async () => {
  if (existsSync(join(folders.restored, 'postmaster.pid'))) await run('end');
});

/** The ids of the payments that the restored server has, as the reading role sees them. */
async function listRestored(): Promise<string[]> {
  const restored = openPostgres(restoredUrl.href, 'test', 1);
  try {
    const rows = await restored<{ id: string }[]>`select id from payments order by id`;
    return rows.map(({ id }) => id);
  } finally {
    await restored.end({ timeout: 1 });
  }
}

t.test('the page restores a moment and a dump, and proves both', async (t) => {
  mkdirSync(folders.backup);
  await run('archive');
  await postgres.stop();
  await postgres.start();
  const { baseUrl, merchant } = await startService(t, { databaseUrl: urls.kasir_process });
  const api = openApi(baseUrl, merchant.testKey);
  const pay = async (): Promise<string[]> => {
    const ids: string[] = [];
    for (let index = 0; index < PAYMENTS; index += 1) {
      const { body } = await api.create({ amount: '15000' });
      await api.simulate(body['id'], 'paid');
      ids.push(String(body['id']));
    }
    return ids;
  };

  const inDump = await pay();
  await run('nightly');
  const untilMoment = [...inDump, ...(await pay())];
  const [now] = await sql<{ until: string }[]>`select clock_timestamp()::text as until`;
  await pay();
  await run('archived');
  await waitUntil('the last payments are in the archive', async () => {
    const [row] = await sql<{ is_archived: boolean }[]>`
      select last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 16777216::numeric) as is_archived
        from pg_stat_archiver`;
    return row?.is_archived;
  });

  const [base = ''] = readdirSync(folders.backup).filter((name) => name.startsWith('base-'));
  const old = join(folders.backup, 'base-20200101T000000Z');
  cpSync(join(folders.backup, base), old, { recursive: true });
  utimesSync(old, LONG_AGO, LONG_AGO);
  const firstSegments = readdirSync(join(folders.backup, 'wal')).length;
  await run('clean');
  t.notOk(existsSync(old), 'an old base backup is deleted');
  t.ok(existsSync(join(folders.backup, base)), 'the newest one is kept');
  t.ok(readdirSync(join(folders.backup, 'wal')).length < firstSegments, 'so is its log only');

  await run('restore', { UNTIL: now?.until ?? '' });
  t.strictSame(await listRestored(), untilMoment.sort());
  t.match(await run('prove'), /the ledger is sound[^]*the audit log is sound/);
  const archive = readdirSync(join(folders.backup, 'wal'));
  t.notOk(
    archive.some((name) => name.endsWith('.history')),
    'it writes nothing to the archive',
  );
  await run('end');
  t.notOk(existsSync(folders.restored));

  await run('dump');
  t.strictSame(await listRestored(), inDump.sort());
  t.match(await run('prove'), /the ledger is sound[^]*the audit log is sound/);
  await run('end');
  t.strictSame([...unused], [], 'each block of the page has run');
});

t.test('a segment is archived once, and never overwritten by another one', async (t) => {
  const folder = makeFolder(t);
  const [segment, other, target] = ['segment', 'other', 'target'].map((name) => join(folder, name));
  writeFileSync(segment ?? '', 'one');
  writeFileSync(other ?? '', 'two');
  const archive = (from = '') =>
    promisify(execFile)('sh', [join(ROOT, 'ops/deploy/archive-wal.sh'), from, target ?? '']);
  await archive(segment);
  await t.resolves(archive(segment), 'the same segment again');
  await t.rejects(archive(other), /exists with other content/);
});
