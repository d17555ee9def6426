// Schemas of the fields that several stored texts hold, and the request of a payment inside commands and snapshots, under
// the names of the API. Members that a schema does not know are ignored, so that
// programs of two releases can read each other's texts.
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import {
  ENVIRONMENTS,
  MERCHANT_ID_PATTERN,
  type MerchantId,
  ORDER_ID_PATTERN,
  type OrderId,
} from '#actors/core/ids.js';
import { CURRENCY_CODES } from '#actors/core/money.js';
import { CHARGEABLE_METHODS, PAYMENT_METHOD_IDS } from '#actors/core/payment-methods.js';
import { RAIL_NAMES, type RailName } from '#actors/core/rails/rail-names.js';
import {
  allowNull,
  ApprovalIdSchema,
  PaymentIdSchema,
  RefundIdSchema,
} from '#actors/core/schemas/fields.js';
import type { PaymentRequest } from '../state.js';
import { parseDigits } from './codec.js';

/** The end of the year 9999: a later time has six digits of a year in ISO 8601, which `time` does not read back. */
export const MAX_TIME_MS = 253_402_300_799_999;

export function oneOf<const T extends string>(values: readonly T[]) {
  const literals = values.map((value) => Type.Literal(value));
  return Type.Unsafe<T>(Type.Union(literals, { errorMessage: `must be ${values.join(' or ')}` }));
}

/** A field that is left out while it is null, empty or false; null is read too. */
export const maybe = <S extends TSchema>(schema: S) =>
  Type.Optional(Type.Unsafe<Static<S> | null | undefined>(allowNull(schema)));

export const text = Type.String();
export const flag = Type.Boolean();
export const count = Type.Integer({ minimum: 0 });
export const digits = Type.String({ pattern: '^[0-9]{1,18}$' });
export const timeMs = Type.Integer({ minimum: 0, maximum: MAX_TIME_MS });
/** Months, days and hours have their ranges in the pattern, so that Date.parse understands every match. */
export const time = Type.String({
  pattern:
    '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z$',
});
export const paymentId = PaymentIdSchema;
export const refundId = RefundIdSchema;
export const approvalId = ApprovalIdSchema;
export const merchantId = Type.Unsafe<MerchantId>(Type.String({ pattern: MERCHANT_ID_PATTERN }));
export const orderId = Type.Unsafe<OrderId>(Type.String({ pattern: ORDER_ID_PATTERN }));
export const environment = oneOf(ENVIRONMENTS);
export const currency = oneOf(CURRENCY_CODES);
export const method = oneOf(PAYMENT_METHOD_IDS);
export const chargeableMethod = oneOf(CHARGEABLE_METHODS);
export const rail = oneOf(RAIL_NAMES);
export const rails = Type.Unsafe<readonly RailName[]>(Type.Array(rail));
export const metadata = Type.Unsafe<Readonly<Record<string, string>>>(
  Type.Object({}, { additionalProperties: text }),
);
export const instructions = Type.Union([
  Type.Object({ kind: Type.Literal('qr'), payload: text }),
  Type.Object({ kind: Type.Literal('virtual_account'), number: text, billerCode: allowNull(text) }),
]);

export const REQUEST_FIELDS = {
  amount: digits,
  currency: currency,
  description: maybe(text),
  reference_id: maybe(text),
  payment_method: maybe(method),
  customer_name: maybe(text),
  customer_email: maybe(text),
  customer_phone: maybe(text),
  success_url: maybe(text),
  cancel_url: maybe(text),
  metadata: maybe(metadata),
};
export type StoredRequest = Static<TObject<typeof REQUEST_FIELDS>>;

export function decodeRequest(
  stored: StoredRequest,
  paymentMethod = stored.payment_method,
  expiresInS: number | null | undefined,
): PaymentRequest {
  return {
    amountMinor: parseDigits(stored.amount),
    currency: stored.currency,
    description: stored.description ?? null,
    referenceId: stored.reference_id ?? null,
    paymentMethod: paymentMethod ?? null,
    customerName: stored.customer_name ?? null,
    customerEmail: stored.customer_email ?? null,
    customerPhone: stored.customer_phone ?? null,
    successUrl: stored.success_url ?? null,
    cancelUrl: stored.cancel_url ?? null,
    metadata: stored.metadata ?? {},
    expiresInS: expiresInS ?? null,
  };
}
