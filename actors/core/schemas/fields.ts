// Fields that several resources have.
import { type SchemaOptions, type TSchema, Type } from '@sinclair/typebox';
import {
  type Environment,
  type OrderId,
  PAYMENT_ID_PATTERN,
  type PaymentId,
  REFUND_ID_PATTERN,
  type RefundId,
} from '../ids.js';
import { type Currency, CURRENCIES } from '../money.js';
import { PAYMENT_METHOD_IDS, type PaymentMethodId } from '../payment-methods.js';

/** `options` are of the whole: what is said of it, and what is wrong with it. */
export const nullable = <T extends TSchema>(schema: T, options: SchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options);

export const PaymentIdSchema = Type.Unsafe<PaymentId>(
  Type.String({
    pattern: PAYMENT_ID_PATTERN,
    description: 'The payment.',
    examples: ['pay_5jz8q4m1n7v2c9k3x6w0t4h8rb'],
  }),
);

export const RefundIdSchema = Type.Unsafe<RefundId>(
  Type.String({
    pattern: REFUND_ID_PATTERN,
    description: 'The refund.',
    examples: ['ref_2m7w1p9d4c8x3k6v0n5j1q7tzh'],
  }),
);

export const OrderIdSchema = Type.Unsafe<OrderId>(
  Type.String({
    pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    description: 'The order that settled, else the latest: a UUID.',
    examples: ['1b4e28ba-2fa1-41d2-883f-0016d3cca427'],
  }),
);

export const EnvironmentSchema = Type.Unsafe<Environment>(
  Type.String({ enum: ['TEST', 'LIVE'], description: 'Fixed by the key that created it.' }),
);

export const AmountSchema = Type.String({
  pattern: '^(0|-?[1-9][0-9]*)$',
  description: 'Minor units; one unit of IDR is one rupiah.',
  examples: ['150000'],
});

export const CurrencySchema = Type.Unsafe<Currency>(
  Type.String({ enum: Object.keys(CURRENCIES), description: 'ISO 4217 code.' }),
);

export const MethodSchema = Type.Unsafe<PaymentMethodId>(
  Type.String({
    enum: [...PAYMENT_METHOD_IDS],
    description: 'VA stands for a bank that the customer picks on the hosted page.',
  }),
);

export const TimeSchema = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  description: 'ISO 8601, UTC, with milliseconds.',
  examples: ['2026-08-02T10:15:30.123Z'],
});

export const MetadataSchema = Type.Unsafe<Readonly<Record<string, string>>>(
  Type.Object({}, { additionalProperties: Type.String(), description: "The merchant's own." }),
);
