// Commands of operators are in the audit log, with the operator as the actor. Those that need a whole service are tested beside it.
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { openPostgres } from '#store/postgres/client.js';
import { runKasir } from '#test/support/kasir.js';
import { createTestMerchant } from '#test/support/processes.js';
import { createDatabase } from '#test/support/servers.js';

const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));
const { merchantId } = await createTestMerchant(databaseUrl);

const FIRST = 'first@kasir.example';
const SECOND = 'second@kasir.example';
const BOOKING =
  'ledger book --kind fee --rail midtrans --amount 700 --reference STL-1 --note August';

/** In this order: an administrator of the role admin must be left. */
const COMMANDS: readonly (readonly [line: string, actions: readonly string[]])[] = [
  [`admin create ${FIRST}`, ['users.insert']],
  [`admin create ${SECOND} --role support`, ['users.insert']],
  [`admin role ${SECOND} treasury`, ['users.update']],
  [`admin reset-totp ${SECOND}`, ['recovery_codes.delete', 'sessions.update', 'users.update']],
  [`admin disable ${SECOND}`, ['users.update']],
  [`admin enable ${SECOND}`, ['users.update']],
  [`admin erase ${merchantId} TEST customer_email budi@example.com`, ['erasure_requests.insert']],
  [BOOKING, ['rail_bookings.insert']],
];

/** A second factor with a recovery code, and a session, which ends with the factor. */
async function addFactor(): Promise<void> {
  await sql`
    with person as (
      update users set totp_secret = 'v1.x.y', totp_confirmed_at = now()
       where email = ${SECOND} returning id),
    code as (
      insert into recovery_codes (user_id, digest) select id, decode('01', 'hex') from person)
    insert into sessions (id, user_id, digest, address, expires_at)
    select ${makeId('ses', Buffer.alloc(16, 1))}, id, decode('02', 'hex'), '198.51.100.1', now() + interval '1 hour'
      from person`;
}

t.test('each change of a command is in the audit log', async (t) => {
  for (const [line, actions] of COMMANDS) {
    if (line.startsWith('admin reset-totp')) await addFactor();
    const [last] = await sql<{ id: string }[]>`
      select coalesce(max(id), 0)::text as id from audit_log`;
    const { code, stderr } = await runKasir({ DATABASE_URL: databaseUrl }, ...line.split(' '));
    t.equal(code, 0, `${line}: ${stderr}`);
    const rows = await sql<{ actor: string; action: string }[]>`
      select actor, action from audit_log where id > ${last?.id ?? '0'}::bigint`;
    t.strictSame([...new Set(rows.map(({ action }) => action))].sort(), [...actions].sort(), line);
    for (const { actor } of rows) t.match(actor, /^operator /, line);
  }
});
