// The fields that a correction of each kind takes.
import type { CorrectionKind } from '#actors/core/approvals/kinds.js';
import { buildParameterError } from '#gateway/lists/page.js';
import type { ApiError } from '#gateway/routing/response.js';
import type { CorrectionRequest } from './schema.js';

type Field = Exclude<keyof CorrectionRequest, 'kind' | 'reason' | 'currency'>;

interface Fields {
  readonly required: readonly Field[];
  readonly optional: readonly Field[];
}

const OF_REFUNDS: Fields = {
  required: ['payment_id', 'rail', 'rail_transaction_id', 'amount'],
  optional: [],
};
const OF_BALANCES: Fields = { required: ['merchant_id', 'amount', 'reference'], optional: [] };

const FIELDS: Readonly<Record<CorrectionKind, Fields>> = {
  settlement: {
    required: ['payment_id', 'rail', 'rail_transaction_id', 'amount'],
    optional: ['order_id'],
  },
  refund: OF_REFUNDS,
  chargeback: OF_REFUNDS,
  reversal: { required: ['payment_id', 'rail', 'rail_transaction_id'], optional: [] },
  adjustment_credit: OF_BALANCES,
  adjustment_debit: OF_BALANCES,
  reserve_hold: OF_BALANCES,
  reserve_release: OF_BALANCES,
};
const ALL: readonly Field[] = [
  'merchant_id',
  'payment_id',
  'rail',
  'rail_transaction_id',
  'order_id',
  'amount',
  'reference',
];

/** Names the first field that is missing, or that the kind does not take. */
export function checkFields(body: CorrectionRequest): ApiError | undefined {
  const { required, optional } = FIELDS[body.kind];
  const missing = required.find((field) => body[field] === undefined);
  if (missing !== undefined) {
    return buildParameterError(missing, `is required with the kind ${body.kind}`);
  }
  const taken = [...required, ...optional];
  const extra = ALL.find((field) => body[field] !== undefined && !taken.includes(field));
  if (extra === undefined) return undefined;
  return buildParameterError(
    extra,
    `is not allowed with the kind ${body.kind}, which takes ${taken.join(', ')}`,
  );
}
