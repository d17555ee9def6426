// A page of the audit log is read by an index, however long the log is and whatever it was planned for.
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { type AuditFilter, listAudit } from '#store/postgres/operations/audit.js';
import { createDatabase, fillTables } from '#test/support/servers.js';

const ENTRIES = 5_000;
const PAGE = 20;
/** Rows that one page may read. */
const FEW = 60;
const ALL: AuditFilter = { actor: null, target: null, olderThan: null };

const sql = openPostgres(await createDatabase(t), 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));

async function countReads(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql<{ rows: string }[]>`
    select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_user_tables
     where relname = 'audit_log'`;
  return Number(row?.rows);
}

t.before(() =>
  fillTables(sql, async (tx) => {
    // Without the triggers that link each entry to the one before.
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into audit_log (chain, at, actor, action, target, personal_digest, transaction)
      select 'mer_1', now(), 'usr_' || n % 7, 'GET /v1/admin/transactions/{payment_id}', 'pay_' || n % 9,
             '', pg_current_xact_id()
        from generate_series(1, ${ENTRIES}::integer) as n`;
  }),
);

for (const [title, filter] of Object.entries<AuditFilter>({
  'the newest page': ALL,
  'a page of an actor': { ...ALL, actor: 'usr_3' },
  'a page of a target': { ...ALL, target: 'pay_4' },
  'a page behind a cursor': { ...ALL, olderThan: '2500' },
})) {
  t.test(`${title} reads few entries`, async (t) => {
    const before = await countReads();
    t.equal((await listAudit(sql, filter, PAGE)).length, PAGE);
    const reads = (await countReads()) - before;
    t.ok(reads >= PAGE && reads < FEW, `${reads} rows`);
  });
}
