// Matters of a merchant that need its attention. Each is counted up to a bound.
import type { Environment, MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';

export const MAX_COUNTED = 1_000;
export const CHARGED_BACK_DAYS = 30;
export const PAID_LATE_DAYS = 7;

export interface FailingWebhooks {
  /** Of deleted endpoints too, as in the list of dead letters. */
  readonly deadLetters: number;
  /** Endpoints to which every delivery has failed for an hour. */
  readonly failingEndpoints: number;
  /** Endpoints whose latest attempts failed: in TEST at once, in LIVE from the first pause. */
  readonly refusingEndpoints: number;
}

export async function countFailingWebhooks(
  sql: Postgres,
  merchantId: MerchantId,
  environment: Environment,
): Promise<FailingWebhooks> {
  const rows = await sql<FailingWebhooks[]>`
    select (select count(*)::int from (
              select from webhook_endpoints w cross join lateral (
                select from webhook_deliveries d
                 where d.endpoint_id = w.id and d.status = 'dead' limit ${MAX_COUNTED}) d
               where w.merchant_id = ${merchantId} and w.environment = ${environment}
               limit ${MAX_COUNTED}) x) as "deadLetters",
           (select count(*)::int
              from webhook_endpoints w join webhook_endpoint_failures f on f.endpoint_id = w.id
             where w.merchant_id = ${merchantId} and w.environment = ${environment}
               and w.active and f.flagged_at is not null) as "failingEndpoints",
           (select count(*)::int
              from webhook_endpoints w join webhook_endpoint_failures f on f.endpoint_id = w.id
             where w.merchant_id = ${merchantId} and w.environment = ${environment} and w.active
               and (w.environment = 'TEST' or f.paused_until is not null or f.flagged_at is not null)
           ) as "refusingEndpoints"`;
  return rows[0] ?? { deadLetters: 0, failingEndpoints: 0, refusingEndpoints: 0 };
}

/** Counts refunds that an administrator has to make. */
export async function countManualRefunds(
  sql: Postgres,
  merchantId: MerchantId,
  environment: Environment,
): Promise<number> {
  const rows = await sql<{ count: number }[]>`
    select count(*)::int as count from (
      select from refunds
       where status = 'manual_required' and merchant_id = ${merchantId} and environment = ${environment}
       limit ${MAX_COUNTED}) x`;
  return rows[0]?.count ?? 0;
}

/** Of `payment_matters`. */
export const PAYMENT_MATTER_KINDS = ['charged_back', 'paid_late'] as const;

export interface PaymentMatters {
  readonly chargedBack: number;
  readonly paidLate: number;
}

/** Payments that were charged back or paid late, for as long as somebody may still have to act. */
export async function countPaymentMatters(
  sql: Postgres,
  merchantId: MerchantId,
  environment: Environment,
): Promise<PaymentMatters> {
  const count = (kind: (typeof PAYMENT_MATTER_KINDS)[number], days: number) => sql`
    (select count(*)::int from (
       select from payment_matters
        where merchant_id = ${merchantId} and environment = ${environment} and kind = ${kind}
          and at > now() - ${days}::integer * interval '1 day' limit ${MAX_COUNTED}) x)`;
  const rows = await sql<PaymentMatters[]>`
    select ${count('charged_back', CHARGED_BACK_DAYS)} as "chargedBack",
           ${count('paid_late', PAID_LATE_DAYS)} as "paidLate"`;
  return rows[0] ?? { chargedBack: 0, paidLate: 0 };
}

/** The needs of a merchant before it takes LIVE payments. */
export interface LiveState {
  readonly verificationStatus: string;
  readonly isLiveEnabled: boolean;
  /** An administrator turned off LIVE for this merchant or for all. */
  readonly isSwitchedOff: boolean;
  readonly hasKey: boolean;
  readonly hasEndpoint: boolean;
}

/** Undefined: there is no such merchant. */
export async function readLiveState(
  sql: Postgres,
  merchantId: MerchantId,
): Promise<LiveState | undefined> {
  const [row] = await sql<LiveState[]>`
    select m.verification_status as "verificationStatus", m.live_enabled as "isLiveEnabled",
           exists (select from switches s
                    where s.name in ('live_creates', 'merchant:' || m.id) and not s.is_on) as "isSwitchedOff",
           exists (select from api_keys k where k.merchant_id = m.id and k.environment = 'LIVE'
                      and (k.revoked_at is null or k.revoked_at > now())) as "hasKey",
           exists (select from webhook_endpoints w where w.merchant_id = m.id and w.environment = 'LIVE'
                      and w.active) as "hasEndpoint"
      from merchants m where m.id = ${merchantId}`;
  return row;
}
