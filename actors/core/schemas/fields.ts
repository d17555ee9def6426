// The parts that several resources share: fields, pages of a list, the error body.
import { type SchemaOptions, type Static, type TSchema, Type } from '@sinclair/typebox';
import {
  APPROVAL_ID_PATTERN,
  type ApprovalId,
  type Environment,
  ENVIRONMENTS,
  type OrderId,
  PAYMENT_ID_PATTERN,
  type PaymentId,
  REFUND_ID_PATTERN,
  type RefundId,
} from '../ids.js';
import { CURRENCY_CODES, type Currency } from '../money.js';
import { PAYMENT_METHOD_IDS, type PaymentMethodId } from '../payment-methods.js';
import { MAX_URL_CHARACTERS } from '../urls.js';

/** `options` belong to the union, not to `schema`. */
export const allowNull = <T extends TSchema>(schema: T, options: SchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options);

// Each completes the sentence "<field> …" in an error message.
export const EMAIL_REQUIREMENT =
  'must be one e-mail address of at most 254 characters, such as budi@example.com';
export const PHONE_REQUIREMENT =
  'must have 3 to 15 digits and at most 32 characters, with spaces and any of + ( ) . - / among the digits';
export const URL_REQUIREMENT = `must be an https:// URL of at most ${MAX_URL_CHARACTERS} characters, without user information, spaces and control characters`;

export const PAGE_URL_REQUIREMENT =
  `must be an https:// URL, or in TEST an http:// URL of localhost, of at most ${MAX_URL_CHARACTERS} characters, without user ` +
  'information, spaces and control characters';
/** For the description of a field whose URL is stored by `normalizeUrl` (../urls.ts). */
export const URL_NORMALIZED =
  'Stored in the form in which browsers show it: `https://Toko.example` becomes `https://toko.example/`.';

export const PAYMENT_ID_REQUIREMENT =
  'must be the id of a payment, such as pay_5jz8q4m1n7v2c9k3x6w0t4h8rb';
export const METHOD_REQUIREMENT = `must be one of ${PAYMENT_METHOD_IDS.join(', ')} (GET /v1/payment-methods lists what is offered now)`;

export const PaymentIdSchema = Type.Unsafe<PaymentId>(
  Type.String({
    pattern: PAYMENT_ID_PATTERN,
    description: 'The payment.',
    errorMessage: PAYMENT_ID_REQUIREMENT,
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

export const ApprovalIdSchema = Type.Unsafe<ApprovalId>(
  Type.String({ pattern: APPROVAL_ID_PATTERN }),
);

export const OrderIdSchema = Type.Unsafe<OrderId>(
  Type.String({
    pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    description: 'The order that settled, else the latest: a UUID.',
    examples: ['1b4e28ba-2fa1-41d2-883f-0016d3cca427'],
  }),
);

export const EnvironmentSchema = Type.Unsafe<Environment>(
  Type.String({ enum: [...ENVIRONMENTS], description: 'Fixed by the key that created it.' }),
);

export const AmountSchema = Type.String({
  pattern: '^(0|-?[1-9][0-9]*)$',
  description: 'Minor units; one unit of IDR is one rupiah.',
  examples: ['150000'],
});

export const CurrencySchema = Type.Unsafe<Currency>(
  Type.String({ enum: [...CURRENCY_CODES], description: 'ISO 4217 code.' }),
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

/** Newest first. */
export const buildPageSchema = <Item extends TSchema>(item: Item) =>
  Type.Object(
    {
      data: Type.Array(item),
      next_cursor: allowNull(
        Type.String({
          description:
            'For the next page; null: this is the last. A page of a filtered list may hold fewer rows than ' +
            'its limit, even none: only null ends the list.',
        }),
      ),
    },
    { title: `${item.title ?? ''}Page`, description: 'A page of a list.' },
  );

/** A list that is never paged. */
export const buildListSchema = <Item extends TSchema>(item: Item) =>
  Type.Object({ data: Type.Array(item) }, { title: `${item.title ?? ''}List` });

/** The body of every answer of 400 and above. */
export const ErrorSchema = Type.Object(
  {
    error: Type.Object({
      type: Type.String({ description: 'The class of the error.', examples: ['invalid_request'] }),
      code: Type.String({ description: 'What programs look at.', examples: ['amount_invalid'] }),
      message: Type.String({ description: 'What people read.' }),
      param: allowNull(Type.String({ description: 'The field at fault.' })),
      request_id: Type.String({ examples: ['req_…'] }),
      doc_url: Type.String(),
      payment_id: Type.Optional(Type.String({ description: 'The payment that this is about.' })),
      payout_id: Type.Optional(Type.String({ description: 'The payout that this is about.' })),
    }),
  },
  { description: 'An error.' },
);
export type ErrorBody = Static<typeof ErrorSchema>;
