// Deliveries of an endpoint, and the attempts of one delivery.
import type { Environment } from '#actors/core/ids.js';
import type { WebhookType } from '#actors/core/schemas/event.js';
import type { DeliveryFailure } from '#actors/core/webhooks/failures.js';
import { buildAttemptHeaders, parseSignatures } from '#actors/core/webhooks/sign.js';
import type { Postgres } from '../client.js';
import type { PagePlace } from '../page.js';

/** `pending`: an attempt is due or under way. `dead`: no attempt follows unless it is replayed. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly endpointId: string;
  readonly merchantId: string;
  readonly environment: Environment;
  readonly url: string;
  readonly type: WebhookType;
  /** One of the two is null. */
  readonly paymentId: string | null;
  readonly payoutId: string | null;
  /** Of the payment or payout; null: it has none, or does not exist, as that of a test event. */
  readonly referenceId: string | null;
  /** Of the payment or payout, in minor units. */
  readonly amount: string | null;
  readonly currency: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** The failure of the latest attempt; `actors/core/webhooks/failures.ts` has its meaning. */
  readonly reason: DeliveryFailure | null;
  readonly createdAt: Date;
  /** Never in the past. null unless the delivery is pending and will be attempted by itself. */
  readonly nextAttemptAt: Date | null;
  /** When it was delivered or died; null while it is pending. */
  readonly settledAt: Date | null;
}

export type ListedDelivery = Delivery & PagePlace;

/** A column of the payment or payout. */
const selectOfSubject = (sql: Postgres, column: 'reference_id' | 'amount' | 'currency') => sql`
  case when d.payout_id is null then (select ${sql(column)} from payments where id = d.payment_id)
       else (select ${sql(column)} from payouts where id = d.payout_id) end`;

/** Columns of `Delivery`, from `webhook_deliveries d join webhook_endpoints w`. */
export const selectDeliveryColumns = (sql: Postgres) => sql`
  d.id, d.event_id as "eventId", d.endpoint_id as "endpointId", w.merchant_id as "merchantId",
  w.environment, w.url, d.type, d.payment_id as "paymentId",
  d.payout_id as "payoutId", ${selectOfSubject(sql, 'reference_id')} as "referenceId",
  ${selectOfSubject(sql, 'amount')}::text as amount, ${selectOfSubject(sql, 'currency')} as currency,
  d.status, d.attempts,
  case when d.status <> 'delivered' then d.reason end as reason, d.created_at as "createdAt",
  case when d.status = 'pending' and w.active
       then greatest(d.next_attempt_at, now(), (select paused_until from webhook_endpoint_failures
                                                 where endpoint_id = w.id)) end as "nextAttemptAt",
  d.settled_at as "settledAt"`;

/** A page place has milliseconds only; its row has the exact time while it is kept. */
export function filterOlder(sql: Postgres, { atMs, id }: PagePlace) {
  return sql`and (d.created_at, d.id) < (coalesce(
    (select created_at from webhook_deliveries where id = ${id}), ${new Date(atMs)}), ${id})`;
}

export interface Attempt {
  readonly attempt: number;
  readonly at: Date;
  readonly durationMs: number;
  /** null: no response was received. */
  readonly statusCode: number | null;
  /** null: success. */
  readonly failure: DeliveryFailure | null;
  /** The error text of the connection. */
  readonly error: string | null;
  /** The first 1,024 characters of the response body. */
  readonly excerpt: string | null;
  /** As they were sent. Empty: no request was sent. null: they are not stored (schema/0030_attempt_signatures.sql). */
  readonly requestHeaders: Readonly<Record<string, string>> | null;
}

export interface DeliveryDetails extends Delivery {
  /** The exact bytes that are sent. */
  readonly body: string;
  /** The latest 50, newest first. */
  readonly attemptsMade: readonly Attempt[];
}

const SHOWN_ATTEMPTS = 50;
const SHOWN_CHARACTERS = 1_024;

/** `merchantId` null: any merchant, for operators. */
export async function findDelivery(
  sql: Postgres,
  { id, merchantId }: { id: string; merchantId: string | null },
): Promise<DeliveryDetails | undefined> {
  const deliveries = await sql<(Delivery & { body: string })[]>`
    select ${selectDeliveryColumns(sql)}, coalesce(d.body, e.envelope) as body
      from webhook_deliveries d
      join webhook_endpoints w on w.id = d.endpoint_id
      left join payment_events e on e.payment_id = d.payment_id and e.version = d.version
                                and e.envelope is not null
     where d.id = ${id} and (${merchantId}::text is null or w.merchant_id = ${merchantId})`;
  const delivery = deliveries[0];
  if (delivery === undefined) return undefined;
  const attempts = await sql<StoredAttempt[]>`
    select attempt, at, duration_ms as "durationMs", status_code as "statusCode", failure, error,
           left(excerpt, ${SHOWN_CHARACTERS}) as excerpt, signatures
      from webhook_attempts where delivery_id = ${id} order by attempt desc limit ${SHOWN_ATTEMPTS}`;
  const attemptsMade = attempts.map(({ signatures, ...attempt }) => ({
    ...attempt,
    requestHeaders: readHeaders(signatures, { ...attempt, eventId: delivery.eventId }),
  }));
  return { ...delivery, attemptsMade };
}

type StoredAttempt = Omit<Attempt, 'requestHeaders'> & { readonly signatures: string | null };

function readHeaders(
  stored: string | null,
  attempt: Parameters<typeof buildAttemptHeaders>[1],
): Attempt['requestHeaders'] {
  if (stored === null) return null;
  if (stored === '') return {};
  const signatures = parseSignatures(stored);
  return signatures && buildAttemptHeaders(signatures, attempt);
}
