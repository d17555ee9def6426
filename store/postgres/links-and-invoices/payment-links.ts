// Payment links of a merchant: created, changed, listed, and found by the slug of their page.
import type { Environment, MerchantId, PaymentLinkId } from '#actors/core/ids.js';
import type { Currency } from '#actors/core/money.js';
import { selectActor, type Actor } from '../operations/audit.js';
import type { Postgres } from '../client.js';
import type { FoundRows, Page, PagePlace } from '../page.js';
import { listNewest } from './list-newest.js';

/** Amounts are digit strings. */
export interface LinkTerms {
  readonly title: string;
  readonly description: string | null;
  /** null: the customer chooses an amount within the bounds, which are set then. */
  readonly amount: string | null;
  readonly minAmount: string | null;
  readonly maxAmount: string | null;
  readonly currency: Currency;
  /** null: no limit. */
  readonly maxUses: number | null;
  readonly active: boolean;
  readonly expiresAt: Date | null;
  readonly successUrl: string | null;
}

export interface LinkKey {
  readonly id: PaymentLinkId;
  readonly merchantId: MerchantId;
}

export interface NewLink extends LinkKey, LinkTerms {
  readonly environment: Environment;
  readonly slug: string;
}

export interface PaymentLink extends NewLink {
  /** Open and paid payments, and claims of payments that are being created. */
  readonly uses: number;
  readonly createdAt: Date;
}

const selectColumns = (sql: Postgres) => sql`
  id, slug, merchant_id as "merchantId", environment, title, description, amount,
  min_amount as "minAmount", max_amount as "maxAmount", currency, max_uses as "maxUses", uses, active,
  expires_at as "expiresAt", success_url as "successUrl", created_at as "createdAt"`;

export async function createLink(
  sql: Postgres,
  actor: Actor,
  link: NewLink,
): Promise<PaymentLink[]> {
  const { id, slug, merchantId, environment, title, description, currency } = link;
  const { amount, minAmount, maxAmount, maxUses, active, expiresAt, successUrl } = link;
  return sql<PaymentLink[]>`
    with ${selectActor(sql, actor)}
    insert into payment_links (id, slug, merchant_id, environment, title, description, amount,
                               min_amount, max_amount, currency, max_uses, active, expires_at, success_url)
    select ${id}, ${slug}, ${merchantId}, ${environment}, ${title}, ${description}, ${amount}::bigint,
           ${minAmount}::bigint, ${maxAmount}::bigint, ${currency}, ${maxUses}::integer, ${active},
           ${expiresAt}::timestamptz, ${successUrl}
      from acting
    returning ${selectColumns(sql)}`;
}

/** The price is missing here: customers pay the price that they were shown. */
export type LinkChange = Partial<
  Pick<LinkTerms, 'title' | 'description' | 'maxUses' | 'active' | 'expiresAt' | 'successUrl'>
>;

const CHANGED_COLUMNS = {
  title: 'title',
  description: 'description',
  maxUses: 'max_uses',
  active: 'active',
  expiresAt: 'expires_at',
  successUrl: 'success_url',
} as const satisfies Record<keyof LinkChange, string>;

/** The changed link; empty: the merchant has no such link. */
export async function changeLink(
  sql: Postgres,
  actor: Actor,
  key: LinkKey,
  change: LinkChange,
): Promise<PaymentLink[]> {
  const named = Object.entries(change).map(([field, value]) => [
    CHANGED_COLUMNS[field as keyof LinkChange],
    value,
  ]);
  if (named.length === 0) return findLink(sql, key);
  return sql<PaymentLink[]>`
    with ${selectActor(sql, actor)}
    update payment_links set ${sql(Object.fromEntries(named) as Record<string, string>)} from acting
     where id = ${key.id} and merchant_id = ${key.merchantId}
    returning ${selectColumns(sql)}`;
}

/** Empty: the merchant has no such link. */
export async function findLink(sql: Postgres, { id, merchantId }: LinkKey): Promise<PaymentLink[]> {
  return sql<PaymentLink[]>`
    select ${selectColumns(sql)} from payment_links where id = ${id} and merchant_id = ${merchantId}`;
}

/** Empty: unknown slug. */
export async function findLinkBySlug(sql: Postgres, slug: string): Promise<PaymentLink[]> {
  return sql<PaymentLink[]>`select ${selectColumns(sql)} from payment_links where slug = ${slug}`;
}

export interface LinkFilter {
  readonly merchantId: MerchantId;
  /** null: both. */
  readonly environment: Environment | null;
  /** null: both. */
  readonly active: boolean | null;
}

/** Newest first. */
export async function listLinks(
  sql: Postgres,
  { merchantId, environment, active }: LinkFilter,
  page: Page,
): Promise<FoundRows<PaymentLink & PagePlace>> {
  const wanted = sql`
    (${environment}::text is null or environment = ${environment})
     and (${active}::boolean is null or active = ${active})`;
  const shown = selectColumns(sql);
  return listNewest<PaymentLink>(
    sql,
    { table: 'payment_links', merchantId, filter: wanted, columns: shown },
    page,
  );
}
