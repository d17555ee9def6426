// Commits whose answers are lost at the worst moments, on a real Postgres behind a proxy. The result becomes certain,
// and the batch is stored at most once.
import t from 'tap';
import { commitUntilKnown, type CommitDeps } from '#actors/payments/commit.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { readClaims } from '#store/postgres/payments/partition-leases.js';
import { commitBatch, type CommitBatch } from '#store/postgres/payments/commit-batch.js';
import {
  at,
  buildCreatedEvent,
  buildBatch,
  buildMove,
  buildNewPayment,
  generatePaymentId,
} from '#test/support/actors/batches.js';
import { SILENT_LOG } from '#test/support/actors/loop.js';
import { startProxy } from '#test/support/peers/proxy.js';
import { createDatabase } from '#test/support/servers.js';

const databaseUrl = await createDatabase(t);
const direct = openPostgres(databaseUrl, 'test', 2);
await checkInstallation(direct, { partitions: 4, idKey: Buffer.alloc(32, 7) });
const proxy = await startProxy(t, Number(new URL(databaseUrl).port));
const commits = openPostgres(proxy.through(databaseUrl), 'commits', 1);
const reads = openPostgres(proxy.through(databaseUrl), 'reads', 1);
t.teardown(async () => {
  proxy.heal();
  await Promise.all([direct, commits, reads].map((sql) => sql.end({ timeout: 1 })));
});

function buildDeps(changes: Partial<CommitDeps> = {}): CommitDeps {
  return {
    clock: SYSTEM_CLOCK,
    log: SILENT_LOG,
    store: {
      commit: (batch) => commitBatch(commits, batch),
      readClaims: (partitions) => readClaims(reads, partitions),
    },
    isOwned: () => true,
    ...changes,
  };
}

let step = 0;
/** A batch with one new payment, which moves partition 0. */
async function buildNextBatch(...others: number[]): Promise<CommitBatch> {
  step += 1;
  const to = at(step);
  const moves = await Promise.all(
    [0, ...others].map((partition) => buildMove(direct, partition, to)),
  );
  const batch = buildBatch(...moves);
  const id = generatePaymentId();
  batch.created.push(buildNewPayment(id));
  batch.events.push(buildCreatedEvent(id, to));
  return batch;
}

async function countStored(batch: CommitBatch): Promise<number> {
  const id = batch.created[0]?.id ?? '';
  const [row] =
    await direct`select count(*)::int as count from payment_events where payment_id = ${id}`;
  return Number(row?.['count']);
}

const readPositionMs = async (partition: number): Promise<bigint | undefined> =>
  (await readClaims(direct, [partition]))[0]?.position.ms;

t.test('an answered commit is committed', async (t) => {
  const batch = await buildNextBatch();
  t.strictSame(await commitUntilKnown(buildDeps(), batch), { kind: 'committed' });
  t.equal(await countStored(batch), 1);
});

t.test('a stored commit whose answer is lost is committed, and stored once', async (t) => {
  const batch = await buildNextBatch();
  await commits`select 1`;
  await reads`select 1`;
  proxy.swallowReplies();
  const result = commitUntilKnown(buildDeps(), batch);
  await waitUntil('the commit is stored', async () => (await readPositionMs(0)) === BigInt(step));
  proxy.heal();
  t.strictSame(await result, { kind: 'committed' });
  t.equal(await countStored(batch), 1);
});

t.test('a commit that never arrived is sent again, and stored once', async (t) => {
  const batch = await buildNextBatch();
  await commits`select 1`;
  proxy.hold();
  const result = commitUntilKnown(buildDeps(), batch);
  proxy.cut();
  proxy.heal();
  t.strictSame(await result, { kind: 'committed' });
  t.equal(await countStored(batch), 1);
});

/** Locks the row of partition 0, for which the commit then waits. */
async function holdPartition(): Promise<{ release: () => Promise<void> }> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let holding: Promise<unknown> = Promise.resolve();
  await new Promise<void>((resolve) => {
    holding = direct.begin(async (tx) => {
      await tx`select 1 from partitions where id = 0 for update`;
      resolve();
      await released;
    });
  });
  return {
    release: async () => {
      release();
      await holding;
    },
  };
}

t.test('a commit whose backend dies three times is stored once', async (t) => {
  const batch = await buildNextBatch();
  const lock = await holdPartition();
  const result = commitUntilKnown(buildDeps(), batch);
  t.teardown(lock.release);
  for (let times = 0; times < 3; times += 1) {
    await waitUntil('a commit waits, and its backend is terminated', async () => {
      const ended = await direct`
        select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'kasir commits' and wait_event_type = 'Lock'
           and datname = current_database()`;
      return ended.length > 0;
    });
  }
  await lock.release();
  t.strictSame(await result, { kind: 'committed' });
  t.equal(await countStored(batch), 1);
});

t.test('a commit that is cut while it waits, and arrives twice, is stored once', async (t) => {
  const batch = await buildNextBatch();
  const lock = await holdPartition();
  const result = commitUntilKnown(buildDeps(), batch);
  t.teardown(lock.release);
  const waiting = async (): Promise<number> => {
    const rows = await direct`
      select 1 from pg_stat_activity where application_name = 'kasir commits'
         and wait_event_type = 'Lock' and datname = current_database()`;
    return rows.length;
  };
  await waitUntil('the first statement waits', async () => (await waiting()) === 1);
  proxy.cut();
  await waitUntil('the second statement waits too', async () => (await waiting()) === 2);
  await lock.release();
  t.strictSame(await result, { kind: 'committed' });
  t.equal(await countStored(batch), 1);
});

