// How exactly do retries come when they are due, while 100,000 wait? Deliveries that are due later fill the
// due-list; among them, some come due every few milliseconds while it is measured.
import type { Row } from '../figures/row.js';
import { formatCount, formatMs, percentile } from '../figures/statistics.js';
import { waitUntil } from '../../ops/dev/wait.js';
import { dueKey } from '../../store/redis/keys.js';
import { deliveryPartitionOf } from '../../store/redis/webhooks/partitions.js';
import { joinColumn as join } from '../../store/postgres/joined-column.js';
import { fanOut } from '../../store/postgres/webhooks/fan-out.js';
import { commitEvents } from './events.js';
import type { WebhookStage } from './stage.js';

const WAITING = 100_000;
const MEASURED = 2_000;
const SPREAD_MS = 10_000;
const FAR_MS = 3_600_000;
const LEAD_MS = 8_000;
const ARRIVES_MS = 60_000;
const AT_ONCE = 5_000;
const P99_MS = 100;

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
  await waitUntil('all that were due have arrived', ARRIVES_MS, async () => {
    return (await stage.report()).requests.ok >= MEASURED;
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

/** Puts the first MEASURED into the next seconds, the others far away; answers when which event is due. */
async function letWait(
  { sql, redis }: WebhookStage,
  deliveries: readonly Delivery[],
): Promise<Map<string, number>> {
  const firstMs = Date.now() + LEAD_MS;
  const rows = deliveries.map((delivery, index) => ({
    ...delivery,
    atMs: Math.round(firstMs + (index < MEASURED ? (index * SPREAD_MS) / MEASURED : FAR_MS)),
  }));
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE);
    await sql`
      update webhook_deliveries d set next_attempt_at = to_timestamp(r.at_ms::float8 / 1000)
        from unnest(split(${join(some, ({ id }) => id)}), split(${join(some, ({ atMs }) => atMs)}))
             as r (id, at_ms)
       where d.id = r.id`;
    const pipeline = redis.pipeline();
    for (const { id, endpointId, atMs } of some) {
      pipeline.zadd(dueKey(deliveryPartitionOf(endpointId)), atMs, `${endpointId} ${id}`);
    }
    await pipeline.exec();
  }
  return new Map(rows.slice(0, MEASURED).map(({ eventId, atMs }) => [eventId, atMs]));
}
