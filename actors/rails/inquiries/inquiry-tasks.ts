// Operator tasks that follow from status inquiries. Pure. A task's id is derived from its cause, so each cause opens one task.
import { formatAmount } from '#actors/core/money.js';
import type { PaymentRequest } from '#actors/core/payment/state.js';
import type { GivenBack, Settlement } from '#actors/core/rails/answers.js';
import type { ReportedState } from '#actors/core/statuses.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import { deriveTaskId } from '#actors/core/tasks/kinds.js';
import { findDay } from '#actors/core/days.js';
import { describeDifference } from '#actors/core/tasks/rail-differences.js';
import { compareGivenBack, isUnderOurKey } from '#actors/core/tasks/reconciled-refunds.js';
import type { OrderRecord } from '#actors/core/tasks/reconciliation.js';
import type { ReportedMoney, InquiryTask } from '#store/postgres/rails/inquiries.js';
import type { OpenCall } from './inquiry-result.js';
import { isMoneyReported } from './unconfirmed-reports.js';

/**
 * Compares what callbacks reported of an order's money with what its inquiry found. The inquiry always counts. A callback
 * that reports neither the amount found nor the amount requested needs a person: the rail contradicts itself, or its
 * callback token has leaked. (A callback from before the payment reports the amount requested.)
 */
export function buildContradictionTasks(
  reported: readonly ReportedMoney[],
  requested: Pick<PaymentRequest, 'amountMinor' | 'currency'>,
  found: Settlement,
): readonly InquiryTask[] {
  const known = [requested, found].map(({ amountMinor, currency }) =>
    formatMoney({ amount: formatAmount(amountMinor), currency }),
  );
  return reported
    .filter((money) => !known.includes(formatMoney(money)))
    .map((money) => buildContradictionTask(money, found));
}

const formatMoney = ({ amount, currency }: ReportedMoney): string => `${amount} ${currency}`;

/** One task for each order and reported amount. */
function buildContradictionTask(money: ReportedMoney, found: Settlement): InquiryTask {
  const { rail, railTransactionId, orderId, amountMinor, currency } = found;
  const id = deriveTaskId(`callback:${rail}:${orderId}:${formatMoney(money)}`);
  const details = {
    ...{ rail, railTransactionId, orderId, amount: formatAmount(amountMinor), currency },
    ...{ toldAmount: money.amount, toldCurrency: money.currency },
  };
  return { id, kind: 'callback_contradicted', details: JSON.stringify(details) };
}

/**
 * One task for each refund of the rail's dashboard and each chargeback: the rail made it without being asked by us.
 * Reconciliation opens the same tasks. A refund under a key of ours may have begun during the inquiry.
 */
export function buildGivenBackTasks(
  { state, rail, orderId }: OrderRecord,
  givenBack: readonly GivenBack[],
  nowMs: number,
): readonly InquiryTask[] {
  const matter = { rail, orderId, day: findDay(nowMs) };
  const unasked = givenBack.filter((entry) => !isUnderOurKey(entry));
  return compareGivenBack(state, unasked)
    .filter(({ kind }) => kind === 'orphan')
    .map((difference) => ({ kind: 'rail_difference', ...describeDifference(matter, difference) }));
}

export interface RefundInquiry {
  readonly claimed: { readonly id: string };
  readonly calls: readonly OpenCall[];
}

/** One task for a refund whose rail has not said how it ended when its inquiries end. */
export function buildUnresolvedTasks({ claimed, calls }: RefundInquiry): readonly InquiryTask[] {
  const call = calls.find(({ id }) => id === claimed.id)?.call;
  if (call?.operation !== 'refund') return [];
  const { rail, refundId, amountMinor, currency } = call;
  const details = { refundId, amount: formatAmount(amountMinor), currency, rail };
  const id = deriveTaskId(`refund unresolved:${refundId}`);
  return [{ id, kind: 'refund_unresolved', details: JSON.stringify(details) }];
}

export interface OrderInquiry {
  readonly claimed: { readonly id: string; readonly kind: 'order' | 'refund' };
  readonly state: { readonly attempts: readonly { orderId: string; rail: RailName }[] };
}

/** One task for each order whose money a callback reported and its rail's status never showed. */
export function buildUnconfirmedTasks(
  { claimed, state }: OrderInquiry,
  unconfirmed: readonly ReportedState[],
): readonly InquiryTask[] {
  const attempt = state.attempts.find(({ orderId }) => orderId === claimed.id);
  if (claimed.kind !== 'order' || attempt === undefined || !isMoneyReported(unconfirmed)) return [];
  const { rail, orderId } = attempt;
  const details = { rail, orderId, reported: unconfirmed.join(' ') };
  const id = deriveTaskId(`callback unconfirmed:${rail}:${orderId}`);
  return [{ id, kind: 'callback_unconfirmed', details: JSON.stringify(details) }];
}
