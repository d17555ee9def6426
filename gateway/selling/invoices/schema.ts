// Requests and answers of invoices.
import { type SchemaOptions, type Static, type TSchema, Type } from '@sinclair/typebox';
import { AMOUNT_PATTERN, AMOUNT_REQUIREMENT, CURRENCY_REQUIREMENT } from '#actors/core/money.js';
import {
  AmountSchema,
  CurrencySchema,
  allowNull,
  EMAIL_REQUIREMENT,
  TimeSchema,
} from '#actors/core/schemas/fields.js';
import { TIME_REQUIREMENT } from '#gateway/lists/filters.js';
import { FORMAT_QUERY } from '#gateway/lists/csv-format.js';
import { PAGE_QUERY } from '#gateway/lists/page.js';
import { EnvironmentChoice, buildIdSchema, closed } from '#gateway/routing/schema-parts.js';

const MAX_ITEMS = 100;
const MAX_QUANTITY = 1_000_000;

const buildClearableSchema = <T extends TSchema>(schema: T, options: SchemaOptions) =>
  Type.Optional(allowNull(schema, options));

const ITEM = {
  description: Type.String({
    minLength: 1,
    maxLength: 200,
    errorMessage: 'must be a string of 1 to 200 characters',
    examples: ['Kelas memasak, satu hari'],
  }),
  quantity: Type.Integer({
    minimum: 1,
    maximum: MAX_QUANTITY,
    errorMessage: `must be a whole number from 1 to ${MAX_QUANTITY}`,
    examples: [2],
  }),
};
const Item = Type.Object(
  {
    ...ITEM,
    unit_amount: Type.String({
      pattern: AMOUNT_PATTERN,
      errorCode: 'amount_invalid',
      errorMessage: AMOUNT_REQUIREMENT,
      description: 'The price of one unit, in minor units; `0` for a free item.',
      examples: ['150000'],
    }),
  },
  closed,
);
const Items = Type.Array(Item, { minItems: 1, maxItems: MAX_ITEMS });

const REST = {
  customer_name: buildClearableSchema(Type.String({ maxLength: 128, examples: ['Budi Santoso'] }), {
    errorMessage: 'must be a string of at most 128 characters, or null',
  }),
  customer_email: buildClearableSchema(
    Type.String({ maxLength: 254, examples: ['budi@example.com'] }),
    {
      description:
        'The address that gets a mail when the invoice is finalized. In TEST only users of the merchant get one.',
      errorMessage: `${EMAIL_REQUIREMENT}, or null`,
    },
  ),
  language: Type.Optional(
    Type.Union([Type.Literal('id'), Type.Literal('en')], {
      description: 'The language of the mail to the customer. Absent: `id`.',
      errorMessage: 'must be id or en',
    }),
  ),
  notes: buildClearableSchema(Type.String({ maxLength: 1_000, typedAs: 'lines' }), {
    description: 'Shown below the items.',
    errorMessage: 'must be a string of at most 1000 characters, or null',
  }),
  currency: Type.Optional(
    Type.String({ description: 'Absent: `IDR`.', errorMessage: CURRENCY_REQUIREMENT }),
  ),
  due_at: buildClearableSchema(
    Type.String({ maxLength: 40, examples: ['2027-08-02T10:15:30.123Z'] }),
    {
      description: 'ISO 8601. The invoice can still be paid later.',
      errorMessage: `${TIME_REQUIREMENT}, or null`,
    },
  ),
};

export const CreateInvoiceRequest = Type.Object(
  { environment: EnvironmentChoice, items: Items, ...REST },
  { ...closed, title: 'CreateInvoiceRequest' },
);
export type CreateInvoiceRequest = Static<typeof CreateInvoiceRequest>;

export const ChangeInvoiceRequest = Type.Object(
  { items: Type.Optional(Items), ...REST },
  { ...closed, title: 'UpdateInvoiceRequest' },
);
export type ChangeInvoiceRequest = Static<typeof ChangeInvoiceRequest>;

/** Free texts: they are checked for card numbers. */
export const INVOICE_TEXTS = ['customer_name', 'notes', 'items.description'] as const;

