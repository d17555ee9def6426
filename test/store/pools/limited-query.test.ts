// A statement may be sent, answered, and awaited later.
import t from 'tap';
import { closePostgres, openPostgres } from '#store/postgres/client.js';
import { createDatabase } from '#test/support/servers.js';

const DEADLINE_MS = 2_000;

const databaseUrl = await createDatabase(t);

for (const [name, url] of [
  ['a direct pool', databaseUrl],
  ['a pool behind PgBouncer', `${databaseUrl}?pooling=transaction`],
] as const) {
  t.test(`a statement of ${name} that was answered before it is awaited`, async (t) => {
    const sql = openPostgres(url, 'test', 1, { deadlineMs: DEADLINE_MS });
    t.teardown(() => closePostgres(sql));
    const statement = sql`select 1 as one`.execute();
    // The only connection answers in order, so the first is answered by now.
    await sql`select 2`;
    t.strictSame([...(await statement)], [{ one: 1 }]);
  });
}
