// A pool while its backends are terminated again and again: every query settles, with its own result or an error, and
// the pool closes. (The driver alone leaves some queries pending for ever.) So does one that leads to PgBouncer, which has a
// queue; the server here is Postgres itself.
import { inspect } from 'node:util';
import t from 'tap';
import { DeadlineError } from '#ops/runtime/deadline.js';
import { WAIT_MS, waitUntil } from '#ops/dev/launch/wait-until.js';
import { closePostgres, openPostgres, type Postgres } from '#store/postgres/client.js';
import { startProxy } from '#test/support/peers/proxy.js';
import { createDatabase } from '#test/support/servers.js';

const TERMINATIONS = 100;
/** Longer than each wait of the test. */
const NEVER_S = (2 * WAIT_MS) / 1000;
const SENDERS = 24;

const databaseUrl = await createDatabase(t);
const pooledUrl = `${databaseUrl}?pooling=transaction`;
const admin = openPostgres(databaseUrl, 'test', 1);
const ADDRESSES = [
  ['a pool', databaseUrl],
  ['a pool with a queue', pooledUrl],
] as const;
let isOver = false;
const createCounts = () => ({ answered: 0, failed: 0, wrong: 0, hung: 0 });
let counts = createCounts();

async function query(sql: Postgres, word: string): Promise<keyof typeof counts> {
  try {
    const rows = await sql`select ${word}::text as word`;
    return rows.length === 1 && rows[0]?.['word'] === word ? 'answered' : 'wrong';
  } catch {
    return 'failed';
  }
}

