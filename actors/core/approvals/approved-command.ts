// The command of an approved correction. The payments process builds it from the approval's row in Postgres, so neither
// Redis nor a gateway can change it on its way.
import {
  type ApprovalId,
  type OrderId,
  parseOrderId,
  type PaymentId,
  type RefundId,
} from '../ids.js';
import { makeMinor } from '../money.js';
import type {
  PaymentCommand,
  RecordRefund,
  ReversePayment,
  SettlePayment,
} from '../payment/commands.js';
import type { TransactionKey } from '../payment/state.js';
import { type LiveRailName, LIVE_RAIL_NAMES } from '../rails/rail-names.js';
import type { RecordedOrigin } from '../statuses.js';
import type { ApprovalKind, ApprovalStatus } from './kinds.js';

/** The columns of an approval that its command is built from. */
export interface ApprovedCorrection {
  readonly id: ApprovalId;
  readonly kind: ApprovalKind;
  readonly status: ApprovalStatus;
  readonly paymentId: PaymentId | null;
  readonly refundId: RefundId | null;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** The movement at the rail, as texts by name. */
  readonly request: Readonly<Record<string, string>>;
  readonly proposedBy: string;
  readonly decidedBy: string | null;
}

/** @throws Error when two persons have not approved it, or its row is damaged; the message says why */
export function buildApprovedCommand(approval: ApprovedCorrection): PaymentCommand {
  const { id, status, proposedBy, decidedBy } = approval;
  if (status !== 'approved' && status !== 'applied') {
    throw new Error(`the approval ${id} is ${status}; it must be approved`);
  }
  if (decidedBy === null || decidedBy === proposedBy) {
    throw new Error(`the approval ${id} was proposed and approved by one person`);
  }
  return buildCommand(approval);
}

/** The rail's transaction that the correction is about. */
export function readTransaction(approval: ApprovedCorrection): TransactionKey {
  return {
    rail: readRail(approval),
    railTransactionId: readText(approval, 'rail_transaction_id'),
  };
}

function buildCommand(approval: ApprovedCorrection): PaymentCommand {
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

function buildSettle(approval: ApprovedCorrection): SettlePayment {
  const settlement = {
    ...readTransaction(approval),
    orderId: readOrder(approval),
    amountMinor: makeMinor(approval.amountMinor),
    currency: approval.currency,
    settledAtMs: null,
  };
  return { type: 'settle', paymentId: readPayment(approval), settlement };
}

function buildReverse(approval: ApprovedCorrection): ReversePayment {
  return { type: 'reverse', paymentId: readPayment(approval), ...readTransaction(approval) };
}

function buildRecord(approval: ApprovedCorrection, origin: RecordedOrigin): RecordRefund {
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

/** The proposal was checked, so that a missing field is a bug. */
function readText({ id, request }: ApprovedCorrection, name: string): string {
  const text = request[name];
  if (text === undefined) throw new Error(`the approval ${id} has no ${name}`);
  return text;
}

function readPayment({ id, paymentId }: ApprovedCorrection) {
  if (paymentId === null) throw new Error(`the approval ${id} names no payment`);
  return paymentId;
}

function readRail(approval: ApprovedCorrection): LiveRailName {
  const named = readText(approval, 'rail');
  const rail = LIVE_RAIL_NAMES.find((name) => name === named);
  if (rail === undefined) throw new Error(`the approval ${approval.id} names no LIVE rail`);
  return rail;
}

function readOrder(approval: ApprovedCorrection): OrderId {
  const orderId = parseOrderId(readText(approval, 'order_id'));
  if (orderId === undefined) throw new Error(`the approval ${approval.id} names no order`);
  return orderId;
}
