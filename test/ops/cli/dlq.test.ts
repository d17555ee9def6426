// `kasir dlq replay --dry-run` prints the outcome that the replay would have.
import t from 'tap';
import { ensureCursors } from '#store/postgres/cursors.js';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { fanOut } from '#store/postgres/webhooks/fan-out.js';
import { runKasir } from '#test/support/kasir.js';
import { createTestMerchant } from '#test/support/processes.js';
import { createDatabase } from '#test/support/servers.js';
import { addEndpoint, addEvents } from '#test/support/webhooks/outbox.js';

const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));
await checkInstallation(sql, { partitions: 16, idKey: Buffer.alloc(32, 7) });
await ensureCursors(sql);
const { merchantId } = await createTestMerchant(databaseUrl);

t.test('a dry run tells dead letters of inactive endpoints apart', async (t) => {
  const endpoint = await addEndpoint(sql, merchantId, 'https://example.com/hook');
  await addEvents(sql, merchantId, 2);
  const [dead = '', pending = ''] = (await fanOut(sql)).deliveries.map(({ id }) => id);
  await sql`
    update webhook_deliveries set status = 'dead', reason = 'http_405', settled_at = now() where id = ${dead}`;
  const preview = async (): Promise<unknown> => {
    const words = ['dlq', 'replay', dead, pending, '--dry-run', '--json'];
    const { code, stdout } = await runKasir({ DATABASE_URL: databaseUrl }, ...words);
    t.equal(code, 1, 'one of them is no dead letter');
    return JSON.parse(stdout);
  };
  const other = { id: pending, outcome: 'no dead letter' };
  t.strictSame(await preview(), [{ id: dead, outcome: 'would be replayed' }, other]);
  await sql`update webhook_endpoints set active = false where id = ${endpoint.id}`;
  t.strictSame(await preview(), [{ id: dead, outcome: 'inactive' }, other]);
  t.strictSame([...(await sql`select 1 from audit_log where action = 'webhooks.replay'`)], []);
});
