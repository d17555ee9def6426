// Dead letters in Postgres: lists, counts, replays by id and as jobs, drops, retention, and their audit log.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { makeReplayId } from '#actors/core/ids.js';
import { openPostgres } from '#store/postgres/client.js';
import {
  deleteOldDeliveries,
  deleteUnreferenced,
} from '#store/postgres/webhooks/dead-letters/delete-deliveries.js';
import {
  countDead,
  countDeadLetters,
  listDeadLetters,
} from '#store/postgres/webhooks/dead-letters/list-dead-letters.js';
import {
  dropDeadLetters,
  replayDeadLetters,
} from '#store/postgres/webhooks/dead-letters/replay-dead-letters.js';
import {
  countReplayable,
  findReplay,
  type ReplayScope,
  startReplay,
} from '#store/postgres/webhooks/dead-letters/replay-jobs.js';
import { FULL_SCOPE } from '#store/postgres/webhooks/dead-letters/dead-letter-scope.js';
import {
  completeReplays,
  findOpenParts,
  stepReplay,
} from '#store/postgres/webhooks/dead-letters/step-replays.js';
import { ensureCursors } from '#store/postgres/cursors.js';
import { fanOut } from '#store/postgres/webhooks/fan-out.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { createTestMerchant } from '#test/support/processes.js';
import { createDatabase } from '#test/support/servers.js';
import { addEndpoint, addEvents, countDeliveries } from '#test/support/webhooks/outbox.js';

const BY = { actor: 'operator test', address: null };
const HOUR_MS = 3_600_000;
const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 8);
t.teardown(() => sql.end({ timeout: 1 }));
await checkInstallation(sql, { partitions: 16, idKey: Buffer.alloc(32, 7) });
await ensureCursors(sql);
let [merchantId, endpointId] = ['', ''];
t.beforeEach(async () => {
  await sql`delete from webhook_replays`;
  await sql`delete from webhook_deliveries`;
  await sql`delete from webhook_endpoints`;
  ({ merchantId } = await createTestMerchant(databaseUrl));
  endpointId = (await addEndpoint(sql, merchantId, 'https://example.com/hook')).id;
});

/** Returns the ids of deliveries of new events. */
async function createDeliveries(count: number, type = 'payment.paid'): Promise<string[]> {
  await addEvents(sql, merchantId, count, type);
  const ids: string[] = [];
  for (let events = 1; events > 0;) {
    const made = await fanOut(sql);
    ids.push(...made.deliveries.map(({ id }) => id));
    events = made.events;
  }
  return ids;
}

async function createDead(
  count: number,
  type = 'payment.paid',
  reason = 'http_405',
): Promise<string[]> {
  const ids = await createDeliveries(count, type);
  await sql`update webhook_deliveries set status = 'dead', reason = ${reason}, attempts = 3, step = 3,
                   settled_at = clock_timestamp() where id = any(${ids}::text[])`;
  return ids;
}

/** Deliveries that failed once and wait an hour for their next attempt. */
async function createWaiting(count: number): Promise<string[]> {
  const ids = await createDeliveries(count);
  await sql`insert into webhook_attempts (delivery_id, attempt, at, duration_ms, failure)
            select id, 1, now(), 5, 'http_status' from webhook_deliveries
             where id = any(${ids}::text[])`;
  await sql`update webhook_deliveries set attempts = 1, step = 1, reason = 'http_status',
                   next_attempt_at = now() + interval '1 hour' where id = any(${ids}::text[])`;
  return ids;
}

const scope = (given: Partial<ReplayScope> = {}): ReplayScope => ({
  ...FULL_SCOPE,
  ...{ merchantId, withPending: false },
  ...given,
});
const start = (given: Partial<ReplayScope> = {}) =>
  startReplay(sql, makeReplayId(randomBytes(16)), scope(given), BY);

const PAGE = { limit: 100, after: null };

t.test('dead letters are listed by filter, latest first, page by page', async (t) => {
  await createDead(2, 'payment.failed', 'http_401');
  const ids = await createDead(5);
  await createDeliveries(3);
  t.equal((await listDeadLetters(sql, scope(), PAGE)).length, 7);
  const paid = await listDeadLetters(sql, scope({ type: 'payment.paid' }), {
    limit: 3,
    after: null,
  });
  t.equal(paid.length, 4, 'one more row means that a page follows');
  t.match(paid[0], { status: 'dead', reason: 'http_405', type: 'payment.paid', attempts: 3 });
  const rest = await listDeadLetters(sql, scope({ type: 'payment.paid' }), {
    limit: 3,
    after: paid[2] ?? null,
  });
  t.strictSame(new Set([...paid.slice(0, 3), ...rest].map(({ id }) => id)), new Set(ids));
  t.equal(await countDead(sql, scope({ reason: 'http_401' })), 2);
  t.equal(await countDead(sql, scope({ environment: 'LIVE' })), 0);
  t.equal(await countDead(sql, scope({ endpointId: 'we_other' })), 0);
  t.equal(await countDead(sql, scope({ merchantId: 'mer_other' })), 0);
  t.equal(await countDead(sql, scope({ from: new Date(Date.now() + HOUR_MS) })), 0);
  t.equal(await countDead(sql, scope({ to: new Date(Date.now() - HOUR_MS) })), 0);
  const counts = await countDeadLetters(sql, scope(), 10);
  t.match(counts[0], { endpointId, type: 'payment.paid', reason: 'http_405', count: 5 });
  t.match(counts[1], { type: 'payment.failed', reason: 'http_401', count: 2 });
});

