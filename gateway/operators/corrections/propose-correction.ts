// An administrator proposes a correction of a payment or of a merchant's balance.
import {
  type BalanceCorrection,
  isBalanceCorrection,
  type PaymentCorrection,
} from '#actors/core/approvals/kinds.js';
import type { MerchantId, PaymentId } from '#actors/core/ids.js';
import { type AmountMinor, parseAmount } from '#actors/core/money.js';
import { NO_SUBJECT } from '#store/postgres/approvals/approval-row.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import type { Actor } from '#store/postgres/operations/audit.js';
import { proposePaymentCorrection } from '../approvals/payment-proposals.js';
import { type ApprovalDeps, propose } from '../approvals/propose.js';
import { buildActor } from '#gateway/auth/actor.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import type { AdminRefundDeps } from '../money/refund-handlers.js';
import type { NoParams, SessionRequest } from '#gateway/routing/request.js';
import { type Answer, type ApiError, buildApiError } from '#gateway/routing/response.js';
import { checkFields } from './fields-of-kind.js';
import type { CorrectionRequest } from './schema.js';

export type CorrectionDeps = AdminRefundDeps & ApprovalDeps & Pick<ApiDeps, 'readSnapshot'>;

const DEFAULT_CURRENCY = 'IDR';

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
    : proposeRailMovement(deps, buildActor(request), { ...body, kind });
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

function proposeRailMovement(
  deps: CorrectionDeps,
  actor: Actor,
  body: CorrectionRequest & { readonly kind: PaymentCorrection },
): Answer | Promise<Answer> {
  const { kind, reason, rail = '', rail_transaction_id: railTransactionId = '' } = body;
  const amountMinor = body.amount === undefined ? null : readAmount(body);
  if (amountMinor !== null && typeof amountMinor === 'object') return amountMinor;
  const { order_id: orderId = null, currency = DEFAULT_CURRENCY } = body;
  const paymentId = body.payment_id as PaymentId;
  const movement = { kind, paymentId, rail, railTransactionId, amountMinor, currency, orderId };
  return proposePaymentCorrection(deps, actor, { ...movement, reason, taskId: null });
}

function readAmount({ amount = '' }: CorrectionRequest): AmountMinor | ApiError {
  const parsed = parseAmount(amount);
  return typeof parsed === 'string' ? buildApiError(parsed, { param: 'amount' }) : parsed;
}
