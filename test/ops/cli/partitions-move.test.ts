// `kasir partitions move` and `kasir partitions drain`: what they refuse and print, and that running processes follow.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { listPaymentsProcesses } from '#store/postgres/operations/move-partitions.js';
import { openApi } from '#test/support/api.js';
import { runKasir } from '#test/support/kasir.js';
import { startService, uniqueWord } from '#test/support/processes.js';
import { createDatabase } from '#test/support/servers.js';

const PARTITIONS = 16;

interface ListedRow {
  readonly owner: string;
}

t.test('processes follow while payments go on', async (t) => {
  const { baseUrl, databaseUrl, merchant, variables } = await startService(t, { payments: 2 });
  const sql = openPostgres(databaseUrl, 'test', 1);
  t.teardown(() => sql.end());
  const addresses = { DATABASE_URL: databaseUrl, REDIS_URL: variables['REDIS_URL'] ?? '' };
  const run = (...words: readonly string[]) => runKasir(addresses, 'partitions', ...words);
  const listOwners = async (): Promise<string[]> => {
    const { stdout } = await run('list', '--json');
    return (JSON.parse(stdout) as ListedRow[]).map(({ owner }) => owner);
  };
  const api = openApi(baseUrl, merchant.testKey);
  const createMany = async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => api.create({ amount: '15000' }, uniqueWord())),
    );
    t.strictSame(new Set(answers.map(({ status }) => status)), new Set([201]));
  };

  const [from = ''] = await listOwners();
  const to = (await listPaymentsProcesses(sql)).find(({ name }) => name !== from)?.name ?? '';
  const shown = await run('move', '0', to, '--dry-run');
  t.match(shown, { code: 0, stdout: `would move partition 0 from ${from} to ${to}\n` });
  t.equal((await listOwners())[0], from, 'and changes nothing');
  const moved = await run('move', '0', to, '--json');
  t.equal(moved.code, 0, moved.stderr);
  t.strictSame(JSON.parse(moved.stdout), { partition: 0, from, to, owner: to });
  await createMany();
  const exchanged = await waitUntil('another partition goes back for it', async () => {
    const owners = await listOwners();
    return owners.filter((owner) => owner === to).length === PARTITIONS / 2 ? owners : null;
  });
  t.equal(exchanged[0], to, 'it stays there');

  t.match(await run('drain', to, '--dry-run'), {
    code: 0,
    stdout: `would give 8 partition(s) of ${to} to the other processes\n`,
  });
  const [drained] = await Promise.all([run('drain', to, '--json'), createMany()]);
  t.equal(drained.code, 0, drained.stderr);
  t.strictSame(JSON.parse(drained.stdout), { process: to, isDrained: true, partitions: 0 });
  await createMany();
  t.strictSame(new Set(await listOwners()), new Set([from]));
  t.match((await run('list')).stderr, `${to} is drained`);
  t.match(await run('move', '0', to), {
    code: 1,
    stderr: /cannot own partitions now: it is drained/,
  });
  t.match(await run('drain', from), { code: 1, stderr: /no other payments process can take/ });

  const undone = await run('drain', to, '--undo');
  t.match(undone, { code: 0, stdout: `${to} owns 8 partition(s)\n` });
  await createMany();
});

t.test('a wish that no process could fulfil is refused', async (t) => {
  const databaseUrl = await createDatabase(t);
  const sql = openPostgres(databaseUrl, 'test', 1);
  t.teardown(() => sql.end());
  await checkInstallation(sql, { partitions: 4, idKey: Buffer.alloc(32, 7) });
  const run = (...words: readonly string[]) =>
    runKasir({ DATABASE_URL: databaseUrl }, 'partitions', ...words);
  t.match(await run('drain', 'p-1'), { code: 1, stderr: /process p-1 runs; there are: none/ });
  await sql`
    insert into payments_processes (name, lease_until, hears_redis)
    select 'p-' || n, now() + interval '1 hour', n < 3 from generate_series(1, 3) n`;
  t.match(await run('move', '0', 'p-9'), { code: 1, stderr: /there are: p-1, p-2, p-3/ });
  t.match(await run('move', '4', 'p-1'), {
    code: 1,
    stderr: /there are 4 partitions, numbered from 0/,
  });
  t.match(await run('move', '0', 'p-3'), { code: 1, stderr: /it does not reach Redis/ });
  t.equal((await run('move', 'zero', 'p-1')).code, 2);
  const late = await run('move', '0', 'p-2', '--wait', '0');
  t.match(late, { code: 1, stdout: 'no process owns partition 0\n', stderr: /has not moved/ });
  await sql`update partitions set owner = 'p-1'`;
  const waiting = await run('drain', 'p-1', '--wait', '0');
  t.match(waiting, { code: 1, stdout: 'p-1 owns 4 partition(s)\n', stderr: /not drained yet/ });
});
