// The suspense accounts that hold LIVE money, or are short of it, each with the number of its open cases.
import type { MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';

export interface SuspenseRow {
  /** null: the account of the platform, for unknown orders. */
  readonly merchantId: MerchantId | null;
  readonly currency: string;
  /** Below zero: a rail took back more than the account held. */
  readonly amountMinor: string;
  readonly openTasks: number;
}

/** The kinds of tasks whose money is in suspense. */
const SUSPENSE_KINDS = [
  'settlement_suspended',
  'suspense_reversed',
  'unknown_order',
  'refund_on_reversed_payment',
] as const;

/** Lists up to `limit` accounts whose balance is not zero, the largest amounts first. */
export async function listSuspense(sql: Postgres, limit: number): Promise<SuspenseRow[]> {
  return sql<SuspenseRow[]>`
    with accounts as (
      select case when account like 'suspense:%' then split_part(account, ':', 2) end as merchant_id,
             currency, amount
        from balances
       where (account like 'suspense:%' or account like 'platform\\_suspense:%')
         and split_part(account, ':', -2) = 'LIVE' and amount <> 0
       order by abs(amount) desc, account limit ${limit})
    select a.merchant_id as "merchantId", a.currency, a.amount::text as "amountMinor",
           (select count(*)::integer from operator_tasks t
             where t.environment = 'LIVE' and t.status = 'open'
               and t.merchant_id is not distinct from a.merchant_id
               and t.kind = any(${SUSPENSE_KINDS.slice()}::text[])) as "openTasks"
      from accounts a order by abs(a.amount) desc, a.merchant_id`;
}
