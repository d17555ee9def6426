// The payment resource: its requests and answers. Validation, the OpenAPI document and the types
// follow from these schemas.
import { type Static, Type } from '@sinclair/typebox';
import { AMOUNT_PATTERN, AMOUNT_REQUIREMENT, CURRENCY_REQUIREMENT } from '../money.js';
import { FAILURE_CODES, type FailureCode, SHOWN_STATUSES, type ShownStatus } from '../statuses.js';
import {
  AmountSchema,
  CurrencySchema,
  EnvironmentSchema,
  MetadataSchema,
  METHOD_REQUIREMENT,
  MethodSchema,
  allowNull,
  EMAIL_REQUIREMENT,
  OrderIdSchema,
  PAGE_URL_REQUIREMENT,
  PaymentIdSchema,
  PHONE_REQUIREMENT,
  TimeSchema,
  URL_NORMALIZED,
} from './fields.js';
import { MAX_URL_CHARACTERS } from '../urls.js';

export const MAX_METADATA_KEY_LENGTH = 128;
const MAX_METADATA_ENTRIES = 20;
const MIN_EXPIRES_IN_S = 60;
const MAX_EXPIRES_IN_S = 604_800;

const text = (maxLength: number, description: string, example?: string) =>
  Type.String({
    maxLength,
    description,
    ...(example === undefined ? {} : { examples: [example] }),
  });
const url = (description: string) =>
  Type.String({
    maxLength: MAX_URL_CHARACTERS,
    description: `${description} HTTPS, or in TEST also http on a loopback address, such as \`http://localhost:3000/thanks\`. Without user information. ${URL_NORMALIZED}`,
    errorMessage: PAGE_URL_REQUIREMENT,
  });

/**
 * Lengths count characters (code points). requests/create-payment.ts has the rules that a schema
 * cannot express.
 */
export const CreatePaymentRequest = Type.Object(
  {
    amount: Type.String({
      pattern: AMOUNT_PATTERN,
      description: 'Minor units, digits only; one unit of IDR is one rupiah. Above zero.',
      errorMessage: AMOUNT_REQUIREMENT,
      examples: ['150000'],
    }),
    currency: Type.Optional(
      Type.String({
        description: 'A currency that a payment method takes. Absent: `IDR`.',
        errorMessage: CURRENCY_REQUIREMENT,
        examples: ['IDR'],
      }),
    ),
    description: Type.Optional(text(500, 'Shown to the customer on the hosted page.')),
    reference_id: Type.Optional(text(128, "The merchant's own id of the order.", 'order-1')),
    payment_method: Type.Optional(
      Type.String({
        description: 'An id of the payment methods. Absent: the customer chooses.',
        errorMessage: METHOD_REQUIREMENT,
        examples: ['QRIS'],
      }),
    ),
    customer_name: Type.Optional(text(128, 'Shown on the hosted page.', 'Budi Santoso')),
    customer_email: Type.Optional({
      ...text(254, 'Shown on the hosted page.', 'budi@example.com'),
      errorMessage: EMAIL_REQUIREMENT,
    }),
    customer_phone: Type.Optional({
      ...text(32, 'Shown on the hosted page; at most 15 digits.'),
      errorMessage: PHONE_REQUIREMENT,
    }),
    success_url: Type.Optional(url('Where the browser goes after payment; not a webhook.')),
    cancel_url: Type.Optional(url('Where the browser goes after a cancel.')),
    metadata: Type.Optional(
      Type.Unsafe<Record<string, string>>(
        Type.Object(
          {},
          {
            additionalProperties: text(500, 'A value.'),
            maxProperties: MAX_METADATA_ENTRIES,
            description: `At most ${MAX_METADATA_ENTRIES} texts; names have 1 to ${MAX_METADATA_KEY_LENGTH} characters.`,
          },
        ),
      ),
    ),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: MIN_EXPIRES_IN_S,
        maximum: MAX_EXPIRES_IN_S,
        description:
          "Seconds until it expires. Absent: the payment method's own. LIVE: 400 with the longest possible value when " +
          'the payment method cannot be kept open for so long.',
      }),
    ),
  },
  {
    title: 'CreatePaymentRequest',
    additionalProperties: false,
    description: 'A payment to accept.',
  },
);
export type CreatePaymentBody = Static<typeof CreatePaymentRequest>;

export const StatusSchema = Type.Unsafe<ShownStatus>(Type.String({ enum: [...SHOWN_STATUSES] }));

export const FailureCodeSchema = Type.Unsafe<FailureCode>(
  Type.String({
    enum: [...FAILURE_CODES],
    description: 'Why it failed.',
  }),
);

export const ChargedBackAmountSchema = Type.Optional({
  ...AmountSchema,
  description:
    "The part of `refunded_amount` that the customer's bank took back after a dispute. Absent: none.",
});

export const Payment = Type.Object(
  {
    id: PaymentIdSchema,
    object: Type.Literal('payment'),
    environment: EnvironmentSchema,
    status: StatusSchema,
    amount: AmountSchema,
    currency: CurrencySchema,
    description: allowNull(Type.String()),
    reference_id: allowNull(Type.String()),
    payment_method: allowNull(MethodSchema),
    customer_name: allowNull(Type.String()),
    customer_email: allowNull(Type.String()),
    customer_phone: allowNull(Type.String()),
    success_url: allowNull(Type.String()),
    cancel_url: allowNull(Type.String()),
    checkout_url: Type.String({ description: 'The only address to send the customer to.' }),
    order_id: allowNull(OrderIdSchema),
    refunded_amount: AmountSchema,
    refundable_amount: AmountSchema,
    failure_code: allowNull(FailureCodeSchema),
    late: Type.Boolean({ description: 'Paid after it had failed or been cancelled.' }),
    metadata: MetadataSchema,
    created_at: TimeSchema,
    expires_at: TimeSchema,
    paid_at: allowNull(TimeSchema),
    failed_at: allowNull(TimeSchema),
    cancelled_at: allowNull(TimeSchema),
    refunded_at: allowNull(TimeSchema),
    charged_back_amount: ChargedBackAmountSchema,
  },
  { title: 'Payment', description: 'A payment. `paid` is final proof of payment.' },
);
export type PaymentBody = Static<typeof Payment>;

export const SimulateRequest = Type.Object(
  { outcome: Type.Union([Type.Literal('paid'), Type.Literal('failed')]) },
  {
    title: 'SimulatePaymentRequest',
    additionalProperties: false,
    description: 'What the sandbox rail is to report.',
  },
);
export type SimulateBody = Static<typeof SimulateRequest>;

export const SandboxPayment = Type.Object(
  {
    id: PaymentIdSchema,
    object: Type.Literal('payment'),
    environment: Type.Literal('TEST'),
    status: StatusSchema,
    amount: AmountSchema,
    currency: CurrencySchema,
    description: allowNull(Type.String()),
    payment_method: allowNull(MethodSchema),
    expires_at: TimeSchema,
    paid_at: allowNull(TimeSchema),
  },
  { title: 'SandboxPayment', description: 'The public view of a TEST payment.' },
);
export type SandboxBody = Static<typeof SandboxPayment>;
