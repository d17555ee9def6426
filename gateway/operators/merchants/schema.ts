// Request and response schemas of administrators. Source: the API contract, section 4.
import { type Static, Type } from '@sinclair/typebox';
import { CHARGEABLE_METHODS, type ChargeableMethod } from '#actors/core/payment-methods.js';
import { allowNull, TimeSchema } from '#actors/core/schemas/fields.js';
import { TIME_REQUIREMENT } from '#gateway/lists/filters.js';
import { PAGE_QUERY } from '#gateway/lists/page.js';
import { Merchant, VERIFICATION_STATUSES } from '#gateway/accounts/users/schema.js';
import { closed } from '#gateway/routing/schema-parts.js';
import { Kyc } from '#gateway/accounts/kyc/schema.js';

const buildTextSchema = (maxLength: number, example: string) =>
  Type.String({ minLength: 1, maxLength, examples: [example] });

/** A page holds as many. */
const MAX_IDS = 100;

export const MerchantsQuery = Type.Object(
  {
    status: Type.Optional(
      Type.Union(
        [
          Type.Literal('UNVERIFIED'),
          Type.Literal('PENDING'),
          Type.Literal('APPROVED'),
          Type.Literal('REJECTED'),
          Type.Literal('SUSPENDED'),
        ],
        { errorMessage: `must be one of ${VERIFICATION_STATUSES.join(', ')}` },
      ),
    ),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 254,
        description: "A part of the business name, or a user's whole e-mail address.",
      }),
    ),
    ids: Type.Optional(
      Type.String({
        pattern: `^mer_[0-9a-z]{26}(,mer_[0-9a-z]{26}){0,${MAX_IDS - 1}}$`,
        description: `Only these merchants: at most ${MAX_IDS} ids with commas between them.`,
        errorMessage: `must be 1 to ${MAX_IDS} ids of merchants with commas between them`,
        examples: ['mer_5jz8q4m1n7v2c9k3x6w0t4h8rb'],
      }),
    ),
    ...PAGE_QUERY,
  },
  closed,
);
export type MerchantsQuery = Static<typeof MerchantsQuery>;

export const FLAGGED_NAMES = ['business_name', 'display_name'] as const;
export type FlaggedName = (typeof FLAGGED_NAMES)[number];

export const MerchantDetails = Type.Object(
  {
    merchant: Merchant,
    display_name: allowNull(Type.String(), {
      description:
        'The name that customers see, if it is not the business name. It needs no approval.',
    }),
    flagged_names: Type.Array(Type.String({ enum: [...FLAGGED_NAMES] }), {
      description:
        'Names with a domain, an address or an `@`. Mails show such a business name once the merchant is approved, and ' +
        'such a display name never.',
    }),
    kyc: Kyc,
  },
  { title: 'MerchantDetails', description: 'A merchant with its verification.' },
);

export const VerificationRequest = Type.Object(
  {
    status: Type.Union(
      [Type.Literal('APPROVED'), Type.Literal('REJECTED'), Type.Literal('SUSPENDED')],
      { errorMessage: 'must be APPROVED, REJECTED or SUSPENDED' },
    ),
    reason: Type.Optional({
      ...buildTextSchema(500, 'Foto KTP tidak terbaca'),
      typedAs: 'lines',
    }),
    field_reasons: Type.Optional(
      Type.Unsafe<Readonly<Record<string, string>>>(
        Type.Record(
          Type.String({ pattern: '^[a-z_.]{1,64}$' }),
          Type.String({ maxLength: 500, typedAs: 'lines' }),
          {
            maxProperties: 30,
            additionalProperties: false,
            description: 'The reason for each field that is wrong.',
            errorMessage:
              'must be an object of at most 30 texts of at most 500 characters, each by the name of its field, such as tax_id',
            examples: [{ tax_id: 'Tidak sesuai dengan dokumen' }],
          },
        ),
      ),
    ),
  },
  { ...closed, title: 'DecideVerificationRequest' },
);
export type VerificationRequest = Static<typeof VerificationRequest>;

export const LiveRequest = Type.Object(
  { enabled: Type.Boolean() },
  { ...closed, title: 'SetLiveRequest' },
);
export type LiveRequest = Static<typeof LiveRequest>;

