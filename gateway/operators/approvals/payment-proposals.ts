// Proposes to book on a LIVE payment what its rail did: a settlement, its reversal, a refund of the rail's dashboard, a
// chargeback. The proposal is checked against what is known now; the payment's actor decides again when it is applied.
import type { PaymentCorrection } from '#actors/core/approvals/kinds.js';
import { deriveRecordedRefundId, type PaymentId } from '#actors/core/ids.js';
import { type AmountMinor, formatAmount } from '#actors/core/money.js';
import { isRejection } from '#actors/core/payment/outcome.js';
import { decide } from '#actors/core/payment/state-machine.js';
import {
  computeRefundableMinor,
  findTransaction,
  type PaymentState,
} from '#actors/core/payment/state.js';
import { findShownStatus } from '#actors/core/payment/view.js';
import type { RecordedOrigin } from '#actors/core/statuses.js';
import { unreachable } from '#actors/core/unreachable.js';
import { NO_SUBJECT, type Proposal } from '#store/postgres/approvals/approval-row.js';
import type { Actor } from '#store/postgres/operations/audit.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { buildParameterError } from '#gateway/lists/page.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import { readState } from '#gateway/commands/read-state.js';
import { findErrorCode } from '#gateway/routing/errors.js';
import { type Answer, type ApiError, buildApiError } from '#gateway/routing/response.js';
import { findProposed, propose } from './propose.js';

/** A movement of money at a rail. */
export interface RailMovement {
  readonly kind: PaymentCorrection;
  readonly paymentId: PaymentId;
  readonly rail: string;
  /** The rail's own id of the movement. */
  readonly railTransactionId: string;
  /** null: that of the settlement, which a reversal takes back as a whole. */
  readonly amountMinor: AmountMinor | null;
  readonly currency: string;
  /** Of a settlement; null: the latest order at the rail. */
  readonly orderId: string | null;
  readonly reason: string;
  /** The task that reported it. */
  readonly taskId: string | null;
}

export type PaymentProposalDeps = AccountDeps & Pick<ApiDeps, 'readSnapshot'>;

const NOT_LIVE = buildParameterError('payment_id', 'must be a LIVE payment: TEST moves no money');

/** 202 with the approval; 400 names what is allowed; 409 when it is booked, or was proposed with other fields. */
export async function proposePaymentCorrection(
  deps: PaymentProposalDeps,
  actor: Actor,
  movement: RailMovement,
): Promise<Answer> {
  const state = await readState(deps, movement.paymentId);
  if (state === undefined) return buildApiError('payment_not_found', { param: 'payment_id' });
  if (state.environment !== 'LIVE') return NOT_LIVE;
  const proposal = buildProposal(state, movement);
  if ('code' in proposal) return proposal;
  const known = await findProposed(deps, proposal);
  if (known !== undefined) return known;
  return checkState(state, movement, deps.nowMs()) ?? propose(deps, actor, proposal);
}

function buildProposal(state: PaymentState, movement: RailMovement): Proposal | ApiError {
  const { kind } = movement;
  switch (kind) {
    case 'settlement':
      return buildSettlement(state, movement);
    case 'reversal':
      return buildReversal(state, movement);
    case 'refund':
    case 'chargeback':
      return buildRefund(state, movement);
    default:
      return unreachable(kind);
  }
}

/** The rail has money that the payment does not know of. */
function buildSettlement(state: PaymentState, movement: RailMovement): Proposal | ApiError {
  const { rail, orderId, currency } = movement;
  const attempts = state.attempts.filter((one) => one.rail === rail);
  if (attempts.length === 0) return buildRailError(state.attempts.map((one) => one.rail));
  const attempt =
    orderId === null ? attempts.at(-1) : attempts.find((one) => one.orderId === orderId);
  if (attempt === undefined) {
    return buildParameterError('order_id', 'must be an order of this payment at the rail');
  }
  const base = buildBase(state, movement);
  const request = { ...base.request, order_id: attempt.orderId };
  return { ...base, ...readMoney(movement, currency), request };
}

