// The audit log has words in both languages for every table that is audited and every request that is recorded.
import { readdir, readFile } from 'node:fs/promises';
import t from 'tap';
import { ADMINISTRATORS, selectRoutes } from '#gateway/developers/openapi/documents.js';
import { listRoutes } from '#test/support/routes.js';

const WORDS = 'gateway/web/dashboard/areas/operators/operations/audit-words';
const SCHEMA = 'store/postgres/schema';

async function listTables(): Promise<string[]> {
  const texts = await Promise.all(
    (await readdir(SCHEMA)).map((name) => readFile(`${SCHEMA}/${name}`, 'utf8')),
  );
  const found = texts.join('\n').matchAll(/create trigger ([a-z_]+)_audit\b/g);
  return [...new Set([...found].map(([, table]) => String(table)))];
}

/** Lists are not recorded, but the file of one is. */
const listActions = (): string[] =>
  selectRoutes(ADMINISTRATORS, listRoutes())
    .filter(
      ({ method, params, hasCsv }) =>
        method !== 'GET' || Object.keys(params).length > 0 || hasCsv === true,
    )
    .map(({ method, path }) => `${method} ${path}`)
    .filter((action) => action.includes('/v1/admin/'));

for (const language of ['en', 'id']) {
  t.test(`the audit log has words in the language ${language}`, async (t) => {
    const text = await readFile(`${WORDS}.${language}.ts`, 'utf8');
    const tables = await listTables();
    const actions = listActions();
    t.ok(tables.length > 15 && actions.length > 20, 'there are tables and routes');
    const missing = [
      ...tables.filter((table) => !text.includes(`\n    ${table}: `)),
      ...actions.filter((action) => !text.includes(`'${action}':`)),
    ];
    t.strictSame(missing, []);
  });
}
