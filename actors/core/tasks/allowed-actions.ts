// The actions that an operator may take on a task now, and the money that each moves: always the
// whole amount. The store computes the state of a task (task_standing of the database) and checks
// it again when it writes.
//
//   suspended money   ├─ credit ──▶ merchant_available      After a later reversal the suspense account is short,
//                     ├─ return ──▶ our bank account        and the reversal's task fills it: debit from the merchant
//                     └─ assign ──▶ another merchant's      that got the money, write_off from fees, or match with
//                                                           the returned money
//
// An administrator returns money by hand, so `return` credits rail_clearing:manual, and `match` takes
// it from there: the rail has taken back its own money, and ours did not leave.
import type { Environment, MerchantId } from '../ids.js';
import {
  formatMerchantAccount,
  formatPlatformSuspense,
  formatRailAccount,
  MANUAL,
} from '../ledger/accounts.js';
import type { Money } from '../ledger/postings.js';
import type { RailName } from '../rails/rail-names.js';
import { unreachable } from '../unreachable.js';
import type { TaskKind, TaskAction } from './kinds.js';

export interface TaskContext {
  readonly kind: TaskKind;
  readonly state: string;
  readonly environment: Environment;
  /** The payment's merchant; null: the task names no payment. */
  readonly merchantId: MerchantId | null;
  /** null: the task is not about money. */
  readonly money: (Money & { readonly rail: RailName }) | null;
}

export type TaskPostingReason =
  | 'suspense_credited'
  | 'suspense_returned'
  | 'suspense_assigned'
  | 'merchant_debited'
  | 'loss_written_off'
  | 'return_matched';

export interface TaskPosting extends Money {
  readonly debit: string;
  readonly credit: string;
  readonly reason: TaskPostingReason;
}

export interface TaskResolution {
  /** null: no money moves. */
  readonly posting: TaskPosting | null;
  /** The merchant that is credited or debited. */
  readonly merchantId: MerchantId | null;
}

const CREDITED = 'credited:';
const MOVES: readonly TaskAction[] = ['credit', 'return', 'assign'];
const COVERS: readonly TaskAction[] = ['debit', 'write_off'];
const ACKNOWLEDGE: readonly TaskAction[] = ['acknowledge'];

/** Empty: the task waits for something else. */
export function listAllowedActions(kind: TaskKind, state: string): readonly TaskAction[] {
  switch (kind) {
    case 'settlement_suspended':
      return state === 'reversed' ? ACKNOWLEDGE : MOVES;
    case 'suspense_reversed':
      if (state === 'unspent') return ACKNOWLEDGE;
      return state === 'returned' ? ['match', 'write_off'] : COVERS;
    case 'refund_manual_required':
    case 'refund_unresolved':
      return state === 'open' ? [] : ACKNOWLEDGE;
    case 'refund_on_reversed_payment':
      if (state === 'open') return [];
      return state === 'failed' ? ACKNOWLEDGE : COVERS;
    // Completing the refund corrects it, failing it confirms the failure; both close the task. Beside
    // them the amount may be borne while the refund stays failed.
    case 'refund_contradicted':
      if (state === 'ending') return [];
      return state === 'failed' ? COVERS : ACKNOWLEDGE;
    case 'rail_difference':
      return state === 'bookable' ? ['book', 'acknowledge'] : ACKNOWLEDGE;
    case 'unknown_order':
      return ['return', 'assign'];
    case 'settlement_unapplied':
    case 'reversal_unapplied':
    case 'attempt_unresolved':
    case 'unknown_order_unresolved':
    case 'callback_contradicted':
    case 'callback_unconfirmed':
    case 'instructions_unusable':
    case 'invoice_paid_twice':
    case 'invoice_paid_void':
    case 'balance_negative':
      return ACKNOWLEDGE;
    // The amount was paid and also given back. The platform bears it here, once, the merchant by
    // completing the failed payout.
    case 'payout_contradicted':
      return state === 'failed' || state === 'reversed'
        ? ['acknowledge', 'write_off']
        : ACKNOWLEDGE;
    case 'payout_manual_required':
    case 'payout_unresolved':
    case 'payout_not_sent':
      return [];
    default:
      return unreachable(kind);
  }
}

/**
 * `assignee` is the merchant that `assign` names. null: the state does not allow the action, or the
 * money or the assignee is missing.
 */
export function resolveAction(
  context: TaskContext,
  action: TaskAction,
  assignee: MerchantId | null,
): TaskResolution | null {
  if (!listAllowedActions(context.kind, context.state).includes(action)) return null;
  if (action === 'acknowledge' || action === 'book') return { posting: null, merchantId: null };
  const { money } = context;
  if (money === null) return null;
  if (action === 'return' || action === 'match' || action === 'write_off') {
    return { posting: moveAtRail(context, money, action), merchantId: null };
  }
  const merchantId = findMerchant(context, action, assignee);
  if (merchantId === null) return null;
  return { posting: moveToMerchant(context, money, { action, merchantId }), merchantId };
}

type RailMoney = NonNullable<TaskContext['money']>;

function findMerchant(
  { state, merchantId }: TaskContext,
  action: 'credit' | 'assign' | 'debit',
  assignee: MerchantId | null,
): MerchantId | null {
  if (action === 'assign') return assignee;
  const isHeldByAnother = action === 'debit' && state.startsWith(CREDITED);
  return isHeldByAnother ? (state.slice(CREDITED.length) as MerchantId) : merchantId;
}

function moveAtRail(
  context: TaskContext,
  money: RailMoney,
  action: 'return' | 'match' | 'write_off',
): TaskPosting {
  const { amountMinor, currency, rail } = money;
  const account = nameAccount(context, money);
  const bank = formatRailAccount('rail_clearing', MANUAL, context.environment, currency);
  const fees = formatRailAccount('fees', rail, context.environment, currency);
  const [debit, credit, reason] = (
    {
      return: [account, bank, 'suspense_returned'],
      match: [bank, account, 'return_matched'],
      write_off: [fees, account, 'loss_written_off'],
    } as const
  )[action];
  return { debit, credit, amountMinor, currency, reason };
}

function moveToMerchant(
  context: TaskContext,
  money: RailMoney,
  { action, merchantId }: { action: 'credit' | 'assign' | 'debit'; merchantId: MerchantId },
): TaskPosting {
  const { amountMinor, currency } = money;
  const account = nameAccount(context, money);
  const { environment } = context;
  const available = formatMerchantAccount('merchant_available', merchantId, environment, currency);
  const [debit, credit, reason] = (
    {
      credit: [account, available, 'suspense_credited'],
      assign: [account, available, 'suspense_assigned'],
      debit: [available, account, 'merchant_debited'],
    } as const
  )[action];
  return { debit, credit, amountMinor, currency, reason };
}

/**
 * The account that the task is about: it holds the suspended money, or the rail took its money from
 * it.
 */
function nameAccount(
  { kind, merchantId, environment }: TaskContext,
  { currency, rail }: RailMoney,
): string {
  if (kind === 'refund_contradicted' || kind === 'payout_contradicted') {
    return formatRailAccount('rail_clearing', rail, environment, currency);
  }
  return merchantId === null
    ? formatPlatformSuspense(environment, currency)
    : formatMerchantAccount('suspense', merchantId, environment, currency);
}
