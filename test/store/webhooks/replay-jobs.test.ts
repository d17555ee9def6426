// Replays as jobs: their steps, filters and ends.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { makeReplayId } from '#actors/core/ids.js';
import {
  countReplayable,
  findReplay,
  type ReplayScope,
  startReplay,
} from '#store/postgres/webhooks/dead-letters/replay-jobs.js';
import {
  completeReplays,
  findOpenParts,
  stepReplay,
} from '#store/postgres/webhooks/dead-letters/step-replays.js';
import { openDeadLetters } from '#test/support/webhooks/dead-letters.js';
import { addEndpoint } from '#test/support/webhooks/outbox.js';

const BY = { actor: 'operator test', address: null };
const { sql, getOwner, createDeliveries, createDead, createWaiting, scope } =
  await openDeadLetters(t);
const start = (given: Partial<ReplayScope> = {}) =>
  startReplay(sql, makeReplayId(randomBytes(16)), scope(given), BY);

t.test(
  'a replay job keeps a window of deliveries due, takes each once, then completes',
  async (t) => {
    const ids = await createDead(10);
    t.equal(await countReplayable(sql, scope()), 10);
    const job = await start();
    t.match(job, { status: 'running', total: 10, done: 0, failed: 0 });
    t.equal(await start(), 'replay_running');
    const again = await createDead(1);
    const [part] = await findOpenParts(sql, 10);
    if (part === undefined || typeof job === 'string') throw new Error('it has no part');
    const seen = new Set<string>();
    for (let round = 0; round < 30; round += 1) {
      // Several processes at once: one of them steps the part.
      await Promise.all(Array.from({ length: 4 }, () => stepReplay(sql, part, 4)));
      const waiting = await sql<{ id: string }[]>`
      select id from webhook_deliveries where replay_id = ${job.id} and status = 'pending' and step = 0`;
      t.ok(waiting.length <= 4, `${waiting.length} are due`);
      if (waiting.length === 0) break;
      // Two are attempted and fail: one waits for a retry, one is dead again.
      const [first, second = first] = waiting.map(({ id }) => id);
      for (const id of [first, second]) {
        t.notOk(seen.has(id ?? '') && first !== second, 'once');
        seen.add(id ?? '');
      }
      await sql`update webhook_deliveries set step = 1, attempts = attempts + 1
               where id in (${first ?? ''}, ${second ?? ''})`;
      await sql`update webhook_deliveries set status = 'dead', settled_at = clock_timestamp()
               where id = ${second ?? ''}`;
    }
    t.strictSame(
      [...seen].sort(),
      [...ids].sort(),
      'each once, and none that died after the start',
    );
    await completeReplays(sql);
    t.match(await findReplay(sql, { id: job.id, merchantId: getOwner().merchantId }), {
      status: 'completed',
      done: 10,
      failed: 0,
    });
    t.equal(await findReplay(sql, { id: job.id, merchantId: 'mer_other' }), undefined);
    t.match(await start(), { status: 'running' }, 'the next job may begin');
    t.ok(again);
  },
);

t.test('a replay job takes the deliveries of its filter only', async (t) => {
  const other = await addEndpoint(sql, getOwner().merchantId, 'https://example.com/other', [
    'payment.failed',
  ]);
  await createDead(3);
  await createDead(2, 'payment.failed', 'http_401');
  const job = await start({ endpointId: other.id, reason: 'http_401' });
  t.match(job, { total: 2 });
  const parts = await findOpenParts(sql, 10);
  t.strictSame(
    parts.map((part) => part.endpointId),
    [other.id],
  );
  for (const part of parts) t.equal((await stepReplay(sql, part, 100)).length, 2);
  const rows =
    await sql`select distinct endpoint_id from webhook_deliveries where status = 'pending'`;
  t.strictSame(
    rows.map((row) => row['endpoint_id'] as string),
    [other.id],
  );
});

t.test(
  'a replay with pending deliveries takes those that wait for their next attempt',
  async (t) => {
    const [late] = await createWaiting(3);
    await createDead(2);
    await createDeliveries(4);
    t.equal(await countReplayable(sql, scope()), 2);
    t.equal(await countReplayable(sql, scope({ withPending: true })), 5);
    t.equal(await countReplayable(sql, scope({ withPending: true, to: new Date(0) })), 0);
    await start({ withPending: true });
    const [part] = await findOpenParts(sql, 10);
    if (part === undefined) throw new Error('it has no part');
    t.equal((await stepReplay(sql, part, 100)).length, 5);
    const rows = await sql`select next_attempt_at <= now() as due, step from webhook_deliveries
                          where id = ${late ?? ''}`;
    t.match(rows, [{ due: true, step: 0 }]);

    // It fails again at a time before the job, by a slow clock: the same job must not take it twice.
    await sql`update webhook_deliveries set step = 1, next_attempt_at = now() + interval '1 hour'
             where id = ${late ?? ''}`;
    await sql`update webhook_attempts set at = (select until_at from webhook_replays)
             where delivery_id = ${late ?? ''}`;
    await sql`update webhook_replay_parts set completed_at = null`;
    const left = await stepReplay(sql, part, 100);
    t.notOk(left.some(({ id }) => id === late));
  },
);

t.test('a part that another process steps is skipped without waiting', async (t) => {
  await createDead(2);
  await start();
  const [part] = await findOpenParts(sql, 10);
  if (part === undefined) throw new Error('it has no part');
  await sql.begin(async (other) => {
    await other`select from webhook_replay_parts where replay_id = ${part.replayId} for update`;
    t.strictSame([...(await stepReplay(sql, part, 100))], []);
  });
  t.equal((await stepReplay(sql, part, 100)).length, 2);
});

t.test('an endpoint that is deactivated during a replay fails the rest of its part', async (t) => {
  await createDead(3);
  const job = await start();
  await sql`update webhook_endpoints set active = false where id = ${getOwner().endpointId}`;
  for (const part of await findOpenParts(sql, 10)) await stepReplay(sql, part, 100);
  await completeReplays(sql);
  const id = typeof job === 'string' ? '' : job.id;
  t.match(await findReplay(sql, { id, merchantId: null }), {
    status: 'completed',
    done: 0,
    failed: 3,
  });
  t.equal(await countReplayable(sql, scope()), 0);
  await start();
  await completeReplays(sql);
  t.match(await start(), { total: 0 }, 'a job without deliveries completes');
});

t.test(
  'a replay gives up an endpoint that fails for an hour, and another one may begin',
  async (t) => {
    await createDead(5);
    const job = await start();
    const key = { id: typeof job === 'string' ? '' : job.id, merchantId: null };
    const [part] = await findOpenParts(sql, 10);
    if (part === undefined) throw new Error('the replay has no part');
    const proceed = async () => {
      await stepReplay(sql, part, 2);
      await completeReplays(sql);
      return findReplay(sql, key);
    };
    await proceed();
    const age = (hours: number): Promise<unknown> =>
      sql`update webhook_replays set created_at = now() - make_interval(hours => ${hours})`;
    await age(2);
    t.match(await proceed(), { status: 'running' }, 'it is slow, and has not failed for an hour');
    const { endpointId } = getOwner();
    await sql`insert into webhook_endpoint_failures (endpoint_id, flagged_at) values (${endpointId}, now())`;
    await age(0);
    t.match(await proceed(), { status: 'running' }, 'the receiver may have been mended just now');
    await age(2);
    t.match(await proceed(), { status: 'completed', total: 5, done: 2, failed: 3 });
    t.not(await start(), 'replay_running');
  },
);