t.test(
  'replays by id take dead letters once, and none of other merchants or inactive endpoints',
  async (t) => {
    const [first = '', second = ''] = await createDead(2);
    const [pending = ''] = await createDeliveries(1);
    const ids = [first, pending, 'del_none'];
    t.strictSame([...(await replayDeadLetters(sql, { ids, merchantId: 'mer_other' }, BY))], []);
    const replayed = await replayDeadLetters(sql, { ids, merchantId }, BY);
    t.strictSame([...replayed], [{ id: first, outcome: 'replayed' }]);
    t.equal((await replayDeadLetters(sql, { ids, merchantId }, BY)).length, 0);
    await sql`update webhook_endpoints set active = false where id = ${endpointId}`;
    t.strictSame(
      [...(await replayDeadLetters(sql, { ids: [second], merchantId }, BY))],
      [{ id: second, outcome: 'inactive' }],
    );
    t.strictSame(await countDeliveries(sql), { dead: 1, pending: 2 });
    const [row] = await sql`select * from audit_log where after like ${`%${first}%`}`;
    t.match(row, { chain: merchantId, actor: BY.actor, action: 'webhooks.replay' });
    t.equal(row?.['after'], `{"replayed" : ["${first}"]}`);
  },
);

t.test('drops by id delete dead letters and write the audit log', async (t) => {
  const [first = '', second = ''] = await createDead(2);
  t.strictSame(await dropDeadLetters(sql, { ids: [first], merchantId: 'mer_other' }, BY), []);
  t.strictSame(await dropDeadLetters(sql, { ids: [first, 'del_none'], merchantId }, BY), [first]);
  t.strictSame(await countDeliveries(sql), { dead: 1 });
  const rows = await sql`select * from audit_log where before like ${`%${first}%`}`;
  t.match(rows, [{ chain: merchantId, action: 'webhooks.drop', before: /"reason":"http_405"/ }]);
  t.ok(second);
});

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
    t.match(await findReplay(sql, { id: job.id, merchantId }), {
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
  const other = await addEndpoint(sql, merchantId, 'https://example.com/other', ['payment.failed']);
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
  await sql`update webhook_endpoints set active = false where id = ${endpointId}`;
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

t.test('deliveries older than 30 days are deleted in batches', async (t) => {
  const old = await createDead(5);
  const fresh = await createDead(2);
  const pending = await createWaiting(1);
  const listAttempted = async (): Promise<string[]> => {
    const rows = await sql<
      { id: string }[]
    >`select distinct delivery_id as id from webhook_attempts`;
    return rows.map(({ id }) => id).sort();
  };
  await sql`insert into webhook_attempts (delivery_id, attempt, at, duration_ms, failure)
            select id, n, now(), 5, 'http_405' from unnest(${[...old, ...fresh]}::text[]) id,
                   generate_series(1, 3) n`;
  await sql`update webhook_deliveries set created_at = now() - interval '31 days',
                   settled_at = settled_at - interval '31 days'
             where id = any(${[...old, ...pending]}::text[])`;
  await sql`update webhook_deliveries set created_at = now() - interval '31 days'
             where id = ${fresh[0] ?? ''}`;
  t.equal(await deleteOldDeliveries(sql, 3), 3);
  t.equal(await deleteOldDeliveries(sql, 3), 2);
  t.equal(await deleteOldDeliveries(sql, 3), 0);
  t.strictSame(await countDeliveries(sql), { dead: 2, pending: 1 });
  t.strictSame(
    await listAttempted(),
    [...fresh, ...pending].sort(),
    'attempts are deleted with their delivery',
  );
  await sql`update webhook_endpoints set active = false, deleted_at = now() - interval '31 days'`;
  await deleteUnreferenced(sql);
  t.equal(
    (await sql`select from webhook_endpoints`).length,
    1,
    'an endpoint with deliveries is kept',
  );
  await sql`delete from webhook_deliveries`;
  t.strictSame(await listAttempted(), []);
  await deleteUnreferenced(sql);
  t.equal((await sql`select from webhook_endpoints`).length, 0);
});
