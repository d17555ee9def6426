// Events as a commit of the payments process leaves them: rows of payment_events with their envelopes, and a
// word on the channel that wakes the fan-out.
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { deriveEventId, makeId } from '#actors/core/ids.js';
import type { Postgres } from '#store/postgres/client.js';
import { joinColumn as join } from '#store/postgres/join-column.js';
import { EVENTS_CHANNEL } from '#store/redis/keys.js';
import type { BenchEndpoint } from './stage.js';

const PARTITIONS = 16;
let nextPosition = Date.now();

/** The body that a `payment.paid` has. */
export function envelopeOf(id: string, paymentId: string, at: Date): string {
  const data = {
    id: paymentId,
    status: 'paid',
    amount: '150000',
    currency: 'IDR',
    reference_id: 'order-2026-08-02-000017',
    order_id: '1b4e28ba-2fa1-41d2-883f-0016d3cca427',
    paid_at: at.toISOString(),
    payment_method: 'QRIS',
    refunded_amount: '0',
    failure_code: null,
    late: false,
    metadata: { cart: 'c-19238' },
  };
  return JSON.stringify({ id, type: 'payment.paid', created_at: at.toISOString(), data });
}

export interface Committed {
  readonly ids: readonly string[];
  /** Unix milliseconds at which the commit was answered. */
  readonly atMs: number;
}

/** Commits `count` events, one endpoint after the other, in one statement. */
export async function commitEvents(
  { sql, redis }: { readonly sql: Postgres; readonly redis: Redis },
  endpoints: readonly BenchEndpoint[],
  count: number,
): Promise<Committed> {
  const at = new Date();
  const rows = Array.from({ length: count }, (_, index) => {
    const paymentId = makeId('pay', randomBytes(16));
    const id = deriveEventId(paymentId, 2);
    nextPosition += 1;
    return {
      ...{ id, paymentId, position: nextPosition, partition: nextPosition % PARTITIONS },
      merchantId: endpoints[index % endpoints.length]?.merchantId ?? '',
      envelope: envelopeOf(id, paymentId, at),
    };
  });
  await sql`
    insert into payment_events (partition, position_ms, position_seq, index, payment_id, version, type,
                                at, event, merchant_id, environment, envelope)
    select e.partition, e.position, 0, 0, e.payment_id, 2, 'settled', ${at.toISOString()}, '{}',
           e.merchant_id, 'TEST', e.envelope
      from unnest(split(${join(rows, (row) => row.partition)})::smallint[],
                  split(${join(rows, (row) => row.position)})::bigint[],
                  split(${join(rows, (row) => row.paymentId)}),
                  split(${join(rows, (row) => row.merchantId)}),
                  split(${join(rows, (row) => row.envelope)}))
           as e (partition, position, payment_id, merchant_id, envelope)`;
  const atMs = performance.timeOrigin + performance.now();
  await redis.publish(EVENTS_CHANNEL, '');
  return { ids: rows.map(({ id }) => id), atMs };
}
