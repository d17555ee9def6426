// The ways out of an operator task: what may be done now, and the money that it moves, always the whole of it.
// How the matter stands is told by the store (task_standing in store/postgres/functions/tasks.sql), which checks again that it still
// stands so when it writes.
//
//   suspended money   ├─ credit ──▶ merchant_available      taken back after that: the suspense account is short,
//   (standing)        ├─ return ──▶ rail_clearing           and the task of the reversal fills it: debit from
//                     └─ assign ──▶ another merchant's      who had got it, write_off from fees, or match with
//                                                           what was returned
import type { Environment, MerchantId } from '../ids.js';
import { merchantAccount, type Money, platformSuspense, railAccount } from '../ledger.js';
import type { RailName } from '../rails/answers.js';
import { unreachable } from '../unreachable.js';
import type { AnyTaskKind, TaskAction } from './kinds.js';

export interface TaskMatter {
  readonly kind: AnyTaskKind;
  readonly standing: string;
  readonly environment: Environment;
  /** The payment's; null: the task names no payment. */
  readonly merchantId: MerchantId | null;
  /** null: there is none in it. */
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

export interface WayOut {
  /** null: no money moves. */
  readonly posting: TaskPosting | null;
  /** Who is credited or debited. */
  readonly merchantId: MerchantId | null;
}

const CREDITED = 'credited:';
const SUSPENSE_WAYS: readonly TaskAction[] = ['credit', 'return', 'assign'];
const COVERS: readonly TaskAction[] = ['debit', 'write_off'];
const ACKNOWLEDGE: readonly TaskAction[] = ['acknowledge'];

/** What may be done as the matter stands; empty: it waits for something else. */
export function waysOutOf(kind: AnyTaskKind, standing: string): readonly TaskAction[] {
  switch (kind) {
    case 'settlement_suspended':
      return standing === 'reversed' ? ACKNOWLEDGE : SUSPENSE_WAYS;
    case 'suspense_reversed':
      if (standing === 'unspent') return ACKNOWLEDGE;
      return standing === 'returned' ? ['match', 'write_off'] : COVERS;
    case 'refund_manual_required':
    case 'refund_unresolved':
      return standing === 'open' ? [] : ACKNOWLEDGE;
    case 'refund_on_reversed_payment':
      if (standing === 'open') return [];
      return standing === 'failed' ? ACKNOWLEDGE : COVERS;
    case 'refund_contradicted':
      return [...ACKNOWLEDGE, ...COVERS];
    case 'unknown_order':
      return ['return', 'assign'];
    case 'settlement_unapplied':
    case 'reversal_unapplied':
    case 'attempt_unresolved':
    case 'rail_difference':
    case 'callback_contradicted':
    case 'invoice_paid_twice':
    case 'invoice_paid_void':
      return ACKNOWLEDGE;
    // Who is to bear what was paid and given back, too: we, here; the merchant, by the end of the payout.
    case 'payout_contradicted':
      return standing === 'failed' ? ['acknowledge', 'write_off'] : ACKNOWLEDGE;
    case 'payout_manual_required':
    case 'payout_unresolved':
      return [];
    default:
      return unreachable(kind);
  }
}

/**
 * `assignee`: the merchant that `assign` names. null: the matter does not allow the action, or lacks what it
 * needs (money, an assignee).
 */
export function findWayOut(
  matter: TaskMatter,
  action: TaskAction,
  assignee: MerchantId | null,
): WayOut | null {
  if (!waysOutOf(matter.kind, matter.standing).includes(action)) return null;
  if (action === 'acknowledge') return { posting: null, merchantId: null };
  const { money } = matter;
  if (money === null) return null;
  if (action === 'return' || action === 'match' || action === 'write_off') {
    return { posting: moveOurs(matter, money, action), merchantId: null };
  }
  const merchantId = merchantOf(matter, action, assignee);
  if (merchantId === null) return null;
  return { posting: moveMerchants(matter, money, { action, merchantId }), merchantId };
}

type RailMoney = NonNullable<TaskMatter['money']>;

function merchantOf(
  { standing, merchantId }: TaskMatter,
  action: 'credit' | 'assign' | 'debit',
  assignee: MerchantId | null,
): MerchantId | null {
  if (action === 'assign') return assignee;
  const isHeldByAnother = action === 'debit' && standing.startsWith(CREDITED);
  return isHeldByAnother ? (standing.slice(CREDITED.length) as MerchantId) : merchantId;
}

function moveOurs(
  matter: TaskMatter,
  money: RailMoney,
  action: 'return' | 'match' | 'write_off',
): TaskPosting {
  const { amountMinor, currency, rail } = money;
  const account = accountOf(matter, money);
  const clearing = railAccount('rail_clearing', rail, matter.environment, currency);
  const fees = railAccount('fees', rail, matter.environment, currency);
  const [debit, credit, reason] = (
    {
      return: [account, clearing, 'suspense_returned'],
      match: [clearing, account, 'return_matched'],
      write_off: [fees, account, 'loss_written_off'],
    } as const
  )[action];
  return { debit, credit, amountMinor, currency, reason };
}

function moveMerchants(
  matter: TaskMatter,
  money: RailMoney,
  { action, merchantId }: { action: 'credit' | 'assign' | 'debit'; merchantId: MerchantId },
): TaskPosting {
  const { amountMinor, currency } = money;
  const account = accountOf(matter, money);
  const { environment } = matter;
  const available = merchantAccount('merchant_available', merchantId, environment, currency);
  const [debit, credit, reason] = (
    {
      credit: [account, available, 'suspense_credited'],
      assign: [account, available, 'suspense_assigned'],
      debit: [available, account, 'merchant_debited'],
    } as const
  )[action];
  return { debit, credit, amountMinor, currency, reason };
}

/** What the task is about: where suspended money stands, or what the rail took from. */
function accountOf(
  { kind, merchantId, environment }: TaskMatter,
  { currency, rail }: RailMoney,
): string {
  if (kind === 'refund_contradicted' || kind === 'payout_contradicted') {
    return railAccount('rail_clearing', rail, environment, currency);
  }
  return merchantId === null
    ? platformSuspense(environment, currency)
    : merchantAccount('suspense', merchantId, environment, currency);
}
