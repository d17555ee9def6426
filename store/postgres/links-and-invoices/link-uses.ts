// Uses of payment links: claimed before the command of the payment is sent, then updated from the payment's status
// (store/postgres/schema/0011_payment_links.sql names the states).
import type { Environment, MerchantId, PaymentId, PaymentLinkId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';

/** Why a link cannot be used. */
export type LinkClosed = 'missing' | 'not_live' | 'inactive' | 'expired' | 'used_up';
/** claimed: the command of the payment may be sent. made: the payment is there. */
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

/** Whether a merchant takes payments in an environment. */
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
  /** To the microsecond: what is compared when it is given back. */
  readonly claimedAt: string;
}

/**
 * Claims that are older than `olderThanS`. Where the payment is there by now, its use is settled; the others are
 * answered, each at most once a minute.
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
  // A statement of its own: whoever waits for a link must not hold one of its uses.
  await sql`select settle_payment_link_uses(${ids}::text[])`;
  return sql<StaleClaim[]>`
    select u.payment_id as "paymentId", l.merchant_id as "merchantId", l.environment,
           u.claimed_at::text as "claimedAt"
      from payment_link_uses u join payment_links l on l.id = u.link_id
     where u.payment_id = any(${ids}::text[]) and u.state = 'claimed'`;
}

/** Of a claim whose payment never came to be. False: it was claimed again, or the payment is there. */
export async function releaseClaim(
  sql: Postgres,
  { paymentId, claimedAt }: StaleClaim,
): Promise<boolean> {
  const rows = await sql<{ done: boolean }[]>`
    select give_back_payment_link_claim(${paymentId}, ${claimedAt}) as done`;
  return rows[0]?.done === true;
}
