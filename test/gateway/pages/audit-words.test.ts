// The audit log has words in both languages for every table and column that is audited and every request that is recorded.
import { readdir, readFile } from 'node:fs/promises';
import t from 'tap';
import { ADMINISTRATORS, selectRoutes } from '#gateway/developers/openapi/documents.js';
import { listRoutes } from '#test/support/routes.js';

const WORDS = 'gateway/web/dashboard/areas/operators/operations/audit-words';
const SCHEMA = 'store/postgres/schema';

/** The audited tables and their audited columns. A released file may name a column that a later one drops. */
async function listAudited(): Promise<{ tables: string[]; columns: string[] }> {
  const texts = await Promise.all(
    (await readdir(SCHEMA)).map((name) => readFile(`${SCHEMA}/${name}`, 'utf8')),
  );
  const triggers = [
    ...texts.join('\n').matchAll(/create trigger ([a-z_]+)_audit\b[^;]*?audit_change\(([^)]*)\)/g),
  ];
  const columns = triggers.flatMap(([, , names = '']) =>
    [...names.matchAll(/'[#~]?([a-z_]+)'/g)].slice(1).map(([, name]) => String(name)),
  );
  return {
    tables: [...new Set(triggers.map(([, table]) => String(table)))],
    columns: [...new Set(columns)],
  };
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
    const { tables, columns } = await listAudited();
    const actions = listActions();
    t.ok(tables.length > 15 && actions.length > 20, 'there are tables and routes');
    t.ok(columns.length > 70, 'and columns');
    const fields = text.slice(text.indexOf('\n  fields: {'));
    const missing = [
      ...tables.filter((table) => !text.includes(`\n    ${table}: `)),
      ...columns.filter((column) => !fields.includes(`\n    ${column}: `)),
      ...actions.filter((action) => !text.includes(`'${action}':`)),
    ];
    t.strictSame(missing, []);
  });
}
