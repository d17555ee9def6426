// Creates a refund in the name of a payment's merchant, also of a suspended one: its customers get their money back. The
// command is the one that the merchant sends, so the payment's actor applies the same rules.
import { type Static, Type } from '@sinclair/typebox';
import type { PaymentId } from '#actors/core/ids.js';
import { AMOUNT_PATTERN, AMOUNT_REQUIREMENT, parseAmount } from '#actors/core/money.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { closed } from '#gateway/routing/schema-parts.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import type { SessionRequest } from '#gateway/routing/request.js';
import { type Answer, buildApiError } from '#gateway/routing/response.js';
import { submitRefund } from '#gateway/money/refunds/handlers.js';

/** A merchant cannot send this character, so no key of a merchant claims the refund of an administrator. */
const KEY_OF_ADMIN = '\n';

export const AdminRefundRequest = Type.Object(
  {
    amount: Type.Optional(
      Type.String({
        pattern: AMOUNT_PATTERN,
        description: 'Minor units. Absent: all that is left. `null` is an error.',
        errorCode: 'amount_invalid',
        refusesNull: true,
        errorMessage: AMOUNT_REQUIREMENT,
        examples: ['50000'],
      }),
    ),
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      typedAs: 'lines',
      description: 'The merchant sees it, and the audit log keeps it.',
      examples: ['Merchant ditangguhkan'],
    }),
  },
  {
    title: 'CreateAdminRefundRequest',
    ...closed,
    description: 'A whole or partial refund in the name of the merchant.',
  },
);
export type AdminRefundRequest = Static<typeof AdminRefundRequest>;

export type AdminRefundCreateDeps = Pick<
  ApiDeps,
  'deriveIdBytes' | 'dispatcher' | 'lists' | 'liveReplyWaitMs' | 'onError' | 'readSnapshot'
>;

/** 201 created, 200 repeated, 400 without an Idempotency-Key for a LIVE payment, 404, 409, 503, 504. */
export async function createAdminRefund(
  deps: AdminRefundCreateDeps,
  request: SessionRequest<{ readonly payment_id: PaymentId }, AdminRefundRequest>,
): Promise<Answer> {
  const { params, body, idempotencyKey } = request;
  const amountMinor = body.amount === undefined ? null : parseAmount(body.amount);
  if (typeof amountMinor === 'string') return buildApiError(amountMinor, { param: 'amount' });
  const snapshot = await deps.readSnapshot(params.payment_id);
  if (snapshot === undefined) return buildApiError('payment_not_found');
  const { merchantId, environment } = decodeSnapshot(snapshot);
  if (environment === 'LIVE' && idempotencyKey === undefined) {
    return buildApiError('idempotency_key_required', { param: 'Idempotency-Key' });
  }
  const { reason } = body;
  return submitRefund(deps, {
    tenant: { merchantId, environment },
    request: { paymentId: params.payment_id, amountMinor, reason, referenceId: null },
    idempotencyKey: idempotencyKey === undefined ? undefined : KEY_OF_ADMIN + idempotencyKey,
  });
}
