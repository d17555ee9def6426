// Uses of payment links: claimed before the command of the payment is sent, then updated from the payment's status
// (store/postgres/schema/0011_payment_links.sql names the states).
import type { Environment, MerchantId, PaymentId, PaymentLinkId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';

/** The reason why a link takes no payment. */
export type LinkClosed = 'missing' | 'not_live' | 'inactive' | 'expired' | 'used_up';
/** claimed: the create command may be sent. made: the payment exists. */
export type UseClaim = 'claimed' | 'made' | LinkClosed;

export async function claimUse(
  sql: Postgres,
  linkId: PaymentLinkId,
  paymentId: PaymentId,
): Promise<UseClaim> {
  const rows = await sql<{ claim: UseClaim }[]>`
    select claim_payment_link_use(${linkId}, ${paymentId}) as claim`;
  return rows[0]?.claim ?? 'missing';
}

/** The LIVE gate in SQL (gateway/auth/live-gate.ts). */
export async function canTakePayments(
  sql: Postgres,
  merchantId: MerchantId,
  environment: Environment,
): Promise<boolean> {
  const rows = await sql<{ takes: boolean }[]>`
    select takes_payments(${merchantId}, ${environment}) as takes`;
  return rows[0]?.takes === true;
}

export interface StaleClaim {
  readonly paymentId: PaymentId;
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  /** With microseconds: the release compares it, so that a renewed claim stays. */
  readonly claimedAt: string;
}

/**
 * Claims older than `olderThanS`. It settles those whose payment exists by now and returns the others, each at most once
 * a minute.
 */
export async function claimStaleClaims(
  sql: Postgres,
  olderThanS: number,
  most: number,
): Promise<StaleClaim[]> {
  const asked = await sql<{ paymentId: string }[]>`
    update payment_link_uses set asked_at = now()
     where payment_id in (
       select payment_id from payment_link_uses
        where state = 'claimed' and claimed_at < now() - make_interval(secs => ${olderThanS})
          and (asked_at is null or asked_at < now() - interval '1 minute')
        order by claimed_at limit ${most} for update skip locked)
    returning payment_id as "paymentId"`;
  if (asked.length === 0) return [];
  const ids = asked.map(({ paymentId }) => paymentId);
  // A separate statement, because a transaction that waits for a link must not hold one of its uses: they would deadlock.
  await sql`select settle_payment_link_uses(${ids}::text[])`;
  return sql<StaleClaim[]>`
    select u.payment_id as "paymentId", l.merchant_id as "merchantId", l.environment,
           u.claimed_at::text as "claimedAt"
      from payment_link_uses u join payment_links l on l.id = u.link_id
     where u.payment_id = any(${ids}::text[]) and u.state = 'claimed'`;
}

/** Releases a claim whose payment was never created. False: it was claimed again, or the payment exists. */
export async function releaseClaim(
  sql: Postgres,
  { paymentId, claimedAt }: StaleClaim,
): Promise<boolean> {
  const rows = await sql<{ done: boolean }[]>`
    select give_back_payment_link_claim(${paymentId}, ${claimedAt}) as done`;
  return rows[0]?.done === true;
}
