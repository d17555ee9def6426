// Requests and answers of payment links.
import { type Static, Type } from '@sinclair/typebox';
import { AMOUNT_PATTERN, AMOUNT_REQUIREMENT, CURRENCY_REQUIREMENT } from '#actors/core/money.js';
import {
  AmountSchema,
  CurrencySchema,
  allowNull,
  PAGE_URL_REQUIREMENT,
  TimeSchema,
  URL_NORMALIZED,
} from '#actors/core/schemas/fields.js';
import { MAX_URL_CHARACTERS } from '#actors/core/urls.js';
import { TIME_REQUIREMENT } from '#gateway/lists/filters.js';
import { FORMAT_QUERY } from '#gateway/lists/csv-format.js';
import { PAGE_QUERY } from '#gateway/lists/page.js';
import { EnvironmentChoice, buildIdSchema, closed } from '#gateway/routing/schema-parts.js';

const MAX_USES = 1_000_000;

const Title = Type.String({
  maxLength: 128,
  pattern: '\\S',
  description: 'The heading of the page.',
  errorMessage: 'must be a string of 1 to 128 characters that are not all blank',
  examples: ['Kelas memasak'],
});
const Description = allowNull(Type.String({ maxLength: 500, typedAs: 'lines' }), {
  description: 'Shown below the title.',
  errorMessage: 'must be a string of at most 500 characters, or null',
});
const buildAmountSchema = (description: string) =>
  allowNull(Type.String({ pattern: AMOUNT_PATTERN, examples: ['150000'] }), {
    description,
    errorCode: 'amount_invalid',
    errorMessage: `${AMOUNT_REQUIREMENT}, or null`,
  });
const buildBoundSchema = (description: string) =>
  allowNull(Type.String({ pattern: AMOUNT_PATTERN }), {
    description,
    errorCode: 'amount_invalid',
    errorMessage: `${AMOUNT_REQUIREMENT}, or null`,
  });
const MaxUses = allowNull(Type.Integer({ minimum: 1, maximum: MAX_USES, examples: [100] }), {
  description: 'The largest number of payments; null: no limit. An open payment holds a use.',
  errorMessage: `must be a whole number from 1 to ${MAX_USES}, or null`,
});
const Time = allowNull(Type.String({ maxLength: 40, examples: ['2027-08-02T10:15:30.123Z'] }), {
  description: 'The link takes no payment from this time on: ISO 8601, in the future.',
  errorMessage: `${TIME_REQUIREMENT}, or null`,
});
const SuccessUrl = allowNull(
  Type.String({ maxLength: MAX_URL_CHARACTERS, examples: ['https://toko.example/terima-kasih'] }),
  {
    description:
      'The page that the browser opens after payment: HTTPS, or in TEST also http on a loopback address. ' +
      URL_NORMALIZED,
    errorCode: 'url_invalid',
    errorMessage: `${PAGE_URL_REQUIREMENT}, or null`,
  },
);

const CHANGEABLE = {
  description: Type.Optional(Description),
  max_uses: Type.Optional(MaxUses),
  active: Type.Optional(
    Type.Boolean({
      description: 'A link that is switched off takes no payment. A new link takes payments.',
    }),
  ),
  expires_at: Type.Optional(Time),
  success_url: Type.Optional(SuccessUrl),
};

export const CreateLinkRequest = Type.Object(
  {
    environment: EnvironmentChoice,
    title: Title,
    amount: Type.Optional(buildAmountSchema('Minor units. Null or absent: the customer chooses.')),
    min_amount: Type.Optional(
      buildBoundSchema('The smallest amount that the customer may choose.'),
    ),
    max_amount: Type.Optional(buildBoundSchema('The largest amount that the customer may choose.')),
    currency: Type.Optional(
      Type.String({ description: 'Absent: `IDR`.', errorMessage: CURRENCY_REQUIREMENT }),
    ),
    ...CHANGEABLE,
  },
  { ...closed, title: 'CreatePaymentLinkRequest' },
);
export type CreateLinkRequest = Static<typeof CreateLinkRequest>;

export const ChangeLinkRequest = Type.Object(
  { title: Type.Optional(Title), ...CHANGEABLE },
  { ...closed, title: 'UpdatePaymentLinkRequest' },
);
export type ChangeLinkRequest = Static<typeof ChangeLinkRequest>;

/** Free texts: they are checked for card numbers. */
export const LINK_TEXTS = ['title', 'description'] as const;

export const LinksQuery = Type.Object(
  {
    environment: Type.Optional(EnvironmentChoice),
    active: Type.Optional(
      Type.Boolean({ description: 'Absent: both.', errorMessage: 'must be true or false' }),
    ),
    ...PAGE_QUERY,
    ...FORMAT_QUERY,
  },
  closed,
);
export type LinksQuery = Static<typeof LinksQuery>;

export const PaymentLink = Type.Object(
  {
    id: buildIdSchema('plink', 'The link.'),
    object: Type.Literal('payment_link'),
    environment: Type.String({ enum: ['TEST', 'LIVE'] }),
    url: Type.String({
      description: 'The page where customers pay.',
      examples: ['https://pay.example/pay/5jz8q4m1n7v2c9k3'],
    }),
    title: Type.String({ examples: ['Kelas memasak'] }),
    description: allowNull(Type.String()),
    amount: allowNull(AmountSchema),
    min_amount: allowNull(AmountSchema, {
      description: 'Set when the customer chooses the amount.',
    }),
    max_amount: allowNull(AmountSchema, {
      description: 'Set when the customer chooses the amount.',
    }),
    currency: CurrencySchema,
    max_uses: allowNull(Type.Integer()),
    uses: Type.Integer({
      description: 'Payments that are open or paid, refunded ones among them.',
    }),
    active: Type.Boolean(),
    expires_at: allowNull(TimeSchema),
    success_url: allowNull(Type.String()),
    created_at: TimeSchema,
  },
  {
    title: 'PaymentLink',
    description:
      'A public page that takes payments. A payment that fails, expires or is cancelled releases its use. Its payments ' +
      'have `metadata.payment_link`.',
  },
);
