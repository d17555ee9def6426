// An administrator proposes a correction. The proposal is checked against what is known now; the object itself decides
// again when the correction is applied.
import {
  type BalanceCorrection,
  isBalanceCorrection,
  type PaymentCorrection,
} from '#actors/core/approvals/kinds.js';
import type { MerchantId, PaymentId } from '#actors/core/ids.js';
import { type AmountMinor, parseAmount } from '#actors/core/money.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import { NO_SUBJECT, type Proposal } from '#store/postgres/approvals/approval-row.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import type { Actor } from '#store/postgres/operations/audit.js';
import { type ApprovalDeps, findProposed, propose } from '../approvals/propose.js';
import { buildActor } from '../auth/actor.js';
import { buildParameterError } from '../lists/page.js';
import type { ApiDeps } from '../payments/api-deps.js';
import { readState } from '../payments/read-state.js';
import type { NoParams, SessionRequest } from '../routing/request.js';
import { type Answer, type ApiError, buildApiError } from '../routing/response.js';
import { checkFields } from './fields-of-kind.js';
import type { CorrectionRequest } from './schema.js';

export type CorrectionDeps = ApprovalDeps &
  Pick<ApiDeps, 'dispatcher' | 'partitions' | 'readSnapshot'>;

const DEFAULT_CURRENCY = 'IDR';
const NOT_LIVE = buildParameterError('payment_id', 'must be a LIVE payment: TEST moves no money');

/** 202 with the approval; 400 names what is allowed; 409 when the reference was proposed with other fields. */
export async function proposeCorrection(
  deps: CorrectionDeps,
  request: SessionRequest<NoParams, CorrectionRequest>,
): Promise<Answer> {
  const { body } = request;
  const error = checkFields(body);
  if (error !== undefined) return error;
  const { kind } = body;
  return isBalanceCorrection(kind)
    ? proposeBalanceCorrection(deps, buildActor(request), { ...body, kind })
    : proposePaymentCorrection(deps, buildActor(request), { ...body, kind });
}

async function proposeBalanceCorrection(
  deps: CorrectionDeps,
  actor: Actor,
  body: CorrectionRequest & { readonly kind: BalanceCorrection },
): Promise<Answer> {
  const amountMinor = readAmount(body);
  if (typeof amountMinor === 'object') return amountMinor;
  const [merchant] = await findMerchant(deps.accounts, body.merchant_id as MerchantId);
  if (merchant === undefined) {
    return buildApiError('merchant_not_found', { param: 'merchant_id' });
  }
  const { kind, currency = DEFAULT_CURRENCY, reference = '', reason } = body;
  const money = { amountMinor, currency };
  const proposal = { kind, ...NO_SUBJECT, merchantId: merchant.id, ...money, reference, reason };
  return propose(deps, actor, { ...proposal, request: {} });
}

type PaymentCorrectionBody = CorrectionRequest & { readonly kind: PaymentCorrection };

async function proposePaymentCorrection(
  deps: CorrectionDeps,
  actor: Actor,
  body: PaymentCorrectionBody,
): Promise<Answer> {
  const state = await readState(deps, body.payment_id as PaymentId);
  if (state === undefined) return buildApiError('payment_not_found', { param: 'payment_id' });
  if (state.environment !== 'LIVE') return NOT_LIVE;
  const proposal =
    body.kind === 'settlement' ? buildSettlement(state, body) : buildReversal(state, body);
  if ('code' in proposal) return proposal;
  const known = await findProposed(deps, proposal);
  if (known !== undefined) return known;
  return checkBooked(state, body) ?? propose(deps, actor, proposal);
}

/** The rail has money that the payment does not know of. */
function buildSettlement(state: PaymentState, body: PaymentCorrectionBody): Proposal | ApiError {
  const amountMinor = readAmount(body);
  if (typeof amountMinor === 'object') return amountMinor;
  const { rail = '', rail_transaction_id: transaction = '', order_id: orderId } = body;
  const attempts = state.attempts.filter((one) => one.rail === rail);
  if (attempts.length === 0) return buildRailError(state.attempts.map((one) => one.rail));
  const attempt =
    orderId === undefined ? attempts.at(-1) : attempts.find((one) => one.orderId === orderId);
  if (attempt === undefined) {
    return buildParameterError('order_id', 'must be an order of this payment at the rail');
  }
  const { currency = DEFAULT_CURRENCY } = body;
  const request = { rail, rail_transaction_id: transaction, order_id: attempt.orderId };
  return { ...buildBase(state, body), amountMinor, currency, request };
}

/** The rail took a settlement back: the whole amount. */
function buildReversal(state: PaymentState, body: PaymentCorrectionBody): Proposal | ApiError {
  const { rail = '', rail_transaction_id: transaction = '' } = body;
  const booked = findTransaction(state, body);
  if (booked === undefined || booked.state === 'elsewhere') {
    const ids = state.railTransactions
      .filter((one) => one.state !== 'elsewhere')
      .map((one) => `${one.rail} ${one.id}`);
    const requirement = `must be a settlement of this payment: ${ids.join(', ') || 'it has none'}`;
    return buildParameterError('rail_transaction_id', requirement);
  }
  const { amountMinor, currency } = booked;
  const request = { rail, rail_transaction_id: transaction };
  return { ...buildBase(state, body), amountMinor, currency, request };
}

function buildBase({ id, merchantId }: PaymentState, body: PaymentCorrectionBody) {
  const { kind, reason, rail = '', rail_transaction_id: transaction = '' } = body;
  const reference = `${rail}:${transaction}`;
  return { kind, ...NO_SUBJECT, merchantId, paymentId: id, reference, reason };
}

/** A movement that is booked already needs no correction. */
function checkBooked(state: PaymentState, body: PaymentCorrectionBody): ApiError | undefined {
  const booked = findTransaction(state, body);
  const isDone = body.kind === 'settlement' ? booked !== undefined : booked?.state === 'reversed';
  if (!isDone || booked === undefined) return undefined;
  const message = `The payment has this settlement already; it is ${booked.state}.`;
  return buildApiError('state_conflict', { message });
}

function findTransaction(state: PaymentState, body: CorrectionRequest) {
  return state.railTransactions.find(
    (one) => one.rail === body.rail && one.id === body.rail_transaction_id,
  );
}

function buildRailError(rails: readonly string[]): ApiError {
  const names = [...new Set(rails)].join(' or ');
  return buildParameterError(
    'rail',
    names === '' ? 'has no order of this payment' : `must have an order of this payment: ${names}`,
  );
}

function readAmount({ amount = '' }: CorrectionRequest): AmountMinor | ApiError {
  const parsed = parseAmount(amount);
  return typeof parsed === 'string' ? buildApiError(parsed, { param: 'amount' }) : parsed;
}
