// Databases that released versions filled are migrated, and go on with their data.
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { openPostgres } from '#store/postgres/client.js';
import { applyFiles, migrate } from '#store/postgres/migration/migrate.js';
import { readSqlFiles } from '#store/postgres/migration/schema-files.js';
import { openApi } from '#test/support/api.js';
import { runKasir } from '#test/support/kasir.js';
import { startService } from '#test/support/processes.js';
import { createDatabase } from '#test/support/servers.js';
import { BASE_URL } from '#test/support/serving.js';
import type { Filled } from './fill.js';

const FOLDER = join(findPackageRoot(), 'test/slow/upgrades');
const DUMP = /^after-\d{4}\.sql$/;

/** The address of a database with the content of a dump. */
async function load(t: Test, file: string): Promise<string> {
  const url = await createDatabase(t);
  const text = await readFile(join(FOLDER, file), 'utf8');
  const sql = openPostgres(url, 'test', 1, { deadlineMs: null });
  await sql.unsafe('drop schema public cascade');
  await sql.unsafe('create schema public');
  // Lines that begin with a backslash are commands of psql.
  await sql.unsafe(text.replace(/^\\.*$/gm, ''));
  await sql.end();
  return url;
}

const dumps = (await readdir(FOLDER)).filter((name) => DUMP.test(name));
t.ok(dumps.length > 0, 'there are dumps');

for (const dump of dumps) {
  t.test(`the database of ${dump} is upgraded`, async (t) => {
    const databaseUrl = await load(t, dump);
    const applied = await migrate(databaseUrl);
    t.ok(applied.includes('functions/tasks.sql'), applied.join());
    t.strictSame(await migrate(databaseUrl), [], 'once');

    await t.test('and again when every function file has changed', async (t) => {
      const sql = openPostgres(databaseUrl, 'test', 1);
      t.teardown(() => sql.end());
      const functions = (await readSqlFiles('functions')).map((file) => {
        return {
          ...file,
          text: `${file.text}\n-- changed\n`,
          checksum: `changed ${file.checksum}`,
        };
      });
      const changed = await applyFiles(sql, { schema: await readSqlFiles('schema'), functions });
      t.strictSame(changed.sort(), functions.map(({ name }) => name).sort());
    });

    for (const proof of ['ledger', 'audit']) {
      const { code, stdout } = await runKasir({ DATABASE_URL: databaseUrl }, proof, 'verify');
      t.equal(code, 0, `${proof} verify: ${stdout}`);
    }

    await t.test('and its payments go on', async (t) => {
      const answersFile = join(FOLDER, dump.replace(/sql$/, 'json'));
      const { testKey, answers } = JSON.parse(await readFile(answersFile, 'utf8')) as Filled;
      const { baseUrl } = await startService(t, { databaseUrl, variables: { BASE_URL } });
      const api = openApi(baseUrl, testKey);
      for (const [path, body] of Object.entries(answers)) {
        t.match((await api.call(path)).body, body, path);
      }
      const { id } = (await api.create({ amount: '15000', payment_method: 'QRIS' })).body;
      t.equal((await api.simulate(id, 'paid')).status, 200);
      t.match((await api.get(id)).body, { status: 'paid' });
    });
  });
}
