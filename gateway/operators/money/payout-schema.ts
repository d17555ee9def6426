// Payouts of all merchants, as administrators see them: with rails, which merchants never see.
import { type Static, Type } from '@sinclair/typebox';
import { allowNull } from '#actors/core/schemas/fields.js';
import { Payout, PayoutStatusFilter } from '#actors/core/schemas/payout.js';
import { RailSchema, buildIdSchema, closed } from '#gateway/routing/schema-parts.js';
import { PAGE_QUERY } from '#gateway/lists/page.js';
import { EnvironmentFilter, MerchantIdFilter } from '#gateway/lists/filters.js';

export const AdminPayoutsQuery = Type.Object(
  {
    status: Type.Optional(PayoutStatusFilter),
    merchant_id: MerchantIdFilter,
    environment: EnvironmentFilter,
    ...PAGE_QUERY,
  },
  closed,
);
export type AdminPayoutsQuery = Static<typeof AdminPayoutsQuery>;

export const AdminPayout = Type.Object(
  {
    ...Payout.properties,
    merchant_id: buildIdSchema('mer', 'The merchant.'),
    rail: allowNull(RailSchema),
    rail_reference: allowNull(Type.String({ description: "The rail's own id of the payout." })),
    external_reference: allowNull(Type.String()),
    reversal_reference: allowNull(
      Type.String({ description: 'The reference of the transfer that returned the money.' }),
    ),
    unresolved: Type.Boolean({
      description: 'The rail has not reported an outcome for a day: it may be ended by hand.',
    }),
    contradicted: Type.Boolean({
      description:
        'The rail reported the opposite of its status, and no administrator has decided which is true.',
    }),
  },
  { title: 'AdminPayout', description: 'A payout, as operators see it.' },
);
