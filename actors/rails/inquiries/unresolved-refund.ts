// A refund of which its rail has not said what became of it, by the end of its watch: a task, once for each refund.
import { formatAmount } from '#actors/core/money.js';
import { deriveTaskId } from '#actors/core/tasks/kinds.js';
import type { InquiryTask } from '#store/postgres/rails/inquiries.js';
import type { OpenCall } from './inquiry-result.js';

export function buildUnresolvedTasks({
  claimed,
  calls,
}: {
  readonly claimed: { readonly id: string };
  readonly calls: readonly OpenCall[];
}): readonly InquiryTask[] {
  const call = calls.find(({ id }) => id === claimed.id)?.call;
  if (call?.operation !== 'refund') return [];
  const { rail, refundId, amountMinor, currency } = call;
  const details = { refundId, amount: formatAmount(amountMinor), currency, rail };
  const id = deriveTaskId(`refund unresolved:${refundId}`);
  return [{ id, kind: 'refund_unresolved', details: JSON.stringify(details) }];
}
