// Processes of the version before use the former names of tables (docs/decisions/0075-one-name-per-thing.md). Their statements
// here are prepared before the rename, as those of a process that runs while `kasir migrate` does.
import t, { type Test } from 'tap';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { applyFiles } from '#store/postgres/migration/migrate.js';
import { readSqlFiles } from '#store/postgres/migration/schema-files.js';
import { createDatabase } from '#test/support/servers.js';

const LAST_BEFORE = 'schema/0029_session_devices.sql';

interface Stage {
  /** The one connection of a process of the version before. */
  readonly former: Postgres;
  readonly current: Postgres;
  readonly migrate: () => Promise<unknown>;
}

/** A database with the former names. */
async function startStage(t: Test): Promise<Stage> {
  const database = new URL(await createDatabase(t));
  const url = `${database.href}${database.search === '' ? '?' : '&'}search_path=former`;
  const [former, current] = [openPostgres(url, 'former', 1), openPostgres(url, 'current', 1)];
  t.teardown(() => Promise.all([former.end(), current.end()]));
  await former`create schema former`;
  const schema = await readSqlFiles('schema');
  const before = schema.filter(({ name }) => name <= LAST_BEFORE);
  await applyFiles(former, { schema: before, functions: [] });
  const migrate = async () =>
    applyFiles(current, { schema, functions: await readSqlFiles('functions') });
  return { former, current, migrate };
}

const scheduleInquiry = (sql: Postgres, id: string) => sql`
  insert into rail_watches (id, kind, rail, payment_id, merchant_id, look_at, watch_until)
  values (${id}, 'order', 'midtrans', 'pay_1', 'mer_1', now() - interval '1 minute', now() + interval '1 day')
  on conflict (id) do update
     set look_at = least(rail_watches.look_at, excluded.look_at), step = rail_watches.step + 1
  returning step`;

const claimInquiries = (sql: Postgres) => sql`
  with due as (
    select id from rail_watches
     where rail = 'midtrans' and look_at <= now() order by look_at for update skip locked),
  claimed as (
    update rail_watches w set number = w.number + 1, watch_until = w.watch_until + interval '1 hour'
      from due where w.id = due.id returning w.*)
  select id, number, extract(epoch from watch_until - look_at)::int as seconds from claimed order by id`;

t.test('status inquiries', async (t) => {
  const { former, current, migrate } = await startStage(t);
  t.strictSame([...(await scheduleInquiry(former, 'order_1'))], [{ step: 0 }]);
  t.match(await claimInquiries(former), [{ id: 'order_1', number: 1 }]);
  await migrate();

  t.strictSame([...(await scheduleInquiry(former, 'order_1'))], [{ step: 1 }], 'an old row');
  t.strictSame([...(await scheduleInquiry(former, 'order_2'))], [{ step: 0 }], 'a new row');
  t.match(await claimInquiries(former), [
    { id: 'order_1', number: 2 },
    { id: 'order_2', number: 1 },
  ]);
  const [row] = await current`
    select number, step, unconfirmed = '{}' as "isDefault", inquire_until - due_at > interval '1 day' as "isMoved"
      from status_inquiries where id = 'order_2'`;
  t.strictSame(row, { number: 1, step: 0, isDefault: true, isMoved: true });

  await former.begin(async (tx) => {
    t.equal((await claimInquiries(tx as unknown as Postgres)).length, 2);
    const free = await current`select id from status_inquiries for update skip locked`;
    t.strictSame([...free], [], 'a claim of the version before locks the rows');
  });
});

const claimErasures = (sql: Postgres) => sql`
  with due as (
    select e.id from erasures e
     where e.id in (select id from erasures where swept_at is null and look_at <= now())
       and e.swept_at is null and e.look_at <= now() for update skip locked)
  update erasures e set look_at = now() + interval '1 second' from due where e.id = due.id
  returning e.id, e.with_reference`;

t.test('erasures', async (t) => {
  const { former, current, migrate } = await startStage(t);
  const ask = (id: string) => current`
    insert into ${current('erasures')} (id, merchant_id, environment, with_reference, look_at)
    values (${id}, 'mer_1', 'TEST', true, now() - interval '1 minute')`;
  await ask('pay_1');
  t.match(await claimErasures(former), [{ id: 'pay_1', with_reference: true }]);
  await migrate();
  await ask('pay_2');
  t.match(await claimErasures(former), [{ id: 'pay_2' }], 'the one that is due');
  const later = await current`select from erasure_subjects where due_at > now()`;
  t.equal(later.length, 2, 'both were claimed');
});

t.test('erasure requests', async (t) => {
  const { former, current, migrate } = await startStage(t);
  // The audit log begins with the functions, which name tables of this version.
  await current`set session_replication_role = replica`;
  const findNext = () => former`
    select (environment || ' ' || merchant_id) as owner, look_at as due from erasure_requests
     where looked_through_at is null and (environment || ' ' || merchant_id) > ''
     order by (environment || ' ' || merchant_id), look_at limit 1`;
  const request = (id: string) => current`
    insert into erasure_requests (id, merchant_id, environment, field, sought, with_reference)
    values (${id}, 'mer_1', 'TEST', 'customer_email', 'siti@example.com', false)`;
  await request('era_1');
  const [before] = await findNext();
  await migrate();
  t.strictSame((await findNext())[0], before, 'the time is kept');
  await request('era_2');
  await former`select look_through('era_1', 10)`;
  const rows = await current`select look_at = due_at as "isSame" from erasure_requests`;
  t.strictSame([...rows], [{ isSame: true }, { isSame: true }]);
});

t.test('quarantined commands', async (t) => {
  const { former, current, migrate } = await startStage(t);
  const quarantine = (position: number) => former`
    insert into parked_commands (partition, position_ms, position_seq, index, command, error)
    values (1, ${position}, 0, 0, '{}', 'a reason') returning parked_at <= now() as "isDated"`;
  await quarantine(1);
  await migrate();
  t.strictSame([...(await quarantine(2))], [{ isDated: true }]);
  const rows = await current`
    select position_ms::int as at, error from quarantined_commands order by quarantined_at`;
  t.strictSame(
    [...rows],
    [1, 2].map((at) => ({ at, error: 'a reason' })),
  );
});
