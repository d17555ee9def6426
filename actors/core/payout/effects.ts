// Derives what follows from the events of a payout: postings and operator tasks. Money that an
// administrator pays by hand leaves through the clearing account `manual`, which is settled with
// the bank.
import { formatTransitionKey, type PayoutId } from '../ids.js';
import {
  MANUAL,
  formatMerchantAccount,
  type MerchantAccount,
  formatRailAccount,
} from '../ledger/accounts.js';
import { type PayoutPostingReason, type Posting, transfer } from '../ledger/postings.js';
import { formatAmount } from '../money.js';
import { unreachable } from '../unreachable.js';
import type { PayoutContradicted, PayoutEvent } from './events.js';
import type { PayoutState } from './state.js';

export const PAYOUT_TASK_KINDS = [
  'payout_manual_required',
  'payout_unresolved',
  'payout_contradicted',
  'payout_not_sent',
] as const;
export type PayoutTaskKind = (typeof PAYOUT_TASK_KINDS)[number];

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

/** `state` is the payout with the event applied. */
export function derivePayoutEffects(state: PayoutState, event: PayoutEvent): PayoutEffects {
  const available = nameAccount(state, 'merchant_available');
  const clearing = nameAccount(state, 'payout_clearing');
  switch (event.type) {
    case 'payout_requested':
      return { ...NONE, postings: post(state, [available, clearing], 'payout_requested') };
    case 'payout_completed':
      return { ...NONE, postings: post(state, [clearing, nameOutside(state)], 'payout_completed') };
    case 'payout_failed':
      return { ...NONE, postings: post(state, [clearing, available], 'payout_failed') };
    case 'payout_reversed':
      return { ...NONE, postings: post(state, [nameOutside(state), available], 'payout_reversed') };
    // The merchant got the money back and it has left all the same: it is taken again, even below
    // zero.
    case 'payout_corrected':
      return {
        ...NONE,
        postings: post(state, [available, nameOutside(state)], 'payout_corrected'),
      };
    case 'payout_made_manual':
      return { ...NONE, tasks: [makeTask(state, 'payout_manual_required')] };
    case 'payout_left_unresolved':
      return {
        ...NONE,
        tasks: [
          makeTask(state, state.status === 'PENDING' ? 'payout_not_sent' : 'payout_unresolved'),
        ],
      };
    case 'payout_contradicted':
      return { ...NONE, tasks: [makeContradictionTask(state, event)] };
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

function nameAccount(
  { merchantId, environment, request }: PayoutState,
  name: MerchantAccount,
): string {
  return formatMerchantAccount(name, merchantId, environment, request.currency);
}

/** The account through which the money leaves. */
function nameOutside({ rail, environment, request }: PayoutState): string {
  return formatRailAccount('rail_clearing', rail ?? MANUAL, environment, request.currency);
}

function makeTask(
  { id, rail, status, request }: PayoutState,
  kind: PayoutTaskKind,
  more: PayoutTask['details'] = {},
): PayoutTask {
  const amount = formatAmount(request.amountMinor);
  const details = { payoutId: id, status, amount, currency: request.currency, ...more };
  return {
    id: derivePayoutTaskId(id, kind),
    kind,
    details: rail === null ? details : { ...details, rail },
  };
}

/** Each contradiction has its own task, since the rail may change its word after a person decided. */
function makeContradictionTask(state: PayoutState, event: PayoutContradicted): PayoutTask {
  const kind = 'payout_contradicted';
  const id = `task_${formatTransitionKey(state.id, event.version)}${formatKind(kind)}`;
  return { ...makeTask(state, kind, { said: event.result }), id };
}

/**
 * A payout has one task of each other kind. 0000 takes the place of the version in the ids of payments'
 * tasks, which is never 0.
 */
function derivePayoutTaskId(id: PayoutId, kind: PayoutTaskKind): string {
  return `task_${id.slice(3)}0000${formatKind(kind)}`;
}

const formatKind = (kind: PayoutTaskKind): string =>
  String(PAYOUT_TASK_KINDS.indexOf(kind)).padStart(2, '0');
