// The LIVE gate: whether a merchant's payment may be charged with real money now. `findLiveBlock` decides it for a create, for
// the choice of a method on the hosted page, and for the payments of links and invoices. The gateway asks before it accepts
// any of them; the rails process asks again just before it calls a rail, because minutes can lie between the two. Refunds and
// closes never pass it: a suspended merchant's customers get their money back. Payouts, and SQL that makes payments of links
// and invoices, ask for the merchant's part alone (`takes_payments`).
import type { Environment } from '../ids.js';
import type { PaymentMethodId } from '../payment-methods.js';
import type { RailName } from './rail-names.js';

/** All LIVE creates, all payouts, or everything at one rail, one method or one merchant (mer_…). */
export type SwitchName =
  'live_creates' | 'payouts' | `rail:${string}` | `method:${string}` | `merchant:${string}`;

export type IsSwitchedOn = (name: SwitchName) => boolean;

/** The reason for which no charge may be made, the first one in this order. */
export const LIVE_BLOCKS = ['merchant', 'live_creates', 'method', 'rail'] as const;
export type LiveBlock = (typeof LIVE_BLOCKS)[number];

/** Postgres computes it in `takes_payments` (functions/merchants.sql): APPROVED, `liveEnabled`, and not switched off. */
export interface MerchantGate {
  readonly environment: Environment;
  readonly takesPayments: boolean;
}

export interface GatedCharge extends MerchantGate {
  /** The method that the merchant requested, and the one that the customer chose; null: none yet. */
  readonly methods: readonly (PaymentMethodId | null)[];
  /** Absent: no rail is selected yet. */
  readonly rail?: RailName;
}

/** null: the charge may be made. TEST always may. */
export function findLiveBlock(charge: GatedCharge, isOn: IsSwitchedOn): LiveBlock | null {
  const { environment, methods, rail } = charge;
  if (environment === 'TEST') return null;
  if (isMerchantBlocked(charge)) return 'merchant';
  if (!isOn('live_creates')) return 'live_creates';
  if (methods.some((method) => method !== null && !isOn(`method:${method}`))) return 'method';
  return rail === undefined || isOn(`rail:${rail}`) ? null : 'rail';
}

/** The part of the gate that closes all of the LIVE API to a merchant. */
export function isMerchantBlocked({ environment, takesPayments }: MerchantGate): boolean {
  return environment === 'LIVE' && !takesPayments;
}
