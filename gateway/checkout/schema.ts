// What browsers and the hosted page say to each other. Source: the API contract, section 6.
import { type Static, Type } from '@sinclair/typebox';
import {
  MethodSchema,
  allowNull,
  PaymentIdSchema,
  TimeSchema,
} from '#actors/core/schemas/fields.js';
import { StatusSchema } from '#actors/core/schemas/payment.js';

export const CheckoutStatus = Type.Object(
  {
    id: PaymentIdSchema,
    object: Type.Literal('checkout_status'),
    status: StatusSchema,
    payment_method: allowNull(MethodSchema),
    expires_at: TimeSchema,
    revision: Type.String({
      description: 'Changes whenever the page has something else to show.',
      examples: ['1-pay'],
    }),
  },
  {
    additionalProperties: false,
    description: 'What a hosted page needs to keep itself up to date. It is no proof of payment.',
  },
);
export type CheckoutStatusBody = Static<typeof CheckoutStatus>;

export const ChooseMethodRequest = Type.Object(
  {
    payment_method: Type.String({
      description: 'One of those that the page offers; VA itself is none.',
      examples: ['QRIS'],
      errorCode: 'payment_method_unavailable',
    }),
  },
  { additionalProperties: false, description: "The customer's choice." },
);
export type ChooseMethodBody = Static<typeof ChooseMethodRequest>;