t.test(
  'a stored commit whose partition is taken over before the positions are read is fenced',
  async (t) => {
    const batch = await buildNextBatch();
    const commit = async (given: CommitBatch): Promise<void> => {
      await commitBatch(commits, given);
      await direct`update partitions set epoch = epoch + 1 where id = 0`;
      throw Object.assign(new Error('cut'), { code: 'CONNECTION_CLOSED' });
    };
    const { store } = buildDeps();
    const result = await commitUntilKnown(buildDeps({ store: { ...store, commit } }), batch);
    t.strictSame(result, { kind: 'fenced', lost: [0], isRolledBack: false });
    t.equal(await countStored(batch), 1);
  },
);

t.test('a stored commit of which one partition of two is taken over is committed', async (t) => {
  const batch = await buildNextBatch(1);
  const commit = async (given: CommitBatch): Promise<void> => {
    await commitBatch(commits, given);
    await direct`update partitions set epoch = epoch + 1 where id = 1`;
    throw Object.assign(new Error('cut'), { code: 'CONNECTION_CLOSED' });
  };
  const { store } = buildDeps();
  const result = await commitUntilKnown(buildDeps({ store: { ...store, commit } }), batch);
  t.strictSame(result, { kind: 'committed' });
});

t.test('a commit after a take-over is fenced, with exactly the lost partitions', async (t) => {
  const batch = await buildNextBatch(1, 2);
  await direct`update partitions set epoch = epoch + 1 where id in (0, 2)`;
  t.strictSame(await commitUntilKnown(buildDeps(), batch), {
    kind: 'fenced',
    lost: [0, 2],
    isRolledBack: false,
  });
  t.equal(await countStored(batch), 0);
});

t.test('a commit is fenced when the next owner has moved the position already', async (t) => {
  const batch = await buildNextBatch();
  await direct`update partitions set epoch = epoch + 1 where id = 0`;
  const ofNextOwner = await buildNextBatch();
  t.strictSame(await commitUntilKnown(buildDeps(), ofNextOwner), { kind: 'committed' });
  const fenced = { kind: 'fenced', lost: [0], isRolledBack: false };
  t.strictSame(await commitUntilKnown(buildDeps(), batch), fenced);
  t.equal(await countStored(batch), 0);
});

t.test('a position that moved under its own epoch throws', async (t) => {
  const batch = await buildNextBatch();
  await direct`update partitions set position_ms = 999, position_seq = 0 where id = 0`;
  await t.rejects(commitUntilKnown(buildDeps(), batch), /moved under its own epoch/);
  await direct`update partitions set position_ms = ${step} where id = 0`;
});

t.test('a commit with a payment that exists stores nothing', async (t) => {
  const first = await buildNextBatch();
  t.strictSame(await commitUntilKnown(buildDeps(), first), { kind: 'committed' });
  const again = await buildNextBatch();
  again.created = first.created;
  t.strictSame(await commitUntilKnown(buildDeps(), again), { kind: 'exists' });
  t.equal(await countStored(first), 1);
});

t.test(
  'a row that Postgres refuses is refused; a change of a missing payment throws',
  async (t) => {
    const batch = await buildNextBatch();
    batch.created[0] = buildNewPayment(generatePaymentId(), { referenceId: '\u0000' });
    t.equal((await commitUntilKnown(buildDeps(), batch)).kind, 'refused');
    const changed = await buildNextBatch();
    const change = {
      status: 'paid',
      paymentMethod: null,
      dueAtMs: null,
      fromVersion: 1,
      version: 2,
      snapshot: '{}',
    };
    changed.changed.push({ id: 'pay_missing', ...change });
    await t.rejects(commitUntilKnown(buildDeps(), changed), { code: 'KS002' });
  },
);

t.test('a commit that waits for a lock for too long is rolled back', async (t) => {
  const batch = await buildNextBatch();
  const lock = await holdPartition();
  t.teardown(lock.release);
  t.equal((await commitUntilKnown(buildDeps(), batch)).kind, 'rolled_back');
  await lock.release();
  t.equal(await countStored(batch), 0);
});

t.test('a commit that was in doubt and is then rolled back is fenced', async (t) => {
  const batch = await buildNextBatch();
  const failures = ['CONNECTION_CLOSED', '57014'];
  const { store } = buildDeps();
  const commit = (): Promise<never> =>
    Promise.reject(Object.assign(new Error('failed'), { code: failures.shift() }));
  const result = await commitUntilKnown(buildDeps({ store: { ...store, commit } }), batch);
  t.strictSame(
    result,
    { kind: 'fenced', lost: [0], isRolledBack: true },
    'the first statement may still arrive',
  );
});

t.test('a commit without Postgres retries until its partitions are dropped', async (t) => {
  const batch = await buildNextBatch();
  let isOwned = true;
  let asked = 0;
  const away = (): Promise<never> => {
    asked += 1;
    return Promise.reject(Object.assign(new Error('away'), { code: 'CONNECTION_REFUSED' }));
  };
  const store = { commit: away, readClaims: away };
  const result = commitUntilKnown(buildDeps({ store, isOwned: () => isOwned }), batch);
  await waitUntil('the commit was retried', () => asked > 4);
  isOwned = false;
  t.strictSame(await result, { kind: 'fenced', lost: [0], isRolledBack: false });
});
