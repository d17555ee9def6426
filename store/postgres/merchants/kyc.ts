// KYC submissions and documents of merchants. Their fields and contents are stored sealed.
import type { DocumentId, MerchantId, SubmissionId } from '#actors/core/ids.js';
import { selectActor, type Actor } from '../operations/audit.js';
import type { Postgres } from '../client.js';

export interface NewSubmission {
  readonly id: SubmissionId;
  readonly merchantId: MerchantId;
  /** JSON, sealed for `id`. */
  readonly sealedFields: string;
  readonly documentIds: readonly string[];
}

/** `documents`: a document is not the merchant's. An object: the current status does not allow a submission. */
export type SubmissionResult = 'done' | 'documents' | { readonly status: string };

export async function submitKyc(
  sql: Postgres,
  actor: Actor,
  submission: NewSubmission,
): Promise<SubmissionResult> {
  const { id, merchantId, sealedFields, documentIds } = submission;
  const rows = await sql<{ result: string }[]>`
    with ${selectActor(sql, actor)}
    select submit_kyc(${merchantId}, ${id}, ${sealedFields}, ${[...documentIds]}::text[],
                      ${actor.userId}) as result
      from acting where is_set`;
  const result = rows[0]?.result ?? '';
  return result === 'done' || result === 'documents' ? result : { status: result };
}

export interface SubmissionRow {
  readonly id: SubmissionId;
  readonly sealedFields: string;
  readonly documentIds: readonly string[];
  readonly status: string;
  readonly submittedAt: Date;
  readonly decidedAt: Date | null;
  readonly reason: string | null;
  /** JSON: reasons by field name. */
  readonly fieldReasons: string | null;
}

/** Finds the newest submission; empty if there is none. */
export async function findSubmission(
  sql: Postgres,
  merchantId: MerchantId,
): Promise<SubmissionRow[]> {
  return sql<SubmissionRow[]>`
    select id, fields as "sealedFields", to_json(document_ids) as "documentIds", status,
           submitted_at as "submittedAt", decided_at as "decidedAt", reason,
           field_reasons as "fieldReasons"
      from kyc_submissions where merchant_id = ${merchantId}
     order by submitted_at desc, id desc limit 1`;
}

export interface DocumentRow {
  readonly id: DocumentId;
  readonly purpose: string;
  readonly filename: string;
  readonly mediaType: string;
  readonly size: number;
  readonly createdAt: Date;
}

export interface NewDocument extends Omit<DocumentRow, 'createdAt'> {
  readonly merchantId: MerchantId;
  /** Sealed for `id`. */
  readonly content: Buffer;
}

export const MAX_DOCUMENTS = 40;

const selectColumns = (sql: Postgres) =>
  sql`id, purpose, filename, media_type as "mediaType", size, created_at as "createdAt"`;

/** Empty if the merchant already has MAX_DOCUMENTS. */
export async function createDocument(sql: Postgres, document: NewDocument): Promise<DocumentRow[]> {
  const { id, merchantId, purpose, filename, mediaType, size, content } = document;
  return sql<DocumentRow[]>`
    insert into kyc_documents (id, merchant_id, purpose, filename, media_type, size, content)
    select ${id}, ${merchantId}, ${purpose}, ${filename}, ${mediaType}, ${size}, ${content}
     where (select count(*) from kyc_documents where merchant_id = ${merchantId}) < ${MAX_DOCUMENTS}
    returning ${selectColumns(sql)}`;
}

/** Lists documents without their content, oldest first. */
export async function listDocuments(sql: Postgres, merchantId: MerchantId): Promise<DocumentRow[]> {
  return sql<DocumentRow[]>`
    select ${selectColumns(sql)} from kyc_documents
     where merchant_id = ${merchantId} order by created_at, id`;
}

/** Empty if the merchant has no such document. */
export async function loadDocument(
  sql: Postgres,
  merchantId: MerchantId,
  id: DocumentId,
): Promise<(DocumentRow & { readonly content: Buffer })[]> {
  return sql<(DocumentRow & { readonly content: Buffer })[]>`
    select ${selectColumns(sql)}, content from kyc_documents
     where id = ${id} and merchant_id = ${merchantId}`;
}