async function send(sql: Postgres, sender: number): Promise<void> {
  for (let count = 0; !isOver; count += 1) {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'hung'>((resolve) => {
      timer = setTimeout(resolve, WAIT_MS, 'hung');
    });
    const outcome = await Promise.race([query(sql, `${sender}-${count}`), late]);
    clearTimeout(timer);
    counts[outcome] += 1;
    if (count % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

async function terminateBackends(): Promise<void> {
  for (let times = 0; times < TERMINATIONS; times += 1) {
    const { answered } = counts;
    await waitUntil('a query is answered', () => counts.answered > answered);
    await admin`
      select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'kasir victim' and datname = current_database()`;
  }
  isOver = true;
}

for (const [kind, url] of ADDRESSES) {
  t.test(
    `every query of ${kind} on terminated backends settles, and the pool closes`,
    async (t) => {
      const sql = openPostgres(url, 'victim', 4);
      isOver = false;
      counts = createCounts();
      const senders = Array.from({ length: SENDERS }, (_, one) => send(sql, one));
      await Promise.all([terminateBackends(), ...senders]);
      t.comment(JSON.stringify(counts));
      t.match(counts, { hung: 0, wrong: 0 });
      t.ok(counts.answered > 0 && counts.failed > 0, 'some queries were answered and some failed');
      let isClosed = false;
      void sql.end({ timeout: NEVER_S }).then(() => (isClosed = true));
      t.ok(await waitUntil('the pool is closed', () => isClosed), 'by itself, not by a time-out');
    },
  );
}

t.test('statements that wait in a queue go on when a connection is lost', async (t) => {
  const sql = openPostgres(pooledUrl, 'victim', 1);
  const lost = sql`select pg_sleep(60)`.catch((error: unknown) => error);
  const waiting = Promise.all([
    sql`select 1 as one`,
    sql.begin((tx) => tx`select 1 as one`),
    sql`select ${1}::int as one`,
  ]);
  await waitUntil('a session is terminated', async () => {
    const sessions = await admin`
      select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'kasir victim' and datname = current_database() and state = 'active'`;
    return sessions.length > 0;
  });
  t.match(await lost, { code: /^CONNECTION_/ });
  for (const rows of await waiting) t.strictSame([...rows], [{ one: 1 }]);
  await closePostgres(sql);
});

t.test(
  'statements that wait in a queue go on when the network swallowed a connection',
  async (t) => {
    const proxy = await startProxy(t, Number(new URL(databaseUrl).port));
    const pool = openPostgres(proxy.through(pooledUrl), 'stranded', 1, { deadlineMs: WAIT_MS });
    await pool`select 1`;
    proxy.strand();
    const lost = pool`select 1`.catch((error: unknown) => error);
    t.strictSame([...(await pool`select 1 as one`)], [{ one: 1 }]);
    t.match(await lost, { code: 'CONNECTION_DESTROYED' });
    await closePostgres(pool);
  },
);

t.test('statements that wait in a queue go on when a connection could not be opened', async (t) => {
  const proxy = await startProxy(t, Number(new URL(databaseUrl).port));
  const pool = openPostgres(proxy.through(pooledUrl), 'held', 1, { deadlineMs: WAIT_MS });
  proxy.hold();
  const lost = pool`select 1`.catch((error: unknown) => error);
  const waiting = pool`select 1 as one`.then((rows) => [...rows]);
  t.match(await lost, { code: 'CONNECT_TIMEOUT' });
  proxy.heal();
  t.strictSame(await waiting, [{ one: 1 }]);
  await closePostgres(pool);
});

t.test(
  'a statement beyond the deadline of its pool rejects; fragments are not limited',
  async (t) => {
    const slow = openPostgres(databaseUrl, 'slow', 1, { deadlineMs: 200 });
    await t.rejects(slow`select pg_sleep(2)`, new DeadlineError(200));
    await closePostgres(slow);
    const patient = openPostgres(databaseUrl, 'patient', 1, { deadlineMs: null });
    const fragment = patient`select 1 as one`;
    t.strictSame([...(await patient`select one from (${fragment}) as rows`)], [{ one: 1 }]);
    await closePostgres(patient);
  },
);

t.test('a statement that is sent after its deadline has its own parameters', async (t) => {
  const proxy = await startProxy(t, Number(new URL(databaseUrl).port));
  const pool = openPostgres(proxy.through(databaseUrl), 'late', 1, { deadlineMs: 200 });
  const direct = openPostgres(databaseUrl, 'test', 1);
  await direct`create table notes (note text)`;
  proxy.hold();
  await t.rejects(pool`insert into notes values (${'late'})`, new DeadlineError(200));
  proxy.heal();
  await waitUntil('the note is there', async () => {
    return (await direct`select 1 from notes`).length === 1;
  });
  t.strictSame([...(await direct`select note from notes`)], [{ note: 'late' }]);
  await Promise.all([closePostgres(pool), closePostgres(direct)]);
});

t.test('a settled query keeps neither its answer nor its parameters', async (t) => {
  const pool = openPostgres(databaseUrl, 'settled', 1);
  const query = pool`select ${'x'.repeat(1_000)}::text as text`;
  const [first, second] = await Promise.all([query, query]);
  t.equal(first, second, 'of one that is under way the answer is shared');
  t.equal(first.length, 1);
  await t.rejects(query, { message: 'the answer of a query can be read once' });
  const kept = inspect(query, { depth: 4, showHidden: true });
  t.notMatch(kept, /xxx/);
  await closePostgres(pool);
});

t.test('connections that the network swallowed are replaced, and sound ones kept', async (t) => {
  const proxy = await startProxy(t, Number(new URL(databaseUrl).port));
  const pool = openPostgres(proxy.through(databaseUrl), 'stranded', 2);
  const answers = () => Promise.all([pool`select pg_sleep(0.05)`, pool`select pg_sleep(0.05)`]);
  await answers();
  proxy.strand();
  t.match(await answers().catch((error: unknown) => error), Error, 'statements under way reject');
  await waitUntil('the pool answers', () => answers());
  const connections = proxy.connections();
  for (let times = 0; times < 4; times += 1) await pool`select pg_sleep(1.5)`;
  await answers();
  t.equal(proxy.connections(), connections, 'busy and idle ones are used again');
  await closePostgres(pool);
});

t.test('statements that wait long for a connection leave the connections alone', async (t) => {
  const proxy = await startProxy(t, Number(new URL(databaseUrl).port));
  const pool = openPostgres(proxy.through(databaseUrl), 'busy', 1, { deadlineMs: 1_000 });
  const slow = Array.from({ length: 4 }, () => pool`select pg_sleep(2)`.catch(() => null));
  await Promise.all(slow);
  await waitUntil('the pool answers', () => pool`select 1`);
  t.equal(proxy.connections(), 1);
  await closePostgres(pool);
});

t.teardown(() => closePostgres(admin));
