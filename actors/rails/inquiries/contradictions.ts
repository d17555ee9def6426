// What callbacks said of an order's money against what its look-up found. The look-up counts, whatever they said; one that
// names neither the sum that was found nor the one that was asked for is a person's business: the rail is in two minds,
// or somebody knows its token. (One that was sent before the money came names what was asked for.) Pure.
import { formatAmount } from '#actors/core/money.js';
import type { PaymentRequest } from '#actors/core/payment/state.js';
import type { Settlement } from '#actors/core/rails/answers.js';
import { deriveTaskId } from '#actors/core/tasks/kinds.js';
import type { ReportedMoney, InquiryTask } from '#store/postgres/rails/inquiries.js';

export function listContradictions(
  told: readonly ReportedMoney[],
  asked: Pick<PaymentRequest, 'amountMinor' | 'currency'>,
  found: Settlement,
): readonly InquiryTask[] {
  const known = [asked, found].map(({ amountMinor, currency }) =>
    formatMoney({ amount: formatAmount(amountMinor), currency }),
  );
  return told
    .filter((money) => !known.includes(formatMoney(money)))
    .map((money) => buildTask(money, found));
}

const formatMoney = ({ amount, currency }: ReportedMoney): string => `${amount} ${currency}`;

/** Once for an order and a sum. */
function buildTask(money: ReportedMoney, found: Settlement): InquiryTask {
  const { rail, railTransactionId, orderId, amountMinor, currency } = found;
  const id = deriveTaskId(`callback:${rail}:${orderId}:${formatMoney(money)}`);
  const details = {
    ...{ rail, railTransactionId, orderId, amount: formatAmount(amountMinor), currency },
    ...{ toldAmount: money.amount, toldCurrency: money.currency },
  };
  return { id, kind: 'callback_contradicted', details: JSON.stringify(details) };
}
