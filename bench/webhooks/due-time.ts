// How exactly do retries come when they are due, while 100,000 wait? Deliveries that are due later fill the
// due-list; among them, some come due every few milliseconds while it is measured.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from '../figures/row.js';
import { formatCount, formatMs, percentile } from '../figures/statistics.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { buildDueKey } from '#store/redis/keys.js';
import { countQueued } from '#store/redis/webhooks/due-list.js';
import { findDeliveryPartition } from '#store/redis/webhooks/delivery-partitions.js';
import { joinColumn } from '#store/postgres/join-column.js';
import { fanOut } from '#store/postgres/webhooks/fan-out.js';
import { commitEvents } from './events.js';
import type { WebhookStage } from './stage.js';

const WAITING = 100_000;
const MEASURED = 2_000;
const SPREAD_MS = 10_000;
const FAR_MS = 3_600_000;
/** From the last that is put where it waits to the first that is due. */
const LEAD_MS = 3_000;
const ARRIVES_MS = 60_000;
const AT_ONCE = 5_000;
const P99_MS = 100;
/** Characters of the worker's log. */
const LAST_WORDS = 4_000;

interface Delivery {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
}

export async function benchDueTime(stage: WebhookStage): Promise<Row[]> {
  console.log(`due time, ${formatCount(WAITING)} waiting`);
  // Nothing is attempted while all are put where they wait.
  stage.webhooks.kill('SIGSTOP');
  const deliveries = await makeDeliveries(stage);
  const due = await letWait(stage, deliveries);
  await stage.forget();
  stage.webhooks.kill('SIGCONT');
  await waitUntil(
    'all that were due have arrived',
    async () => {
      return (await stage.report()).requests.ok >= MEASURED;
    },
    ARRIVES_MS,
  ).catch(async (error: unknown) => {
    console.log(await describeMissing(stage));
    throw error;
  });
  const { arrivals } = await stage.report(true);
  const errors = arrivals.flatMap(([id, atMs]) => {
    const at = due.get(id);
    return at === undefined ? [] : [Math.abs(atMs - at)];
  });
  const [p50, p99] = [percentile(errors, 0.5), percentile(errors, 0.99)];
  const figures = `p50 ${formatMs(p50)}, p99 ${formatMs(p99)}`;
  console.log(`  ${figures}, worst ${formatMs(percentile(errors, 1))}`);
  return [
    {
      bench: `due-time error, ${formatCount(WAITING)} waiting`,
      control: '–',
      service: figures,
      result: '',
      target: `p99 ≤ ${P99_MS} ms`,
      isMet: p99 <= P99_MS && errors.length === MEASURED,
    },
  ];
}

async function makeDeliveries(stage: WebhookStage): Promise<Delivery[]> {
  const { sql, endpoints } = stage;
  for (let made = 0; made < WAITING + MEASURED; made += AT_ONCE) {
    await commitEvents(stage, endpoints, Math.min(AT_ONCE, WAITING + MEASURED - made));
    for (let events = 1; events > 0;) ({ events } = await fanOut(sql));
  }
  return sql<Delivery[]>`
    select id, endpoint_id as "endpointId", event_id as "eventId" from webhook_deliveries`;
}

/** Describes missing deliveries: their state and the worker's last log line. */
async function describeMissing(stage: WebhookStage): Promise<string> {
  const { sql, redis, servers } = stage;
  const { ok } = (await stage.report()).requests;
  const failures = await sql`select failure, count(*)::int from webhook_attempts group by failure`;
  const overdue = await sql`
    select count(*)::int, max(attempts) as attempts from webhook_deliveries
     where status = 'pending' and next_attempt_at < now()`;
  const queued = await countQueued(redis);
  const said = readFileSync(join(servers.folder, 'webhooks.log'), 'utf8').slice(-LAST_WORDS);
  return `  ${ok} arrived: ${JSON.stringify({ failures, overdue, queued })}\n${said}`;
}

/** Puts the first MEASURED into the next seconds, the others far away before; answers when which event is due. */
async function letWait(
  stage: WebhookStage,
  deliveries: readonly Delivery[],
): Promise<Map<string, number>> {
  const farMs = Date.now() + FAR_MS;
  await putOff(
    stage,
    deliveries.slice(MEASURED).map((delivery) => ({ ...delivery, atMs: farMs })),
  );
  const firstMs = Date.now() + LEAD_MS;
  const soon = deliveries.slice(0, MEASURED).map((delivery, index) => ({
    ...delivery,
    atMs: Math.round(firstMs + (index * SPREAD_MS) / MEASURED),
  }));
  await putOff(stage, soon);
  return new Map(soon.map(({ eventId, atMs }) => [eventId, atMs]));
}

async function putOff(
  { sql, redis }: WebhookStage,
  rows: readonly (Delivery & { readonly atMs: number })[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE);
    await sql`
      update webhook_deliveries d set next_attempt_at = to_timestamp(r.at_ms::float8 / 1000)
        from unnest(split(${joinColumn(some, ({ id }) => id)}), split(${joinColumn(some, ({ atMs }) => atMs)}))
             as r (id, at_ms)
       where d.id = r.id`;
    const pipeline = redis.pipeline();
    for (const { id, endpointId, atMs } of some) {
      pipeline.zadd(buildDueKey(findDeliveryPartition(endpointId)), atMs, `${endpointId} ${id}`);
    }
    await pipeline.exec();
  }
}
