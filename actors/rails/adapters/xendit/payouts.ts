// Payouts at Xendit (v2), known there by our payout id as reference and idempotency key. FAILED gives the money back to the
// merchant's balance, so only what Xendit says explicitly is a failure.
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { PayoutAnswer, PayoutOrder } from '#actors/core/rails/answers.js';
import type { PayoutFailureCode } from '#actors/core/statuses.js';
import { readRailAmount, writeRailAmount } from '../wire.js';
import { Amount, Id, REFUSALS, type Reply } from './wire.js';

const UNKNOWN = { result: 'unknown' } as const;

/** Banks as merchants name them; Xendit puts the country in front. */
const BANKS: ReadonlySet<string> = new Set([
  ...['BCA', 'BNI', 'BRI', 'MANDIRI', 'PERMATA', 'CIMB', 'BSI'],
  ...['BTN', 'DANAMON', 'MAYBANK', 'MEGA', 'OCBC', 'PANIN', 'UOB'],
]);

const FAILURES: Readonly<Record<string, PayoutFailureCode>> = {
  INVALID_DESTINATION: 'account_invalid',
  REJECTED_BY_CHANNEL: 'rejected_by_bank',
  TEMPORARY_TRANSFER_ERROR: 'bank_unavailable',
};

const Payout = TypeCompiler.Compile(
  Type.Object({
    id: Id,
    reference_id: Type.String({ maxLength: 255 }),
    status: Type.String({ maxLength: 40 }),
    amount: Amount,
    failure_code: Type.Optional(Type.Unknown()),
  }),
);
const Payouts = TypeCompiler.Compile(Type.Object({ data: Type.Array(Type.Unknown()) }));

/** null: Xendit does not know the bank. */
export function buildPayoutBody(order: PayoutOrder): object | null {
  if (!BANKS.has(order.bankCode)) return null;
  return {
    reference_id: order.payoutId,
    channel_code: `ID_${order.bankCode}`,
    channel_properties: {
      account_number: order.accountNumber,
      account_holder_name: order.accountHolder,
    },
    amount: writeRailAmount(order.amountMinor),
    currency: order.currency,
    ...(order.description === null ? {} : { description: order.description }),
  };
}

/** `look_up`: it is there already (409). */
export function readPayoutReply(reply: Reply, order: PayoutOrder): PayoutAnswer | 'look_up' {
  switch (reply.kind) {
    case 'done':
      return readPayout(reply.body, order) ?? UNKNOWN;
    case 'error':
      if (reply.status === 409) return 'look_up';
      return isDeclined(reply.code) ? buildFailedAnswer(reply.code) : UNKNOWN;
    default:
      return UNKNOWN;
  }
}

const isDeclined = (code: string): boolean =>
  REFUSALS.has(code) || code === 'INSUFFICIENT_BALANCE' || Object.hasOwn(FAILURES, code);

/** In the reply to a look-up by its id, or in the list of those with our reference. */
export function findPayout(reply: Reply, order: PayoutOrder): PayoutAnswer {
  if (reply.kind !== 'done') return UNKNOWN;
  const { body } = reply;
  const listed = Payouts.Check(body) ? body.data : [body];
  const found = listed.map((entry) => readPayout(entry, order)).filter((it) => it !== null);
  // Two under one reference of ours cannot be: a person has to look.
  return found.length === 1 ? (found[0] ?? UNKNOWN) : UNKNOWN;
}

/** null: another payout. One with our reference and another amount is not understood. */
function readPayout(body: unknown, order: PayoutOrder): PayoutAnswer | null {
  if (!Payout.Check(body) || body.reference_id !== order.payoutId) return null;
  if (readRailAmount(body.amount) !== order.amountMinor) return UNKNOWN;
  const { id: railReference } = body;
  switch (body.status) {
    case 'SUCCEEDED':
      return { result: 'completed', railReference };
    case 'ACCEPTED':
    case 'REQUESTED':
    case 'PENDING_COMPLIANCE_ASSESSMENT':
      return { result: 'pending', railReference };
    case 'REVERSED':
      return { result: 'reversed', railReference };
    case 'FAILED':
    case 'CANCELLED':
    case 'COMPLIANCE_REJECTED':
      return buildFailedAnswer(body.failure_code);
    default:
      return UNKNOWN;
  }
}

function buildFailedAnswer(code: unknown): PayoutAnswer {
  const isKnown = typeof code === 'string' && Object.hasOwn(FAILURES, code);
  const failureCode = isKnown ? FAILURES[code] : undefined;
  return { result: 'failed', failureCode: failureCode ?? 'processing_failed' };
}
