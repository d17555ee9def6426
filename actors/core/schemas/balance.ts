// The balance of a merchant, read from the ledger.
import { type Static, Type } from '@sinclair/typebox';
import type { Environment, MerchantId } from '../ids.js';
import { formatMerchantAccount, type MerchantAccount } from '../ledger/accounts.js';
import { type Currency, CURRENCY_CODES, formatAmount } from '../money.js';
import { AmountSchema, CurrencySchema, EnvironmentSchema } from './fields.js';

const balance = (description: string) => Type.Unsafe<string>({ ...AmountSchema, description });

export const Balance = Type.Object(
  {
    environment: EnvironmentSchema,
    data: Type.Array(
      Type.Object({
        currency: CurrencySchema,
        available: balance('Free to pay out. Below zero after refunds of money already paid out.'),
        pending: balance('Paid, and held until the rail has settled it. Always 0 in TEST.'),
        in_transit: balance('Payouts under way.'),
        reserved: balance('Held back by the platform; it cannot be paid out. Always 0 in TEST.'),
      }),
    ),
  },
  { title: 'Balance', description: 'The balance of the environment of the key.' },
);
export type BalanceBody = Static<typeof Balance>;

const ACCOUNTS = {
  available: 'merchant_available',
  pending: 'merchant_pending',
  in_transit: 'payout_clearing',
  reserved: 'merchant_reserve',
} as const satisfies Record<string, MerchantAccount>;

/** The ledger accounts that `viewBalance` reads. */
export function listBalanceAccounts(merchantId: MerchantId, environment: Environment): string[] {
  return CURRENCY_CODES.flatMap((currency) =>
    Object.values(ACCOUNTS).map((name) =>
      formatMerchantAccount(name, merchantId, environment, currency),
    ),
  );
}

/** An account without a row has no postings: 0. */
export function viewBalance(
  merchantId: MerchantId,
  environment: Environment,
  balances: ReadonlyMap<string, bigint>,
): BalanceBody {
  const show = (name: MerchantAccount, currency: Currency): string =>
    formatAmount(
      balances.get(formatMerchantAccount(name, merchantId, environment, currency)) ?? 0n,
    );
  const data = CURRENCY_CODES.map((currency) => ({
    currency,
    available: show(ACCOUNTS.available, currency),
    pending: show(ACCOUNTS.pending, currency),
    in_transit: show(ACCOUNTS.in_transit, currency),
    reserved: show(ACCOUNTS.reserved, currency),
  }));
  return { environment, data };
}
