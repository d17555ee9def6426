// The verification of a merchant, as its owners and administrators see it.
import type { MerchantId } from '#actors/core/ids.js';
import { openSecret } from '#ops/runtime/sealed-secrets.js';
import {
  type DocumentRow,
  findSubmission,
  listDocuments,
  type SubmissionRow,
} from '#store/postgres/merchants/kyc.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';

/** Reads everything except the content of the documents. */
export async function readKyc(
  deps: AccountDeps,
  { id, verificationStatus }: { readonly id: MerchantId; readonly verificationStatus: string },
): Promise<object> {
  const [submission] = await findSubmission(deps.accounts, id);
  const documents = await listDocuments(deps.accounts, id);
  return {
    object: 'kyc',
    verificationStatus,
    submission: submission === undefined ? null : viewSubmission(deps, submission),
    documents: documents.map(viewDocument),
  };
}

function viewSubmission({ secretsKeys }: AccountDeps, row: SubmissionRow): object {
  const fields = JSON.parse(openSecret(secretsKeys, row.id, row.sealedFields)) as object;
  return {
    ...fields,
    document_ids: row.documentIds,
    id: row.id,
    status: row.status,
    submitted_at: row.submittedAt.toISOString(),
    decided_at: row.decidedAt?.toISOString() ?? null,
    reason: row.reason,
    field_reasons: row.fieldReasons === null ? {} : (JSON.parse(row.fieldReasons) as object),
  };
}

export function viewDocument(row: DocumentRow): object {
  return {
    id: row.id,
    object: 'document',
    purpose: row.purpose,
    filename: row.filename,
    media_type: row.mediaType,
    size: row.size,
    created_at: row.createdAt.toISOString(),
  };
}
