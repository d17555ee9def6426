// The payment or payout that a list of deliveries is filtered by: its id, its reference, its amount.
import type { Environment, MerchantId } from '#actors/core/ids.js';
import { removeHidden } from '#actors/core/hidden-characters.js';
import type { Postgres } from '#store/postgres/client.js';
import { findSubjects } from '#store/postgres/webhooks/delivery-subjects.js';
import { checkReference } from '#gateway/lists/filters.js';
import type { ApiError } from '#gateway/routing/response.js';

interface SubjectQuery {
  readonly payment_id?: string;
  readonly payout_id?: string;
  readonly reference_id?: string;
  readonly amount?: string;
}

export interface Subject {
  /** Of a payment or payout. */
  readonly id: string | null;
  readonly referenceId: string | null;
  readonly amount: string | null;
}

export function readSubject(query: SubjectQuery): Subject | ApiError {
  const { amount = null } = query;
  const referenceId = query.reference_id === undefined ? null : removeHidden(query.reference_id);
  const fault = referenceId === null ? null : checkReference(referenceId);
  if (fault !== null) return fault;
  return { id: query.payment_id ?? query.payout_id ?? null, referenceId, amount };
}

interface Among {
  readonly merchantId: MerchantId;
  /** null: both. */
  readonly environment: Environment | null;
}

/** null: all payments and payouts. */
export async function findSubjectIds(
  sql: Postgres,
  among: Among,
  { id, referenceId }: Subject,
): Promise<readonly string[] | null> {
  if (referenceId === null) return id === null ? null : [id];
  const ids = await findSubjects(sql, { ...among, referenceId });
  return id === null ? ids : ids.filter((each) => each === id);
}