export const InvoicesQuery = Type.Object(
  {
    environment: Type.Optional(EnvironmentChoice),
    status: Type.Optional(
      Type.Union(
        [Type.Literal('draft'), Type.Literal('open'), Type.Literal('paid'), Type.Literal('void')],
        { errorMessage: 'must be draft, open, paid or void' },
      ),
    ),
    number: Type.Optional(
      Type.String({
        pattern: '^INV-[0-9]{6,18}$',
        errorMessage: 'must be a number such as INV-000001',
        examples: ['INV-000001'],
      }),
    ),
    ...PAGE_QUERY,
    ...FORMAT_QUERY,
  },
  closed,
);
export type InvoicesQuery = Static<typeof InvoicesQuery>;

export const Invoice = Type.Object(
  {
    id: buildIdSchema('inv', 'The invoice.'),
    object: Type.Literal('invoice'),
    environment: Type.String({ enum: ['TEST', 'LIVE'] }),
    number: allowNull(
      Type.String({
        description: 'Assigned when it is finalized, without gaps, per environment.',
        examples: ['INV-000001'],
      }),
    ),
    status: Type.String({ enum: ['draft', 'open', 'paid', 'void'] }),
    customer_name: allowNull(Type.String()),
    customer_email: allowNull(Type.String()),
    language: Type.String({ enum: ['id', 'en'] }),
    notes: allowNull(Type.String()),
    currency: CurrencySchema,
    items: Type.Array(Type.Object({ ...ITEM, unit_amount: AmountSchema })),
    total: AmountSchema,
    url: allowNull(
      Type.String({
        description: 'The page where the customer sees and pays it; null for a draft.',
        examples: ['https://pay.example/invoice/inv_5jz8q4m1n7v2c9k3x6w0t4h8rb'],
      }),
    ),
    due_at: allowNull(TimeSchema),
    payment_id: allowNull(Type.String({ description: 'The payment that paid it.' })),
    created_at: TimeSchema,
    finalized_at: allowNull(TimeSchema),
    paid_at: allowNull(TimeSchema),
    voided_at: allowNull(TimeSchema),
    sent_at: allowNull(TimeSchema, { description: 'When it was last mailed to the customer.' }),
    reminded_at: allowNull(TimeSchema, {
      description: 'When a reminder was last mailed to the customer.',
    }),
    mail_note: allowNull(
      Type.String({
        examples: ['This is a TEST invoice, and customer_email is not …'],
      }),
      {
        description:
          'Why `customer_email` gets no mails of this invoice: in TEST only users of the merchant with a verified address ' +
          'do. Null: mails are sent, or there is no address.',
      },
    ),
  },
  {
    title: 'Invoice',
    description:
      'A draft can be changed; an open one can be paid. Its payments have `metadata.invoice` and its number as ' +
      '`reference_id`. If the payment is reversed, the invoice is open again.',
  },
);

const PreviewedMail = Type.Object(
  {
    recipient: Type.String({ examples: ['budi@example.com'] }),
    subject: Type.String({ examples: ['Tagihan INV-000001 dari Toko Contoh'] }),
    body: Type.String({ description: 'Plain text.' }),
  },
  { title: 'InvoicePreviewMail' },
);

export const InvoicePreview = Type.Object(
  {
    object: Type.Literal('invoice_preview'),
    html: Type.String({
      description:
        'The whole page in the language of the invoice, without scripts and with a button that does nothing. Its style ' +
        'sheets and pictures are at paths of this host. Show it in a frame with `sandbox`.',
    }),
    mail: allowNull(PreviewedMail, {
      description:
        'The mail of `finalize` for a draft, and of `send` for an open invoice. Null without `customer_email`, and for ' +
        'an invoice that cannot be sent. It is shown although `mail_note` says that it is not sent.',
    }),
    reminder: allowNull(PreviewedMail, {
      description: 'The mail of `remind`. Null for an invoice that cannot be reminded of.',
    }),
  },
  { title: 'InvoicePreview' },
);
