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

export interface NewDocument extends Omit<DocumentRow, 'createdAt'>, UploadKey {
  /** Sealed for `id`. */
  readonly content: Buffer;
}

export const MAX_DOCUMENTS = 40;
/** Of all documents of a merchant. */
export const MAX_DOCUMENTS_MIB = 100;
/** More than the deadlines of receiving and storing a body together. */
const UPLOAD_LEASE_S = 60;

/** `busy`: another upload is under way. `documents`, `bytes`: the merchant has as many as are allowed. */
export type UploadStart = 'done' | 'busy' | 'documents' | 'bytes';

/** An upload of a merchant, named by its request. */
export interface UploadKey {
  readonly merchantId: MerchantId;
  readonly requestId: string;
}

/** Reserves the one upload that a merchant may have under way, over all gateways. */
export async function beginUpload(
  sql: Postgres,
  { merchantId, requestId }: UploadKey,
  bytes: number,
): Promise<UploadStart> {
  const [row] = await sql<{ result: UploadStart }[]>`
    select begin_kyc_upload(${merchantId}, ${requestId}, ${bytes}, ${MAX_DOCUMENTS},
                            ${MAX_DOCUMENTS_MIB * 1024 * 1024}, ${UPLOAD_LEASE_S}) as result`;
  if (row === undefined) throw new Error('begin_kyc_upload returned no row');
  return row.result;
}

export async function endUpload(
  sql: Postgres,
  { merchantId, requestId }: UploadKey,
): Promise<void> {
  await sql`
    delete from kyc_uploads where merchant_id = ${merchantId} and request_id = ${requestId}`;
}

const selectColumns = (sql: Postgres) =>
  sql`id, purpose, filename, media_type as "mediaType", size, created_at as "createdAt"`;

/** Ends the upload too. Empty if its reservation has expired. */
export async function createDocument(sql: Postgres, document: NewDocument): Promise<DocumentRow[]> {
  const { id, merchantId, requestId } = document;
  const { purpose, filename, mediaType, size, content } = document;
  return sql<DocumentRow[]>`
    with upload as (
      delete from kyc_uploads
       where merchant_id = ${merchantId} and request_id = ${requestId} and expires_at > now()
      returning merchant_id)
    insert into kyc_documents (id, merchant_id, purpose, filename, media_type, size, content)
    select ${id}, merchant_id, ${purpose}, ${filename}, ${mediaType}, ${size}, ${content}
      from upload
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
