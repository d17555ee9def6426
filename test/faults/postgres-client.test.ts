// A pool while its backends are terminated again and again: every query settles, with its own result or an error, and
// the pool closes. (The driver alone leaves some queries pending for ever.)
import { inspect } from 'node:util';
import t from 'tap';
import { DeadlineError } from '#ops/runtime/deadline.js';
import { WAIT_MS, waitUntil } from '#ops/dev/launch/wait-until.js';
import { closePostgres, openPostgres } from '#store/postgres/client.js';
import { startProxy } from '#test/support/peers/proxy.js';
import { createDatabase } from '#test/support/servers.js';

const TERMINATIONS = 100;
/** Longer than each wait of the test. */
const NEVER_S = (2 * WAIT_MS) / 1000;
const SENDERS = 24;

const databaseUrl = await createDatabase(t);
const admin = openPostgres(databaseUrl, 'test', 1);
const sql = openPostgres(databaseUrl, 'victim', 4);
let isOver = false;
const counts = { answered: 0, failed: 0, wrong: 0, hung: 0 };

async function query(word: string): Promise<keyof typeof counts> {
  try {
    const rows = await sql`select ${word}::text as word`;
    return rows.length === 1 && rows[0]?.['word'] === word ? 'answered' : 'wrong';
  } catch {
    return 'failed';
  }
}

async function send(sender: number): Promise<void> {
  for (let count = 0; !isOver; count += 1) {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'hung'>((resolve) => {
      timer = setTimeout(resolve, WAIT_MS, 'hung');
    });
    const outcome = await Promise.race([query(`${sender}-${count}`), late]);
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

t.test('every query on terminated backends settles with its own result or an error', async (t) => {
  await Promise.all([
    terminateBackends(),
    ...Array.from({ length: SENDERS }, (_, one) => send(one)),
  ]);
  t.comment(JSON.stringify(counts));
  t.match(counts, { hung: 0, wrong: 0 });
  t.ok(counts.answered > 0 && counts.failed > 0, 'some queries were answered and some failed');
});

t.test('a pool closes by itself, and not by a time-out', async (t) => {
  let isClosed = false;
  const closing = [sql, admin].map((pool) => pool.end({ timeout: NEVER_S }));
  void Promise.all(closing).then(() => (isClosed = true));
  t.ok(await waitUntil('both pools are closed', () => isClosed));
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
