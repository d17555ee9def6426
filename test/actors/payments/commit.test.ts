// A commit whose answer is lost, at the worst moments, on a real Postgres behind a proxy: in the end it
// is known what became of the batch, and it was applied at most once.
import t from 'tap';
import { commitUntilKnown, type CommitDeps } from '#actors/payments/commit.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/installation.js';
import { readClaims } from '#store/postgres/payments/partition-leases.js';
import { commitBatch } from '#store/postgres/payments/commit-batch.js';
import type { CommitBatch } from '#store/postgres/payments/commit-columns.js';
import {
  at,
  createdEvent,
  emptyBatch,
  moveTo,
  newPayment,
  newPaymentId,
} from '#test/support/actors/batches.js';
import { clock, silentLog } from '#test/support/actors/loop.js';
import { startProxy } from '#test/support/proxy.js';
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

function parts(changes: Partial<CommitDeps> = {}): CommitDeps {
  return {
    clock,
    log: silentLog,
    store: {
      commit: (batch) => commitBatch(commits, batch),
      readClaims: (partitions) => readClaims(reads, partitions),
    },
    isStillOurs: () => true,
    ...changes,
  };
}

let step = 0;
/** A batch with one new payment, which moves partition 0. */
async function nextBatch(...others: number[]): Promise<CommitBatch> {
  step += 1;
  const to = at(step);
  const moves = await Promise.all([0, ...others].map((partition) => moveTo(direct, partition, to)));
  const batch = emptyBatch(...moves);
  const id = newPaymentId();
  batch.created.push(newPayment(id));
  batch.events.push(createdEvent(id, to));
  return batch;
}

async function storedTimes(batch: CommitBatch): Promise<number> {
  const id = batch.created[0]?.id ?? '';
  const [row] =
    await direct`select count(*)::int as count from payment_events where payment_id = ${id}`;
  return Number(row?.['count']);
}

const positionOf = async (partition: number): Promise<bigint | undefined> =>
  (await readClaims(direct, [partition]))[0]?.position.ms;

t.test('a commit that is answered is committed', async (t) => {
  const batch = await nextBatch();
  t.strictSame(await commitUntilKnown(parts(), batch), { kind: 'committed' });
  t.equal(await storedTimes(batch), 1);
});

t.test('landed, and the answer was lost: committed, once', async (t) => {
  const batch = await nextBatch();
  await commits`select 1`;
  await reads`select 1`;
  proxy.swallowReplies();
  const result = commitUntilKnown(parts(), batch);
  await waitUntil('it has landed', 5_000, async () => (await positionOf(0)) === BigInt(step));
  proxy.heal();
  t.strictSame(await result, { kind: 'committed' });
  t.equal(await storedTimes(batch), 1);
});

t.test('never arrived: sent again, applied once', async (t) => {
  const batch = await nextBatch();
  await commits`select 1`;
  proxy.hold();
  const result = commitUntilKnown(parts(), batch);
  proxy.cut();
  proxy.heal();
  t.strictSame(await result, { kind: 'committed' });
  t.equal(await storedTimes(batch), 1);
});

/** Locks the row of partition 0, so that a commit waits in the middle. */
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

t.test('the backend dies while the commit waits, again and again', async (t) => {
  const batch = await nextBatch();
  const lock = await holdPartition();
  const result = commitUntilKnown(parts(), batch);
  t.teardown(lock.release);
  for (let times = 0; times < 3; times += 1) {
    await waitUntil('a commit waits, and its backend is ended', 10_000, async () => {
      const ended = await direct`
        select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'kasir commits' and wait_event_type = 'Lock'
           and datname = current_database()`;
      return ended.length > 0;
    });
  }
  await lock.release();
  t.strictSame(await result, { kind: 'committed' });
  t.equal(await storedTimes(batch), 1);
});

