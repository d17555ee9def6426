// Requests and answers between a browser and the hosted page.
import { type Static, Type } from '@sinclair/typebox';
import {
  METHOD_REQUIREMENT,
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
      description: 'Changes whenever the content of the page changes.',
      examples: ['1-pay'],
    }),
  },
  {
    description: 'The status that keeps a hosted page up to date. It is no proof of payment.',
  },
);
export type CheckoutStatusBody = Static<typeof CheckoutStatus>;

export const ChooseMethodRequest = Type.Object(
  {
    payment_method: Type.String({
      description: 'A method that the page offers. `VA` is not one: it stands for any bank.',
      examples: ['QRIS'],
      errorCode: 'payment_method_unavailable',
      errorMessage: METHOD_REQUIREMENT,
    }),
  },
  { additionalProperties: false, description: "The customer's choice." },
);
export type ChooseMethodBody = Static<typeof ChooseMethodRequest>;