export const SWITCH_PATTERN =
  '^(live_creates|payouts|rail:[a-z]{1,20}|method:[A-Z_]{1,20}|merchant:mer_[0-9a-z]{26})$';

const SwitchName = Type.String({
  pattern: SWITCH_PATTERN,
  description: '`live_creates`, `payouts`, `rail:…`, `method:…` or `merchant:…`.',
  errorMessage: 'must be live_creates, payouts, rail:…, method:… or merchant:…',
  examples: ['method:QRIS'],
});

export const Switch = Type.Object(
  {
    name: SwitchName,
    enabled: Type.Boolean(),
    changed_at: allowNull(TimeSchema),
    changed_by: allowNull(Type.String(), {
      description:
        'The e-mail address of the administrator who turned it last, or another actor of the audit log. Null: it was never turned.',
    }),
    reason: allowNull(Type.String(), {
      description: 'The reason that was given then. Null: none was given.',
    }),
  },
  {
    title: 'KillSwitch',
    description: 'A kill switch. While it is off, LIVE refuses the operations that it names.',
  },
);

export const SwitchRequest = Type.Object(
  {
    name: SwitchName,
    enabled: Type.Boolean(),
    reason: Type.Optional({
      ...buildTextSchema(500, 'Rail tidak menjawab sejak 10.00'),
      typedAs: 'lines',
      description: 'Why it is turned. Shown with the switch, and kept in the audit log.',
    }),
  },
  { ...closed, title: 'SetSwitchRequest' },
);
export type SwitchRequest = Static<typeof SwitchRequest>;

const buildTimeSchema = (description: string) =>
  Type.Optional(
    Type.String({
      maxLength: 40,
      description,
      errorMessage: TIME_REQUIREMENT,
      examples: ['2026-08-02T10:00:00.000Z'],
    }),
  );

export const AuditQuery = Type.Object(
  {
    actor: Type.Optional(Type.String({ maxLength: 64, description: 'The id of a user.' })),
    target: Type.Optional(
      Type.String({ maxLength: 100, description: 'The id of the changed object.' }),
    ),
    action: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'Entries of this action. They are looked for among a limited number, so a page may be empty although more follow.',
        examples: ['merchants.update'],
      }),
    ),
    from: buildTimeSchema('At this time or later: ISO 8601, or a day in UTC.'),
    to: buildTimeSchema('Before this time.'),
    limit: PAGE_QUERY.limit,
    cursor: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,18}$',
        description: 'The `next_cursor` of the previous page.',
        errorMessage: 'is not a cursor of this list',
        examples: ['120'],
      }),
    ),
  },
  closed,
);
export type AuditQuery = Static<typeof AuditQuery>;

const Changed = allowNull(
  Type.Unsafe<Readonly<Record<string, unknown>>>(
    Type.Object({}, { additionalProperties: true, description: 'The fields that changed.' }),
  ),
);

export const AuditEntry = Type.Object(
  {
    id: Type.String({ examples: ['121'] }),
    at: TimeSchema,
    actor: Type.String({
      description: 'The id of a user, or `database:…` for a change made directly in the database.',
    }),
    email: allowNull(Type.String()),
    address: allowNull(Type.String()),
    action: Type.String({ examples: ['merchants.update'] }),
    target: Type.String(),
    before: Changed,
    after: Changed,
  },
  { title: 'AuditEntry', description: 'An entry of the audit log.' },
);

const OwnRails = Type.Array(
  Type.String({
    pattern: '^[a-z]{1,20}$',
    errorMessage: 'must be the name of a rail, in small letters',
    examples: ['rail'],
  }),
  {
    maxItems: 5,
    description: 'The rails in the order to try them.',
  },
);
const RailedMethod = Type.Unsafe<ChargeableMethod>(
  Type.Union(
    CHARGEABLE_METHODS.map((method) => Type.Literal(method)),
    { errorMessage: `must be one of ${CHARGEABLE_METHODS.join(', ')}` },
  ),
);

export const MerchantRails = Type.Object(
  { payment_method: RailedMethod, rails: OwnRails },
  { title: 'MerchantRails', description: 'The merchant-specific rails for a payment method.' },
);

export const MerchantRailsRequest = Type.Object(
  { payment_method: RailedMethod, rails: OwnRails },
  { ...closed, title: 'SetMerchantRailsRequest' },
);
export type MerchantRailsRequest = Static<typeof MerchantRailsRequest>;
