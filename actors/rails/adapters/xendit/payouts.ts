// Payouts at Xendit (v2). Our payout id is the reference and the idempotency key. A failure returns the money to the
// merchant's balance, so only an explicit failure counts as one.
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { isPayoutBank } from '#actors/core/payout-banks.js';
import type { PayoutAnswer, PayoutOrder } from '#actors/core/rails/answers.js';
import type { PayoutFailureCode } from '#actors/core/statuses.js';
import type { UnknownAnswer } from '../rail.js';
import { readRailAmount, writeRailAmount } from '../wire.js';
import { Amount, Id, REFUSALS, type Reply } from './wire.js';

const UNKNOWN = { result: 'unknown' } as const;
const ABSENT = { result: 'unknown', isAbsent: true } as const;

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

/** Xendit's codes are ours with the prefix `ID_`. null: an older payout names a bank that is not in the table. */
export function buildPayoutBody(order: PayoutOrder): object | null {
  if (!isPayoutBank(order.bankCode)) return null;
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

/** `inquire`: the payout exists already (409). */
export function readPayoutReply(reply: Reply, order: PayoutOrder): PayoutAnswer | 'inquire' {
  switch (reply.kind) {
    case 'done':
      return readPayout(reply.body, order) ?? UNKNOWN;
    case 'error':
      if (reply.status === 409) return 'inquire';
      return isDeclined(reply.code) ? buildFailedAnswer(reply.code) : UNKNOWN;
    default:
      return UNKNOWN;
  }
}

const isDeclined = (code: string): boolean =>
  REFUSALS.has(code) || code === 'INSUFFICIENT_BALANCE' || Object.hasOwn(FAILURES, code);

/**
 * Finds the payout in the reply to an inquiry by its id, or in the list of those with our reference. A payout that is not
 * found is unknown: its request may still be on its way.
 */
export function findPayout(reply: Reply, order: PayoutOrder): PayoutAnswer | UnknownAnswer {
  if (reply.kind === 'error' && reply.code === 'DATA_NOT_FOUND') return ABSENT;
  if (reply.kind !== 'done') return UNKNOWN;
  const { body } = reply;
  if (Payouts.Check(body) && body.data.length === 0) return ABSENT;
  const listed = Payouts.Check(body) ? body.data : [body];
  const found = listed.map((entry) => readPayout(entry, order)).filter((it) => it !== null);
  // Two payouts under one reference must not happen: the payout stays unknown until a person has looked.
  return found.length === 1 ? (found[0] ?? UNKNOWN) : UNKNOWN;
}

/** null: another payout. Our reference with another amount is unknown. */
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
