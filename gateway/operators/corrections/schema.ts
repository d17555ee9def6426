// The request of an administrator who proposes a correction.
import { type Static, Type } from '@sinclair/typebox';
import { CORRECTION_KINDS, type CorrectionKind } from '#actors/core/approvals/kinds.js';
import { MERCHANT_ID_PATTERN, PAYMENT_ID_PATTERN } from '#actors/core/ids.js';
import {
  AMOUNT_PATTERN,
  AMOUNT_REQUIREMENT,
  CURRENCY_CODES,
  CURRENCY_REQUIREMENT,
} from '#actors/core/money.js';
import { PAYMENT_ID_REQUIREMENT } from '#actors/core/schemas/fields.js';
import { buildLinesSchema, buildTextSchema, closed } from '#gateway/routing/schema-parts.js';

const Kind = Type.Unsafe<CorrectionKind>(
  Type.Union(
    CORRECTION_KINDS.map((kind) => Type.Literal(kind)),
    { errorMessage: `must be one of ${CORRECTION_KINDS.join(', ')}` },
  ),
);

const Currency = Type.Union(
  CURRENCY_CODES.map((code) => Type.Literal(code)),
  {
    description: 'Default: `IDR`.',
    errorCode: 'currency_unsupported',
    errorMessage: CURRENCY_REQUIREMENT,
  },
);

export const CorrectionRequest = Type.Object(
  {
    kind: Kind,
    reason: buildLinesSchema('Why; it is stored.', 'Biaya Agustus terpotong dua kali'),
    amount: Type.Optional(
      Type.String({
        pattern: AMOUNT_PATTERN,
        description: 'In minor units. Not with `reversal`, which takes the whole settlement back.',
        errorCode: 'amount_invalid',
        errorMessage: AMOUNT_REQUIREMENT,
        examples: ['15000'],
      }),
    ),
    currency: Type.Optional(Currency),
    merchant_id: Type.Optional(
      Type.String({
        pattern: MERCHANT_ID_PATTERN,
        description: 'With adjustments and reserves: the merchant.',
        errorMessage: 'must be the id of a merchant, such as mer_5jz8q4m1n7v2c9k3x6w0t4h8rb',
      }),
    ),
    reference: Type.Optional(
      buildTextSchema(
        128,
        'With adjustments and reserves: names the cause. One reference moves money once.',
        '2026-08-FEE-REFUND',
      ),
    ),
    payment_id: Type.Optional(
      Type.String({
        pattern: PAYMENT_ID_PATTERN,
        description: 'With bookings of payments: a LIVE payment.',
        errorMessage: PAYMENT_ID_REQUIREMENT,
      }),
    ),
    rail: Type.Optional(
      Type.String({
        pattern: '^[a-z]{1,20}$',
        description: 'With bookings of payments: the rail that has the money.',
        errorMessage: 'must be the name of a rail',
      }),
    ),
    rail_transaction_id: Type.Optional(
      Type.String({
        pattern: '^[!-~]{1,255}$',
        description: "With bookings of payments: the rail's own id of the movement.",
        errorMessage: 'must be 1 to 255 printable ASCII characters without spaces',
        examples: ['tx-2026-08-02-001'],
      }),
    ),
    order_id: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
        description:
          'With `settlement`: the order that was paid; by default the latest at the rail.',
        errorMessage: 'must be an order id, a UUID in small letters',
      }),
    ),
  },
  {
    title: 'ProposeCorrectionRequest',
    ...closed,
    description: 'A correction of a payment or of a balance.',
  },
);
export type CorrectionRequest = Static<typeof CorrectionRequest>;
