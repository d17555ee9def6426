// A webhooks process that is paused for longer than its leases (SIGSTOP, SIGCONT), like a suspended machine. Other
// processes may have claimed its deliveries meanwhile. None is lost, and those that it had not begun are not sent twice.
import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { LEASE_MS } from '#actors/webhooks/deliveries/lease.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { waitUntilQuiet } from '#test/support/waits/quiet.js';
import { addEndpoint, countDeliveries } from '#test/support/webhooks/outbox.js';
import { countKept, countPending, readShortestIdleMs } from '#test/support/webhooks/kept.js';
import { answerWith, type Received } from '#test/support/webhooks/receiver.js';
import { startWebhookStage, type WebhookStage } from '#test/support/webhooks/stage.js';

const ANSWERS_MS = 1_000;
const ENDPOINTS = 4;

/** A stage with several endpoints at one receiver. */
async function startStage(t: Test, processes: number, schedule: string): Promise<WebhookStage> {
  const stage = await startWebhookStage(t, {
    processes,
    variables: { WEBHOOK_RETRY_SCHEDULE: schedule },
  });
  const { sql, merchantId, receiver } = stage;
  for (let more = 1; more < ENDPOINTS; more += 1) {
    await addEndpoint(sql, merchantId, `${receiver.url}/${more}`);
  }
  return stage;
}

const waitForDelivered = ({ sql, redisClient }: WebhookStage, count: number): Promise<unknown> =>
  waitUntil('all are delivered, and nothing is left in Redis', async () => {
    const { delivered = 0, pending = 0, dead = 0 } = await countDeliveries(sql);
    if (delivered !== count || pending + dead > 0) return false;
    return (await countKept(redisClient)) === 0;
  });

t.test(
  'a paused process that runs alone delivers everything once and not before its time',
  async (t) => {
    const stage = await startStage(t, 1, '8,8,8');
    const { receiver, processes, redisClient, sql } = stage;
    // Every second delivery of an endpoint fails at first; its retry is due during or after the pause.
    const seen = new Map<string, Set<string>>();
    receiver.behave((received, response) => {
      const { path, id } = received;
      const before = seen.get(path) ?? new Set();
      const fails = !before.has(id) && before.size % 2 === 1;
      seen.set(path, before.add(id));
      setTimeout(() => answerWith(fails ? 503 : 200)(received, response), 20);
    });
    const ids = await stage.emit(100);
    await waitUntil('all were attempted', async () => {
      const rows = await sql`
      select count(distinct delivery_id)::int as attempted from webhook_attempts`;
      return rows[0]?.['attempted'] === ids.length * ENDPOINTS;
    });
    receiver.behave((received, response) => {
      setTimeout(() => answerWith(200)(received, response), ANSWERS_MS);
    });
    const before = receiver.received.length;
    ids.push(...(await stage.emit(10)));
    await waitUntil('some are under way', () => receiver.received.length > before);
    processes[0]?.pause();
    ids.push(...(await stage.emit(10)));
    receiver.behave(answerWith(200));
    await waitUntil('all its leases have ended', async () => {
      return (await readShortestIdleMs(redisClient)) > LEASE_MS + ANSWERS_MS;
    });
    processes[0]?.resume();
    await waitForDelivered(stage, ids.length * ENDPOINTS);
    const successes = await sql<{ failure: string | null; count: number }[]>`
    select failure, count(*)::int from webhook_attempts group by failure`;
    const counts = new Map(successes.map(({ failure, count }) => [failure, count]));
    const timeouts = [...counts.keys()].filter((failure) => failure?.startsWith('timeout'));
    t.strictSame(timeouts, [], 'a pause causes no time-out');
    t.equal(counts.get(null), ids.length * ENDPOINTS);
    // The receiver may have closed connections meanwhile, which cost attempts that it never saw.
    const answered = (counts.get(null) ?? 0) + (counts.get('http_status') ?? 0);
    t.equal(receiver.received.length, answered);
    const early = await sql`
    select 1 from webhook_attempts a join webhook_attempts b on b.delivery_id = a.delivery_id
     where a.attempt = 1 and b.attempt = 2 and b.at < a.at + interval '6 seconds'`;
    t.equal(early.length, 0, 'no retry before its time');
  },
);

t.test(
  'a paused process repeats no delivery after a takeover, except attempts that were under way',
  async (t) => {
    const stage = await startStage(t, 2, '1,1,1,2,2,4');
    const { receiver, processes, sql, redisClient } = stage;
    const ids = await stage.emit(50);
    await waitForDelivered(stage, ids.length * ENDPOINTS);
    const first = receiver.received.length;
    receiver.behave((received, response) => {
      setTimeout(() => answerWith(200)(received, response), ANSWERS_MS);
    });
    ids.push(...(await stage.emit(30)));
    await waitUntil('many are under way', () => receiver.received.length >= first + 16);
    const name = await findBusiestConsumer(stage);
    const paused = processes.find((process) => name.startsWith(`webhooks-${process.pid()}-`));
    paused?.pause();
    // Requests that it sent before the pause reach the receiver.
    await waitUntil('it is stopped', () => isStopped(paused?.pid()));
    await waitUntilQuiet('its requests are noted', () => receiver.received.length);
    const underWay = new Set(receiver.received.slice(first).map(formatKey));
    // Redis assigns some of these to its blocked read.
    ids.push(...(await stage.emit(30)));
    await waitUntil('the other process has claimed its entries', async () => {
      return !(await countPending(redisClient)).has(name);
    });
    paused?.resume();
    await waitForDelivered(stage, ids.length * ENDPOINTS);
    const times = new Map<string, number>();
    for (const one of receiver.received)
      times.set(formatKey(one), (times.get(formatKey(one)) ?? 0) + 1);
    const repeated = [...times].filter(([, count]) => count > 1);
    t.comment(`${underWay.size} under way, ${repeated.length} repeated`);
    t.strictSame(
      repeated.filter(([key, count]) => !underWay.has(key) || count > 2),
      [],
      'only deliveries under way were repeated, once',
    );
    const twice = await sql`
    select 1 from webhook_attempts where failure is null group by delivery_id having count(*) > 1`;
    t.equal(twice.length, 0, 'a success is recorded once');
    ids.push(...(await stage.emit(50)));
    await waitForDelivered(stage, ids.length * ENDPOINTS);
  },
);

/** The consumer that holds the most entries; its name contains the process id. */
async function findBusiestConsumer({ redisClient }: WebhookStage): Promise<string> {
  const counts = [...(await countPending(redisClient))].sort(([, a], [, b]) => b - a);
  const [busiest] = counts;
  if (busiest === undefined) throw new Error('no process holds an entry');
  return busiest[0];
}

/** Whether the kernel has stopped the process. */
const isStopped = (pid: number | undefined): boolean =>
  /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

/** Identifies a delivery: each endpoint has its own path. */
const formatKey = ({ path, id }: Received): string => `${path} ${id}`;