t.test('cut while it waits, and both tries arrive: applied once', async (t) => {
  const batch = await nextBatch();
  const lock = await holdPartition();
  const result = commitUntilKnown(parts(), batch);
  t.teardown(lock.release);
  const waiting = async (): Promise<number> => {
    const rows = await direct`
      select 1 from pg_stat_activity where application_name = 'kasir commits'
         and wait_event_type = 'Lock' and datname = current_database()`;
    return rows.length;
  };
  await waitUntil('the first try waits', 5_000, async () => (await waiting()) === 1);
  proxy.cut();
  await waitUntil('the second try waits too', 5_000, async () => (await waiting()) === 2);
  await lock.release();
  t.strictSame(await result, { kind: 'committed' });
  t.equal(await storedTimes(batch), 1);
});

t.test('landed, then taken over before the positions were read: nobody is answered', async (t) => {
  const batch = await nextBatch();
  const commit = async (given: CommitBatch): Promise<void> => {
    await commitBatch(commits, given);
    await direct`update partitions set epoch = epoch + 1 where id = 0`;
    throw Object.assign(new Error('cut'), { code: 'CONNECTION_CLOSED' });
  };
  const { store } = parts();
  const result = await commitUntilKnown(parts({ store: { ...store, commit } }), batch);
  t.strictSame(result, { kind: 'fenced', lost: [0] });
  t.equal(await storedTimes(batch), 1);
});

t.test('landed, one of two partitions taken over meanwhile: committed', async (t) => {
  const batch = await nextBatch(1);
  const commit = async (given: CommitBatch): Promise<void> => {
    await commitBatch(commits, given);
    await direct`update partitions set epoch = epoch + 1 where id = 1`;
    throw Object.assign(new Error('cut'), { code: 'CONNECTION_CLOSED' });
  };
  const { store } = parts();
  const result = await commitUntilKnown(parts({ store: { ...store, commit } }), batch);
  t.strictSame(result, { kind: 'committed' });
});

t.test('taken over before: fenced, with the partitions that are lost and no others', async (t) => {
  const batch = await nextBatch(1, 2);
  await direct`update partitions set epoch = epoch + 1 where id in (0, 2)`;
  t.strictSame(await commitUntilKnown(parts(), batch), { kind: 'fenced', lost: [0, 2] });
  t.equal(await storedTimes(batch), 0);
});

t.test('a position that moved under our own epoch is impossible', async (t) => {
  const batch = await nextBatch();
  await direct`update partitions set position_ms = 999, position_seq = 0 where id = 0`;
  await t.rejects(commitUntilKnown(parts(), batch), /under its own epoch/);
  await direct`update partitions set position_ms = ${step} where id = 0`;
});

t.test('a payment that is stored already is told, and nothing landed', async (t) => {
  const first = await nextBatch();
  t.strictSame(await commitUntilKnown(parts(), first), { kind: 'committed' });
  const again = await nextBatch();
  again.created = first.created;
  t.strictSame(await commitUntilKnown(parts(), again), { kind: 'exists' });
  t.equal(await storedTimes(first), 1);
});

t.test('what Postgres does not take is refused, and what cannot be is thrown', async (t) => {
  const batch = await nextBatch();
  batch.created[0] = newPayment(newPaymentId(), { referenceId: '\u0000' });
  t.equal((await commitUntilKnown(parts(), batch)).kind, 'refused');
  const changed = await nextBatch();
  const change = {
    status: 'paid',
    paymentMethod: null,
    dueAtMs: null,
    fromVersion: 1,
    version: 2,
    snapshot: '{}',
  };
  changed.changed.push({ id: 'pay_missing', ...change });
  await t.rejects(commitUntilKnown(parts(), changed), { code: 'KS002' });
});

t.test('with Postgres away it waits, and ends when its partitions are dropped', async (t) => {
  const batch = await nextBatch();
  let isStillOurs = true;
  let asked = 0;
  const away = (): Promise<never> => {
    asked += 1;
    return Promise.reject(Object.assign(new Error('away'), { code: 'CONNECTION_REFUSED' }));
  };
  const store = { commit: away, readClaims: away };
  const result = commitUntilKnown(parts({ store, isStillOurs: () => isStillOurs }), batch);
  await waitUntil('it asks again and again', 5_000, () => asked > 4);
  isStillOurs = false;
  t.strictSame(await result, { kind: 'fenced', lost: [0] });
});