/** The rail took a settlement back: the whole amount. */
function buildReversal(state: PaymentState, movement: RailMovement): Proposal | ApiError {
  const booked = findTransaction(state, movement);
  if (booked?.state === 'captured' && state.status === 'refunded') {
    const message = 'The payment is refunded in full: the rail has nothing left to take back.';
    return buildApiError('state_conflict', { message, currentStatus: state.status });
  }
  if (booked !== undefined && booked.state !== 'elsewhere') {
    const { amountMinor, currency } = booked;
    return { ...buildBase(state, movement), amountMinor, currency };
  }
  const ids = state.railTransactions
    .filter((one) => one.state !== 'elsewhere')
    .map((one) => `${one.rail} ${one.id}`);
  const requirement = `must be a settlement of this payment: ${ids.join(', ') || 'it has none'}`;
  return buildParameterError('rail_transaction_id', requirement);
}

/** The rail paid the customer back by itself. */
function buildRefund(state: PaymentState, movement: RailMovement): Proposal | ApiError {
  const { capture, request } = state;
  if (capture?.rail !== movement.rail) {
    return buildRailError(capture === null ? [] : [capture.rail]);
  }
  const refundId = deriveRefundId(state, movement);
  return { ...buildBase(state, movement), refundId, ...readMoney(movement, request.currency) };
}

const deriveRefundId = ({ id }: PaymentState, { rail, railTransactionId }: RailMovement) =>
  deriveRecordedRefundId(id, rail, railTransactionId);

function buildBase({ id, merchantId }: PaymentState, movement: RailMovement) {
  const { kind, rail, railTransactionId, reason, taskId } = movement;
  return {
    ...{ kind, ...NO_SUBJECT, merchantId, paymentId: id, taskId, reason },
    reference: `${rail}:${railTransactionId}`,
    request: { rail, rail_transaction_id: railTransactionId },
  };
}

/** Only a reversal has no amount of its own. */
function readMoney({ kind, amountMinor }: RailMovement, currency: string) {
  if (amountMinor === null) throw new Error(`a correction of the kind ${kind} needs an amount`);
  return { amountMinor, currency };
}

/** The error when the movement is booked already, or the payment does not allow it. */
function checkState(
  state: PaymentState,
  movement: RailMovement,
  nowMs: number,
): ApiError | undefined {
  const { kind } = movement;
  if (kind === 'refund' || kind === 'chargeback') {
    return checkRefund(state, movement, kind === 'refund' ? 'rail' : 'chargeback', nowMs);
  }
  const booked = findTransaction(state, movement);
  const isDone = kind === 'settlement' || booked?.state === 'reversed';
  if (!isDone || booked === undefined) return undefined;
  const message = `The payment has this settlement already; it is ${booked.state}.`;
  return buildApiError('state_conflict', { message });
}

function checkRefund(
  state: PaymentState,
  movement: RailMovement,
  origin: RecordedOrigin,
  nowMs: number,
): ApiError | undefined {
  const { railTransactionId: externalReference } = movement;
  const { amountMinor } = readMoney(movement, state.request.currency);
  const refundId = deriveRefundId(state, movement);
  const about = { paymentId: state.id, refundId, origin, amountMinor, externalReference };
  const { outcome } = decide(state, { type: 'record_refund', ...about }, nowMs);
  if (outcome === 'unchanged' || outcome === 'idempotency_conflict') {
    const message = `The payment has this refund already: ${refundId}.`;
    return buildApiError('state_conflict', { message });
  }
  if (!isRejection(outcome)) return undefined;
  const left = formatAmount(computeRefundableMinor(state));
  return buildApiError(findErrorCode(outcome), {
    message: `A refund of at most ${left} can be recorded, and its reference must be new to this payment.`,
    currentStatus: findShownStatus(state),
  });
}

function buildRailError(rails: readonly string[]): ApiError {
  const names = [...new Set(rails)].join(' or ');
  return buildParameterError(
    'rail',
    names === '' ? 'has no money of this payment' : `must be that of this payment: ${names}`,
  );
}
