// Due payments of many merchants: none waits for another's storm, and the streams hold few of their commands at a time.
import t from 'tap';
import { formatPosition } from '#actors/core/partition.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { readClaims } from '#store/postgres/payments/partition-leases.js';
import { MAX_UNDER_WAY } from '#store/redis/background-sender.js';
import { readCommands } from '#store/redis/frames.js';
import { openRedis } from '#store/redis/client.js';
import { buildCommandsKey, DUE_PAYMENTS_KEY } from '#store/redis/keys.js';
import { createTestMerchant, prepareProcess, startService } from '#test/support/processes.js';
import { buildExpired, insertDue } from '#test/support/rails/due-payments.js';

const PARTITIONS = Array.from({ length: 16 }, (_, partition) => partition);
const FEW = 500;
/** More than one round can hold. */
const STORM = 5_000;
/** More than the scheduler once looked at. */
const UNREADABLE = 10_500;

const service = await startService(t);
const { merchantId } = service.merchant;
const other = (await createTestMerchant(service.databaseUrl)).merchantId;
const rails = await prepareProcess(t, 'rails', service.variables);
const second = await prepareProcess(t, 'rails', service.variables);
const sql = openPostgres(service.databaseUrl, 'test', 2);
const redis = openRedis(service.redis.url, () => {});
t.teardown(async () => {
  redis.disconnect();
  await sql.end({ timeout: 1 });
});
await waitUntil('Redis is connected', () => redis.status === 'ready');

async function countPending(ids: readonly string[]): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from payments where id = any(${[...ids]}::text[]) and status = 'pending'`;
  return row?.count ?? 0;
}

/** The commands behind the committed positions of all partitions. */
async function listWaiting(): Promise<string[]> {
  const texts: string[] = [];
  for (const { partition, position } of await readClaims(sql, PARTITIONS)) {
    const after = `(${formatPosition(position)}`;
    const entries = await redis.xrange(buildCommandsKey(partition), after, '+');
    for (const [, [, frame = '']] of entries) {
      texts.push(...readCommands(frame).map(({ text }) => text));
    }
  }
  return texts;
}

// The statistics of Postgres are no count: a session reports its updates up to ten seconds late.
await sql.unsafe(`
  create table updated_payments (id text);
  create function note_update() returns trigger language plpgsql as $$
  begin
    insert into updated_payments values (new.id);
    return null;
  end $$;
  create trigger note_update after update on payments for each row execute function note_update()`);

async function countUpdates(ids: readonly string[]): Promise<number> {
  const [row] = await sql<{ updates: number }[]>`
    select count(*)::integer as updates from updated_payments where id = any(${[...ids]}::text[])`;
  return row?.updates ?? 0;
}

const listIds = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

t.test('payments that cannot be read delay no other payment', async (t) => {
  const unreadable = buildExpired(merchantId, 1, 0);
  const stuck = Array.from({ length: UNREADABLE }, (_, at) => ({ id: `pay_${at}`, snapshot: '{' }));
  await insertDue(sql, merchantId, stuck, 3_600_000);
  await insertDue(sql, merchantId, unreadable, 1_000);
  const others = buildExpired(other, 1, 0);
  await insertDue(sql, other, others, 1_000);
  await rails.start();
  await waitUntil('the payment of the other merchant expires', async () => {
    return (await countPending(listIds(others))) === 0;
  });
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from payments where id like 'pay_%' and snapshot = '{' and due_at <= now()`;
  t.ok(Number(row?.count) > UNREADABLE / 2, 'before those of the first were visited');
  await waitUntil('the payment of the same merchant expires', async () => {
    return (await countPending(listIds(unreadable))) === 0;
  });
  await rails.stop();
  await sql`delete from payments where snapshot = '{'`;
});

t.test('a payment that expires is written once, by its commit', async (t) => {
  const due = buildExpired(merchantId, FEW, 0);
  await insertDue(sql, merchantId, due, 1_000);
  await rails.start();
  await waitUntil('all have expired', async () => {
    return (await countPending(listIds(due))) === 0;
  });
  await rails.stop();
  t.equal(await countUpdates(listIds(due)), FEW);
});

t.test('a storm of expiries holds few places in the streams, and ends', async (t) => {
  for (const one of service.payments) await one.stop();
  const storm = buildExpired(merchantId, STORM, 0);
  await insertDue(sql, merchantId, storm, 1_000);
  await rails.start();
  await second.start();
  await waitUntil('commands are sent', async () => (await listWaiting()).length > 0);
  // Two rounds of unhurried checks, and the time after which a frame counts as stuck.
  const [{ until } = { until: '' }] = await sql<{ until: string }[]>`
    select (now() + interval '5 seconds')::text as until`;
  let most = 0;
  await waitUntil('several rounds have passed', async () => {
    most = Math.max(most, (await listWaiting()).length);
    const [row] = await sql<
      { over: boolean }[]
    >`select now() > ${until}::text::timestamptz as over`;
    return row?.over === true;
  });
  t.ok(most <= MAX_UNDER_WAY, `${most} commands of two processes wait`);
  const texts = await listWaiting();
  t.equal(new Set(texts).size, texts.length, 'each payment has got its command from one process');
  for (const one of service.payments) await one.start();
  await waitUntil('all have expired', async () => {
    return (await countPending(listIds(storm))) === 0;
  });
});

t.test('a process that sends commands of due payments is followed when it dies', async (t) => {
  const leader = (await redis.get(DUE_PAYMENTS_KEY)) ?? '';
  const [dead, left] = leader.startsWith(`rails-${rails.pid()}-`)
    ? [rails, second]
    : [second, rails];
  t.match(leader, `rails-${dead.pid()}-`);
  await dead.kill();
  const due = buildExpired(merchantId, 20, 0);
  await insertDue(sql, merchantId, due, 1_000);
  await waitUntil('the others expire', async () => {
    return (await countPending(listIds(due))) === 0;
  });
  t.ok(left.isRunning());
});
