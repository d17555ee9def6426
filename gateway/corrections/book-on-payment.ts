// Books an approved correction on its payment. The payment's actor decides, as for a report of a rail, and its repeats are
// idempotent: a rail transaction counts once.
import { type OrderId, parseOrderId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import type {
  PaymentCommand,
  RecordRefund,
  ReversePayment,
  SettlePayment,
} from '#actors/core/payment/commands.js';
import {
  findRefund,
  findTransaction,
  type PaymentState,
  type TransactionKey,
} from '#actors/core/payment/state.js';
import { type LiveRailName, LIVE_RAIL_NAMES } from '#actors/core/rails/answers.js';
import type { RecordedOrigin } from '#actors/core/statuses.js';
import type { Approval } from '#store/postgres/approvals/approval-row.js';
import { sendCommand } from '../payments/handlers.js';
import { readState } from '../payments/read-state.js';
import { type Answer, buildApiError } from '../routing/response.js';
import type { CorrectionDeps } from './propose-correction.js';

const ELSEWHERE = buildApiError('state_conflict', {
  message:
    'The rail transaction is booked on another payment. A task settlement_unapplied is open.',
});

const REFUNDED = buildApiError('state_conflict', {
  message:
    'The payment is refunded in full, so the rail had nothing left to take back. A task reversal_unapplied is open.',
});

/** 200 when the payment has booked it. */
export async function bookOnPayment(deps: CorrectionDeps, approval: Approval): Promise<Answer> {
  const command = buildCommand(approval);
  const answer = await sendCommand(deps, command, (state) =>
    isBooked(state, approval) ? '{}' : undefined,
  );
  if (answer.code !== null) return answer;
  const state = await readState(deps, command.paymentId);
  const transaction = state && findTransaction(state, readTransaction(approval));
  if (transaction?.state === 'elsewhere') return ELSEWHERE;
  const isUnapplied = approval.kind === 'reversal' && state?.status === 'refunded';
  return isUnapplied && isCapture(state, approval) ? REFUNDED : answer;
}

function buildCommand(approval: Approval): PaymentCommand {
  switch (approval.kind) {
    case 'settlement':
      return buildSettle(approval);
    case 'reversal':
      return buildReverse(approval);
    case 'refund':
      return buildRecord(approval, 'rail');
    case 'chargeback':
      return buildRecord(approval, 'chargeback');
    default:
      throw new Error(`the approval ${approval.id} (${approval.kind}) books nothing on a payment`);
  }
}

function buildSettle(approval: Approval): SettlePayment {
  const settlement = {
    ...readTransaction(approval),
    orderId: readOrder(approval),
    amountMinor: makeMinor(approval.amountMinor),
    currency: approval.currency,
    settledAtMs: null,
  };
  return { type: 'settle', paymentId: readPayment(approval), settlement };
}

function buildReverse(approval: Approval): ReversePayment {
  return { type: 'reverse', paymentId: readPayment(approval), ...readTransaction(approval) };
}

function buildRecord(approval: Approval, origin: RecordedOrigin): RecordRefund {
  const { refundId } = approval;
  if (refundId === null) throw new Error(`the approval ${approval.id} names no refund`);
  return {
    type: 'record_refund',
    paymentId: readPayment(approval),
    refundId,
    origin,
    amountMinor: makeMinor(approval.amountMinor),
    externalReference: readText(approval, 'rail_transaction_id'),
  };
}

/** Whether the stored payment shows the effect of the command. */
function isBooked(state: PaymentState, approval: Approval): boolean {
  if (approval.refundId !== null) return findRefund(state, approval.refundId) !== undefined;
  const transaction = findTransaction(state, readTransaction(approval));
  if (transaction === undefined) return false;
  return approval.kind === 'settlement' || transaction.state === 'reversed';
}

function isCapture({ capture }: PaymentState, approval: Approval): boolean {
  const { rail, railTransactionId } = readTransaction(approval);
  return capture?.rail === rail && capture.railTransactionId === railTransactionId;
}

function readTransaction(approval: Approval): TransactionKey {
  return {
    rail: readRail(approval),
    railTransactionId: readText(approval, 'rail_transaction_id'),
  };
}

/** The proposal was checked, so that a missing field is a bug. */
function readText({ id, request }: Approval, name: string): string {
  const text = request[name];
  if (text === undefined) throw new Error(`the approval ${id} has no ${name}`);
  return text;
}

function readPayment({ id, paymentId }: Approval) {
  if (paymentId === null) throw new Error(`the approval ${id} names no payment`);
  return paymentId;
}

function readRail(approval: Approval): LiveRailName {
  const named = readText(approval, 'rail');
  const rail = LIVE_RAIL_NAMES.find((name) => name === named);
  if (rail === undefined) throw new Error(`the approval ${approval.id} names no LIVE rail`);
  return rail;
}

function readOrder(approval: Approval): OrderId {
  const orderId = parseOrderId(readText(approval, 'order_id'));
  if (orderId === undefined) throw new Error(`the approval ${approval.id} names no order`);
  return orderId;
}
