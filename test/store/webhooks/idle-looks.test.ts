// Followers look for events once a second, also when nothing happens. A look that finds none must not write: the lock of a
// cursor is a write, which goes to the log and to its standbys.
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { ensureCursors } from '#store/postgres/cursors.js';
import { followPayments } from '#store/postgres/links-and-invoices/follow-payments.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { fanOut } from '#store/postgres/webhooks/fan-out.js';
import { createTestMerchant } from '#test/support/processes.js';
import { createDatabase } from '#test/support/servers.js';
import { addEvents } from '#test/support/webhooks/outbox.js';

const PARTITIONS = Array.from({ length: 16 }, (_, partition) => partition);
const EVENTS = 32;

const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));
const { merchantId } = await createTestMerchant(databaseUrl);
await checkInstallation(sql, { partitions: PARTITIONS.length, idKey: Buffer.alloc(32, 7) });
await ensureCursors(sql);
await addEvents(sql, merchantId, EVENTS);

const FOLLOWERS = {
  'the fan-out': async () => (await fanOut(sql, PARTITIONS)).events,
  'the follower of payments': () => followPayments(sql, PARTITIONS),
};

for (const [name, look] of Object.entries(FOLLOWERS)) {
  t.test(`${name} without new events writes nothing`, async (t) => {
    t.equal(await look(), EVENTS, 'events are followed first');
    await sql`begin`;
    t.equal(await look(), 0);
    const written = await sql`select pg_current_xact_id_if_assigned()::text as xid`;
    await sql`commit`;
    t.same(written, [{ xid: null }], 'the transaction got no id');
  });
}
