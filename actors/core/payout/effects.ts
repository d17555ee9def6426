// What follows from the events of a payout: the postings of its money, and tasks for operators. What an
// administrator pays by hand leaves through the clearing account `manual`, which is settled with the bank.
import type { PayoutId } from '../ids.js';
import {
  MANUAL,
  merchantAccount,
  type MerchantAccount,
  type Posting,
  type PayoutPostingReason,
  railAccount,
  transfer,
} from '../ledger.js';
import { formatAmount } from '../money.js';
import { unreachable } from '../unreachable.js';
import type { PayoutEvent } from './events.js';
import type { PayoutState } from './state.js';

export const PAYOUT_TASKS = [
  'payout_manual_required',
  'payout_unresolved',
  'payout_contradicted',
] as const;
export type PayoutTaskKind = (typeof PAYOUT_TASKS)[number];

export interface PayoutTask {
  /** `task_` and 32 characters. */
  readonly id: string;
  readonly kind: PayoutTaskKind;
  readonly details: Readonly<Record<string, string>>;
}

export interface PayoutEffects {
  readonly postings: readonly Posting[];
  readonly tasks: readonly PayoutTask[];
}

const NONE: PayoutEffects = { postings: [], tasks: [] };

/** `state`: with the event in it. */
export function payoutEffects(state: PayoutState, event: PayoutEvent): PayoutEffects {
  const available = account(state, 'merchant_available');
  const clearing = account(state, 'payout_clearing');
  switch (event.type) {
    case 'payout_requested':
      return { ...NONE, postings: post(state, [available, clearing], 'payout_requested') };
    case 'payout_completed':
      return { ...NONE, postings: post(state, [clearing, outside(state)], 'payout_completed') };
    case 'payout_failed':
      return { ...NONE, postings: post(state, [clearing, available], 'payout_failed') };
    case 'payout_reversed':
      return { ...NONE, postings: post(state, [outside(state), available], 'payout_reversed') };
    // What was given back is taken again, also below zero: the money has left.
    case 'payout_corrected':
      return { ...NONE, postings: post(state, [available, outside(state)], 'payout_corrected') };
    case 'payout_made_manual':
      return { ...NONE, tasks: [task(state, 'payout_manual_required')] };
    case 'payout_left_unresolved':
      return { ...NONE, tasks: [task(state, 'payout_unresolved')] };
    case 'payout_contradicted':
      return { ...NONE, tasks: [task(state, 'payout_contradicted', { said: event.result })] };
    case 'payout_sent':
    case 'payout_accepted':
      return NONE;
    default:
      return unreachable(event);
  }
}

function post(
  { request: { amountMinor, currency } }: PayoutState,
  [debit, credit]: readonly [string, string],
  reason: PayoutPostingReason,
): readonly Posting[] {
  return transfer(debit, credit, { amountMinor, currency }, reason);
}

function account({ merchantId, environment, request }: PayoutState, name: MerchantAccount): string {
  return merchantAccount(name, merchantId, environment, request.currency);
}

/** Where the money leaves us. */
function outside({ rail, environment, request }: PayoutState): string {
  return railAccount('rail_clearing', rail ?? MANUAL, environment, request.currency);
}

function task(
  { id, rail, status, request }: PayoutState,
  kind: PayoutTaskKind,
  more: PayoutTask['details'] = {},
): PayoutTask {
  const amount = formatAmount(request.amountMinor);
  const details = { payoutId: id, status, amount, currency: request.currency, ...more };
  return {
    id: taskId(id, kind),
    kind,
    details: rail === null ? details : { ...details, rail },
  };
}

/** Of each kind there is one a payout. Tasks of payments have their version, from 1 on, where these have 0000. */
function taskId(id: PayoutId, kind: PayoutTaskKind): string {
  return `task_${id.slice(3)}0000${String(PAYOUT_TASKS.indexOf(kind)).padStart(2, '0')}`;
}
