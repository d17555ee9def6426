// A page of the audit log is read by an index, however long the log is and whatever it was planned for.
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { type AuditFilter, listAudit } from '#store/postgres/operations/audit.js';
import { createDatabase, fillTables } from '#test/support/servers.js';

const ENTRIES = 50_000;
const PAGE = 20;
/** Entries that a page of an action may look at. */
const SCANNED = 20_000;
/** Rows that one page may read. */
const FEW = 60;
const ALL: AuditFilter = {
  ...{ actor: null, target: null, action: null, from: null, to: null, olderThan: null },
};
const START_MS = Date.UTC(2026, 0, 1);
const atMinute = (minute: number): Date => new Date(START_MS + minute * 60_000);

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
      select 'mer_1', ${new Date(START_MS)}::timestamptz + n * interval '1 minute', 'usr_' || n % 7,
             case n % 100 when 0 then 'merchants.update' else 'GET /v1/admin/transactions/{payment_id}' end, 'pay_' || n % 9,
             '', pg_current_xact_id()
        from generate_series(1, ${ENTRIES}::integer) as n`;
  }),
);

for (const [title, filter] of Object.entries<AuditFilter>({
  'the newest page': ALL,
  'a page of an actor': { ...ALL, actor: 'usr_3' },
  'a page of a target': { ...ALL, target: 'pay_4' },
  'a page behind a cursor': { ...ALL, olderThan: '2500' },
  'a page of a day in the middle': { ...ALL, from: atMinute(20_000), to: atMinute(30_000) },
  'a page of an actor until a time': { ...ALL, actor: 'usr_3', to: atMinute(30_000) },
})) {
  t.test(`${title} reads few entries`, async (t) => {
    const before = await countReads();
    t.equal((await listAudit(sql, filter, PAGE)).rows.length, PAGE);
    const reads = (await countReads()) - before;
    t.ok(reads >= PAGE && reads < FEW, `${reads} rows`);
  });
}

t.test('entries of a period and of an action are those of the whole log', async (t) => {
  for (const [from, to] of [
    [0, 50],
    [2_000, 2_001],
    [49_990, 90_000],
    [90_000, 90_001],
    [-50, 1],
  ] as const) {
    const filter = { ...ALL, from: atMinute(from), to: atMinute(to) };
    const { rows } = await listAudit(sql, filter, ENTRIES);
    const minutes = rows.map(({ at }) => (at.getTime() - START_MS) / 60_000);
    const [first, last] = [Math.max(from, 1), Math.min(to - 1, ENTRIES)];
    const expected = Array.from({ length: Math.max(last - first + 1, 0) }, (_, n) => last - n);
    t.strictSame(minutes, expected, `${from} to ${to}`);
  }
  const { rows, stoppedAt } = await listAudit(sql, { ...ALL, action: 'merchants.update' }, 1_000);
  t.equal(rows.length, SCANNED / 100);
  t.ok(Number(stoppedAt) > ENTRIES - SCANNED && Number(stoppedAt) < ENTRIES, stoppedAt ?? 'null');
  const rest = await listAudit(
    sql,
    { ...ALL, action: 'merchants.update', olderThan: '10001' },
    1_000,
  );
  t.equal(rest.rows.length, 100);
  t.equal(rest.stoppedAt, null);
});
