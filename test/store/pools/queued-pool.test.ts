// A pool behind PgBouncer has no more statements under way than connections. The server here is Postgres itself: only the client
// decides (test/slow/flows/pgbouncer.test.ts has PgBouncer).
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { DeadlineError } from '#ops/runtime/deadline.js';
import { closePostgres, openPostgres, type Postgres } from '#store/postgres/client.js';
import { createDatabase } from '#test/support/servers.js';
import { countLockWaits } from '#test/support/waits/lock-waits.js';

const MAX_WAITING = 10_000;
const HAS_ENDED = { message: /the pool of connections to Postgres has ended/ };

const databaseUrl = await createDatabase(t);
const direct = openPostgres(databaseUrl, 'test', 2, { deadlineMs: null });
await direct`create table notes (id serial, note text unique)`;
t.teardown(() => closePostgres(direct));

function openQueued(t: Test, max: number, deadlineMs: number | null = null): Postgres {
  const sql = openPostgres(`${databaseUrl}?pooling=transaction`, 'test queued', max, {
    deadlineMs,
  });
  t.teardown(() => closePostgres(sql));
  return sql;
}

let locks = 0;

/** A statement that keeps its connection busy until `release` is called. */
async function holdConnection(sql: Postgres) {
  const lock = (locks += 1);
  const holder = await direct.reserve();
  await holder`select pg_advisory_lock(${lock}::int)`;
  const statement = sql.unsafe(`select pg_advisory_xact_lock(${lock})`).execute();
  await waitUntil('the statement waits', async () => (await countLockWaits(direct)) === 1);
  return {
    statement,
    release: async (): Promise<void> => {
      await holder`select pg_advisory_unlock(${lock}::int)`;
      holder.release();
      await statement;
    },
  };
}

async function listNotes(): Promise<unknown[]> {
  const rows = await direct`with taken as (delete from notes returning id, note)
                            select note from taken order by id`;
  return rows.map(({ note }) => note as unknown);
}

t.test('statements never wait behind another on its connection', async (t) => {
  const sql = openQueued(t, 2, 4_000);
  await Promise.all([sql`select pg_sleep(0.05)`, sql`select pg_sleep(0.05)`]);
  const held = await holdConnection(sql);
  await Promise.all(Array.from({ length: 20 }, () => sql`select 1`));
  t.pass('the other connection answers them all');
  await held.release();
});

t.test('statements and transactions are sent in their order', async (t) => {
  const sql = openQueued(t, 1);
  const held = await holdConnection(sql);
  const work = [
    sql`insert into notes (note) values ('first')`.execute(),
    sql.begin((tx) => tx`insert into notes (note) values ('second')`),
    sql.unsafe(`insert into notes (note) values ('third')`).execute(),
    sql`insert into notes (note) values (${'fourth'})`.catch(() => t.fail('it is sent')),
  ];
  await held.release();
  await Promise.all(work);
  t.strictSame(await listNotes(), ['first', 'second', 'third', 'fourth']);
});

t.test('a statement that waits beyond its deadline rejects and is never sent', async (t) => {
  const sql = openQueued(t, 1, 200);
  const held = await holdConnection(sql);
  await t.rejects(sql`insert into notes (note) values ('late')`, new DeadlineError(200));
  await held.release();
  await waitUntil('the pool answers', () => sql`insert into notes (note) values ('next')`);
  t.strictSame(await listNotes(), ['next']);
});

t.test('a cancelled statement is never sent, and the pool goes on', async (t) => {
  const sql = openQueued(t, 1);
  const held = await holdConnection(sql);
  const cancelled = sql`insert into notes (note) values ('cancelled')`;
  cancelled.execute().cancel();
  await t.rejects(cancelled, { code: '57014' });
  await held.release();
  await sql`insert into notes (note) values ('next')`;
  t.strictSame(await listNotes(), ['next']);
});

t.test('a statement that fails gives its connection to the next', async (t) => {
  const sql = openQueued(t, 1);
  await t.rejects(sql`select 1 / 0`, { code: '22012' });
  await t.rejects(sql`select ${'x'}::int`, { code: '22P02' });
  await t.rejects(sql`select ${undefined as unknown as string}`, { code: 'UNDEFINED_VALUE' });
  await t.rejects(sql`select ${new Date(Number.NaN)}::timestamptz`, RangeError);
  t.strictSame([...(await sql`select 1 as one`)], [{ one: 1 }]);
});

t.test(
  'a statement that is sent before it is awaited gives its connection to the next',
  async (t) => {
    const sql = openQueued(t, 1, 4_000);
    for (let times = 0; times < 2; times += 1) await sql`select 1`.execute();
    await sql`select 1`.forEach(() => {});
    await t.rejects(sql`select 1 / 0`.execute(), { code: '22012' });
    t.strictSame([...(await sql`select 1 as one`)], [{ one: 1 }]);
  },
);

t.test('a transaction keeps its connection until it ends', async (t) => {
  const sql = openQueued(t, 1);
  const ended: string[] = [];
  const failed = sql.begin(async (tx) => {
    const outside = sql`select 1`.then(() => ended.push('statement'));
    await tx`insert into notes (note) values ('rolled back')`;
    ended.push('transaction');
    outside.catch(() => t.fail('it is sent afterwards'));
    throw new Error('given up');
  });
  await t.rejects(failed, { message: 'given up' });
  await t.rejects(
    sql.begin((tx) => tx`select 1 / 0`),
    { code: '22012' },
  );
  await sql.begin(async (tx) => {
    const rows: number[] = [];
    for await (const [row] of tx`select generate_series(1, 3) as one`.cursor()) {
      rows.push(Number(row?.['one']));
    }
    t.strictSame(rows, [1, 2, 3], 'a cursor reads on');
  });
  t.strictSame(ended, ['transaction', 'statement']);
  t.strictSame(await listNotes(), []);
});

t.test('work that takes a connection past the queue is refused', async (t) => {
  const sql = openQueued(t, 1);
  const named = { message: /needs a pool that leads past PgBouncer \(DATABASE_URL_DIRECT\)/ };
  t.throws(() => void sql.reserve(), named);
  t.throws(() => void sql.listen('channel', () => {}), named);
  t.throws(() => void sql.notify('channel', ''), named);
  t.throws(() => void sql.file('statement.sql'), named);
  const inside = { message: /use cursors and COPY inside sql\.begin/ };
  await t.rejects(async () => {
    for await (const rows of sql`select 1`.cursor(1)) t.notOk(rows);
  }, inside);
  const copy = await sql`copy notes from stdin`.writable().catch((error: unknown) => error);
  t.match(copy, inside);
  await sql`select 1`;
});

t.test(
  'at the end of a pool, what waits is rejected and what is under way is answered',
  async (t) => {
    const sql = openQueued(t, 1);
    const held = await holdConnection(sql);
    const waiting = [sql`select 1`.execute(), sql.begin((tx) => tx`select 1`)];
    const closing = closePostgres(sql);
    for (const one of waiting) await t.rejects(one, HAS_ENDED);
    await t.rejects(sql`select 1`, HAS_ENDED);
    await held.release();
    await closing;
  },
);

t.test('a statement is refused when too many wait', async (t) => {
  const sql = openQueued(t, 1);
  const held = await holdConnection(sql);
  const waiting = Array.from({ length: MAX_WAITING }, () => sql`select 1`.catch(() => null));
  await t.rejects(sql`select 1`, { message: /10000 statements wait for a connection/ });
  const closing = closePostgres(sql);
  await Promise.all(waiting);
  await held.release();
  await closing;
});
