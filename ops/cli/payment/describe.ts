// The text of a payment's story, without the texts of customer and merchant.
import { formatAmount } from '#actors/core/money.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import type { StoryEntry } from '#store/postgres/operations/payment-story.js';

const KIND_CHARACTERS = 19;
const NAME_CHARACTERS = 14;

export type PaymentSummary = ReturnType<typeof summarizePayment>;

export function summarizePayment(state: PaymentState) {
  const { id, merchantId, environment, status, failureCode, version, request, capture } = state;
  return {
    ...{ id, merchantId, environment, status, failureCode, version },
    amount: formatAmount(request.amountMinor),
    currency: request.currency,
    method: request.paymentMethod,
    createdAt: new Date(state.createdAtMs),
    expiresAt: new Date(state.expiresAtMs),
    erasedAt: state.erasedAtMs === null ? null : new Date(state.erasedAtMs),
    isLate: state.isLate,
    railTransactionId: capture?.railTransactionId ?? null,
    attempts: state.attempts.map(
      ({ number, orderId, rail, method, status: state_, isUnconfirmed, railReference }) => ({
        ...{ number, orderId, rail, method, status: state_, isUnconfirmed, railReference },
      }),
    ),
    refunds: state.refunds.map((refund) => ({
      id: refund.id,
      origin: refund.origin,
      status: refund.status,
      amount: formatAmount(refund.amountMinor),
      isContradicted: refund.isContradicted,
    })),
  };
}

export function describePayment({ attempts, refunds, ...facts }: PaymentSummary): string {
  return [
    ...Object.entries(facts)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name.padEnd(NAME_CHARACTERS)}  ${formatValue(value)}`),
    ...attempts.map((attempt) => `${'attempt'.padEnd(NAME_CHARACTERS)}  ${listFields(attempt)}`),
    ...refunds.map((refund) => `${'refund'.padEnd(NAME_CHARACTERS)}  ${listFields(refund)}`),
    '',
  ].join('\n');
}

export const describeStory = (story: readonly StoryEntry[]): string[] =>
  story.map(
    ({ at, kind, subject, details }) =>
      `${at.toISOString()}  ${kind.padEnd(KIND_CHARACTERS)}  ${subject}  ${listFields(details)}`,
  );

const listFields = (fields: object): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined && value !== false)
    .map(([name, value]) => `${name}=${formatValue(value)}`)
    .join(' ');

function formatValue(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}
