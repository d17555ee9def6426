// Fields that administrators' requests and answers about transactions, refunds, payouts and tasks share.
import { type Static, Type } from '@sinclair/typebox';
import { MERCHANT_ID_PATTERN } from '#actors/core/ids.js';
import { closed } from '../accounts/schema.js';

export const MerchantIdFilter = Type.Optional(
  Type.String({
    pattern: MERCHANT_ID_PATTERN,
    errorMessage: 'must be the id of a merchant, such as mer_5jz8q4m1n7v2c9k3x6w0t4h8rb',
  }),
);

export const EnvironmentFilter = Type.Optional(
  Type.Union([Type.Literal('TEST'), Type.Literal('LIVE')], {
    errorMessage: 'must be TEST or LIVE',
  }),
);

/** The names of rails are not listed: everybody can read the OpenAPI description. */
export const RailSchema = Type.String({ description: 'The rail.', examples: ['sandbox'] });

export const buildTextSchema = (maxLength: number, description: string, example: string) =>
  Type.String({ minLength: 1, maxLength, description, examples: [example] });

/** A reason or a note, which may have several lines. */
export const buildLinesSchema = (description: string, example: string) => ({
  ...buildTextSchema(500, description, example),
  typedAs: 'lines',
});

export const ExternalReference = buildTextSchema(
  128,
  'The reference of the transfer that moved the money, as the bank or the rail names it.',
  'TRF-2026-08-02-001',
);

/** A refund or a payout that an administrator completes, fails or reverses by hand. */
export const EndByHandRequest = Type.Object(
  {
    external_reference: ExternalReference,
    reason: Type.Optional(buildLinesSchema('For the audit log.', 'Rekening nasabah tidak aktif')),
  },
  { ...closed, title: 'EndByHandRequest' },
);
export type EndByHandRequest = Static<typeof EndByHandRequest>;
