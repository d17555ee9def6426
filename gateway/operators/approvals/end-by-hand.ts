// The request that completes, fails or reverses a refund or a payout by hand.
import { type Static, Type } from '@sinclair/typebox';
import { buildLinesSchema, buildTextSchema, closed } from '#gateway/routing/schema-parts.js';

export const ExternalReference = buildTextSchema(
  128,
  'The reference of the transfer that moved the money, as the bank or the rail names it.',
  'TRF-2026-08-02-001',
);

export const EndByHandRequest = Type.Object(
  {
    external_reference: ExternalReference,
    reason: Type.Optional(buildLinesSchema('For the audit log.', 'Rekening nasabah tidak aktif')),
  },
  { ...closed, title: 'EndByHandRequest' },
);
export type EndByHandRequest = Static<typeof EndByHandRequest>;
