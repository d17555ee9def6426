// The list of payment methods.
import { type Static, Type } from '@sinclair/typebox';
import type { Environment } from '../ids.js';
import { formatAmount } from '../money.js';
import { isRefundable, PAYMENT_METHODS, type PaymentMethodId } from '../payment-methods.js';
import { AmountSchema, CurrencySchema, MethodSchema } from './fields.js';

export const PaymentMethodSchema = Type.Object(
  {
    id: MethodSchema,
    object: Type.Literal('payment_method'),
    name: Type.String(),
    kind: Type.Union([Type.Literal('qr'), Type.Literal('virtual_account')]),
    currency: CurrencySchema,
    min_amount: AmountSchema,
    max_amount: AmountSchema,
    default_expires_in: Type.Integer({ description: 'Seconds.' }),
    refundable: Type.Boolean({ description: 'false: an administrator pays refunds back.' }),
  },
  { title: 'PaymentMethod', description: 'A way for customers to pay.' },
);
export type PaymentMethodBody = Static<typeof PaymentMethodSchema>;

export function viewPaymentMethod(
  id: PaymentMethodId,
  environment: Environment,
): PaymentMethodBody {
  const method = PAYMENT_METHODS[id];
  return {
    id,
    object: 'payment_method',
    name: method.name,
    kind: method.kind,
    currency: method.currency,
    min_amount: formatAmount(method.minAmountMinor),
    max_amount: formatAmount(method.maxAmountMinor),
    default_expires_in: method.defaultExpiresInS,
    refundable: isRefundable(id, environment),
  };
}
