// Request and response schemas of a merchant's settings.
import { type Static, type TBoolean, type TSchema, Type } from '@sinclair/typebox';
import { allowNull, URL_NORMALIZED, URL_REQUIREMENT } from '#actors/core/schemas/fields.js';
import { MAX_URL_CHARACTERS } from '#actors/core/urls.js';
import {
  MERCHANT_NOTICE_KINDS,
  type MerchantNoticeKind,
} from '#store/postgres/accounts/notices.js';
import { EmailSchema } from '../users/schema.js';
import { FactorCodeSchema } from '#gateway/auth/factor-schema.js';
import { closed } from '#gateway/routing/schema-parts.js';

/** With the rest of the body it fits in BODY_LIMIT_BYTES. A longer text is refused before it is decoded. */
const MAX_LOGO_CHARACTERS = 64_000;
/** base64 writes 3 bytes as 4 characters. */
const MAX_LOGO_BYTES = (MAX_LOGO_CHARACTERS / 4) * 3;
export const MAX_LOGO_PX = 1_024;
export const LOGO_REQUIREMENT = `must be a PNG or JPEG file in base64, of at most ${MAX_LOGO_BYTES} bytes`;

const DisplayName = allowNull(
  Type.String({ minLength: 1, maxLength: 100, examples: ['Toko Contoh'] }),
  { description: 'The name that customers see; null: the business name.' },
);
const BrandColour = allowNull(
  Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', examples: ['#0b5cad'] }),
  {
    description:
      'The colour of buttons. Pages keep their text readable with any colour. Null: the colour of the service.',
    errorMessage: 'must be a colour such as #0b5cad, or null',
  },
);
const SupportEmail = allowNull(EmailSchema, {
  errorMessage: 'must be one e-mail address such as halo@toko.example, or null',
});
const SupportPhone = allowNull(
  Type.String({ maxLength: 30, typedAs: 'phone', examples: ['+62 812 3456 7890'] }),
  {
    errorMessage: 'must be a telephone number such as +62 812 3456 7890, or null',
  },
);
const SupportUrl = allowNull(
  Type.String({ maxLength: MAX_URL_CHARACTERS, examples: ['https://toko.example/bantuan'] }),
  {
    description: `An HTTPS page. ${URL_NORMALIZED}`,
    errorCode: 'url_invalid',
    errorMessage: `${URL_REQUIREMENT}, or null`,
  },
);

const NOTICE_TEXTS = {
  endpoint_failing:
    'Every delivery to an endpoint has failed for an hour. To owners and developers.',
  endpoint_disabled: 'An endpoint was switched off. To owners and developers.',
  payment_received: 'A payment was paid. To owners and finance.',
  charged_back: "A customer's bank took money back (a chargeback). To owners and finance.",
  payout_failed: 'A payout failed, or its money came back. To owners and finance.',
  kyc_decided: 'The verification was approved or rejected. To owners and finance.',
} as const satisfies Record<MerchantNoticeKind, string>;

/** Booleans by kind; `wrap` makes them optional in requests. */
const buildNotices = <Schema extends TSchema>(wrap: (schema: TBoolean) => Schema) =>
  mapKinds((kind) => wrap(Type.Boolean({ description: NOTICE_TEXTS[kind] })));

function mapKinds<Value>(
  build: (kind: MerchantNoticeKind) => Value,
): Record<MerchantNoticeKind, Value> {
  const entries = MERCHANT_NOTICE_KINDS.map((kind) => [kind, build(kind)]);
  return Object.fromEntries(entries) as Record<MerchantNoticeKind, Value>;
}

const RECEIPTS = {
  enabled: Type.Boolean({
    description:
      'Whether customers get a receipt by mail once they have paid, if the payment has `customer_email`. ' +
      "In TEST only the merchant's own users get one.",
  }),
  language: Type.Union([Type.Literal('id'), Type.Literal('en')], {
    description: 'The receipt of an invoice has the language of the invoice.',
    errorMessage: 'must be id or en',
  }),
};

export const UpdateSettingsRequest = Type.Object(
  {
    display_name: Type.Optional(DisplayName),
    brand_colour: Type.Optional(BrandColour),
    support_email: Type.Optional(SupportEmail),
    support_phone: Type.Optional(SupportPhone),
    support_url: Type.Optional(SupportUrl),
    notices: Type.Optional(
      Type.Object(
        buildNotices((schema) => Type.Optional(schema)),
        { ...closed, description: 'Mails to users of the merchant. Absent ones stay.' },
      ),
    ),
    receipts: Type.Optional(
      Type.Object(
        {
          enabled: Type.Optional(RECEIPTS.enabled),
          language: Type.Optional(RECEIPTS.language),
        },
        { ...closed, description: 'Absent fields stay.' },
      ),
    ),
    totp_code: Type.Optional({
      ...FactorCodeSchema,
      description:
        'The current code of the authenticator app, or a recovery code. Required to switch off a mail, and for the contact ' +
        'of a merchant that has LIVE.',
    }),
  },
  { ...closed, title: 'UpdateSettingsRequest' },
);
export type UpdateSettingsRequest = Static<typeof UpdateSettingsRequest>;

export const Settings = Type.Object(
  {
    object: Type.Literal('merchant_settings'),
    display_name: DisplayName,
    brand_colour: BrandColour,
    logo_url: allowNull(
      Type.String({ examples: ['https://pay.example/logos/logo_5jz8q4m1n7v2c9k3x6w0t4h8rb'] }),
      { description: 'Each upload has a new address.' },
    ),
    support_email: SupportEmail,
    support_phone: SupportPhone,
    support_url: SupportUrl,
    notices: Type.Object(
      buildNotices((schema) => schema),
      { description: 'Mails to users of the merchant.' },
    ),
    receipts: Type.Object(RECEIPTS, { description: 'Mails to its customers.' }),
  },
  {
    title: 'MerchantSettings',
    description: 'How the merchant appears to its customers, and the mails that are sent for it.',
  },
);

export const SetLogoRequest = Type.Object(
  {
    content: Type.String({
      minLength: 1,
      maxLength: MAX_LOGO_CHARACTERS,
      typedAs: 'anything',
      errorMessage: LOGO_REQUIREMENT,
      description:
        `A PNG or JPEG file in base64: at most ${MAX_LOGO_BYTES} bytes and ` +
        `${MAX_LOGO_PX} × ${MAX_LOGO_PX} pixels.`,
      examples: ['iVBORw0KGgo='],
    }),
  },
  { ...closed, title: 'SetLogoRequest' },
);
export type SetLogoRequest = Static<typeof SetLogoRequest>;
