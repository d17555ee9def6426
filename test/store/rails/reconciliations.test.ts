// Reconciliations in Postgres: planned once, claimed by one process, each page counted once, and begun anew after their end.
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import {
  requestReconciliations,
  claimReconciliation,
  planReconciliations,
  postponeReconciliation,
  type ReconciledPage,
  recordPage,
} from '#store/postgres/rails/reconciliations.js';
import {
  countReconciliations,
  readReconciliations,
} from '#store/postgres/rails/read-reconciliations.js';
import { createDatabase } from '#test/support/servers.js';

const LEASE_MS = 60_000;
const DAY_S = 86_400;
const AGAIN = { inMs: 3_600_000, most: 2 };
const RAILS = ['midtrans', 'xendit'] as const;

t.test('a reconciliation is planned, claimed, postponed, ended and begun anew', async (t) => {
  const sql = openPostgres(await createDatabase(t), 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  const claim = () => claimReconciliation(sql, ['midtrans'], LEASE_MS);
  const days = async () => {
    const rows = await sql`select rail, day::text from rail_reconciliations order by day, rail`;
    return rows.map(({ rail, day }) => `${String(rail)} ${String(day)}`);
  };

  await planReconciliations(sql, RAILS, '2026-08-01', '2026-08-08');
  t.strictSame(await days(), ['midtrans 2026-08-08', 'xendit 2026-08-08'], 'the first: one day');
  await planReconciliations(sql, RAILS, '2026-08-01', '2026-08-08');
  await planReconciliations(sql, ['midtrans'], '2026-08-03', '2026-08-10');
  t.strictSame(
    (await days()).filter((text) => text.startsWith('midtrans')),
    ['midtrans 2026-08-08', 'midtrans 2026-08-09', 'midtrans 2026-08-10'],
    'missed days follow',
  );
  await sql`delete from rail_reconciliations where day > '2026-08-08'`;

  const key = await claim();
  t.match(key, { rail: 'midtrans', day: '2026-08-08', step: 'list', cursor: null });
  if (key === undefined) return;
  t.equal(await claim(), undefined, 'another process has it');
  const page: ReconciledPage = {
    key,
    next: { step: 'ask', cursor: 'pay_1' },
    matched: 3,
    unanswered: 1,
    sightings: ['o1'],
    differences: [
      {
        ...{ kind: 'missing', field: 'status', ours: 'open', theirs: 'absent', orderId: 'o2' },
        ...{ paymentId: 'pay_1', payoutId: null, subject: '' },
        task: { id: 'task_1', details: '{}' },
      },
    ],
    orphans: [{ orderId: 'o3', reference: 'r3', amount: '5', currency: 'IDR' }],
    inquiries: [],
  };
  t.ok(await recordPage(sql, page, LEASE_MS, AGAIN));
  await sql`update rail_reconciliations set leased_until = now() - interval '1 second'`;
  const taken = await claim();
  t.match(taken, { step: 'ask', cursor: 'pay_1' }, 'it continues at the page of the dead process');
  t.notOk(
    await recordPage(sql, page, LEASE_MS, AGAIN),
    'a process that lost its lease stores nothing',
  );
  if (taken === undefined) return;
  const [counts] = await sql`
    select (select count(*)::int from operator_tasks) as tasks,
           (select count(*)::int from rail_callbacks where judge_at <= now()) as orphans,
           (select count(*)::int from rail_sightings) as sightings`;
  t.same(counts, { tasks: 1, orphans: 1, sightings: 1 });

  await postponeReconciliation(sql, taken, 0);
  const later = await claim();
  t.match(later, { step: 'ask', cursor: 'pay_1', postponed: 1 });
  if (later === undefined) return;
  const last = { ...page, key: later, next: null, differences: [], orphans: [], unanswered: 0 };
  t.ok(await recordPage(sql, last, LEASE_MS, AGAIN));
  const report = async () =>
    (await readReconciliations(sql, '2026-08-08')).find(({ rail }) => rail === 'midtrans');
  t.match(await report(), { isEnded: true, matched: 6, unanswered: 1 });
  const [waiting] = await sql`
    select extract(epoch from due_at - now())::int as "inS" from rail_reconciliations
     where rail = 'midtrans'`;
  t.ok(Number(waiting?.['inS']) > 3_500, 'unanswered orders are inquired again in an hour');

  await requestReconciliations(sql, [{ rail: 'midtrans', day: '2026-08-08' }]);
  t.match(await report(), { isEnded: false }, 'requested again');
  const anew = await claim();
  t.match(anew, { step: 'list', cursor: null });
  t.match(await report(), { matched: 0, unanswered: 0 });
  if (anew === undefined) return;
  t.ok(await recordPage(sql, { ...last, key: anew, unanswered: 0 }, LEASE_MS, AGAIN));
  t.equal(await claim(), undefined, 'done');
  const [left] = await sql`
    select (select count(*)::int from rail_differences) as differences,
           (select count(*)::int from rail_sightings) as sightings,
           (select count(*)::int from operator_tasks) as tasks`;
  t.same(left, { differences: 0, sightings: 0, tasks: 1 });
});

t.test('a rail that was never reconciled has the age of its first planned day', async (t) => {
  const sql = openPostgres(await createDatabase(t), 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  const findDay = async (daysAgo: number): Promise<string> => {
    const [row] = await sql<{ day: string }[]>`
      select ((now() at time zone 'Asia/Jakarta')::date - ${daysAgo}::integer)::text as day`;
    return row?.day ?? '';
  };
  const ages = async () =>
    (await countReconciliations(sql)).map(({ ageS }) => Math.floor(ageS / DAY_S));
  await planReconciliations(sql, ['xendit'], await findDay(4), await findDay(4));
  t.same(await ages(), [3]);
  await planReconciliations(sql, ['xendit'], await findDay(4), await findDay(2));
  t.same(await ages(), [3]);
  await sql`update rail_reconciliations set ended_at = now() where day = ${await findDay(2)}`;
  t.same(await ages(), [1]);
});
