// Refunds of all merchants, as administrators see them: with rails, which merchants never see.
import { type Static, Type } from '@sinclair/typebox';
import { EnvironmentSchema, MethodSchema, allowNull } from '#actors/core/schemas/fields.js';
import { Refund } from '#actors/core/schemas/refund.js';
import { RailSchema, buildIdSchema, closed } from '#gateway/routing/schema-parts.js';
import { PAGE_QUERY } from '#gateway/lists/page.js';
import { EnvironmentFilter, MerchantIdFilter } from '#gateway/lists/filters.js';
import { RefundStatusFilter } from '#gateway/money/refunds/list.js';

export const AdminRefundsQuery = Type.Object(
  {
    status: RefundStatusFilter,
    merchant_id: MerchantIdFilter,
    environment: EnvironmentFilter,
    ...PAGE_QUERY,
  },
  closed,
);
export type AdminRefundsQuery = Static<typeof AdminRefundsQuery>;

export const AdminRefund = Type.Object(
  {
    ...Refund.properties,
    merchant_id: buildIdSchema('mer', 'The merchant.'),
    environment: EnvironmentSchema,
    payment_status: Type.String({ examples: ['paid'] }),
    payment_method: allowNull(MethodSchema),
    rail: allowNull(RailSchema),
    external_reference: allowNull(Type.String()),
    contradicted: Type.Boolean({
      description:
        'It failed, the rail reports it as made, and no administrator has decided which is true.',
    }),
  },
  { title: 'AdminRefund', description: 'A refund, as operators see it.' },
);
