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

export type NewDocument = Omit<DocumentRow, 'createdAt'> & UploadKey;

export interface DocumentPart {
  /** The parts of a document are in the order of their ids. */
  readonly id: string;
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

/** Has no effect once the document is stored. */
export async function endUpload(
  sql: Postgres,
  { merchantId, requestId }: UploadKey,
): Promise<void> {
  await sql`
    select end_kyc_uploads(array[merchant_id]) from kyc_uploads
     where merchant_id = ${merchantId} and request_id = ${requestId} for update`;
}

const selectColumns = (sql: Postgres) =>
  sql`id, purpose, filename, media_type as "mediaType", size, created_at as "createdAt"`;

/** False if the reservation has expired. */
export async function createPart(
  sql: Postgres,
  { id, merchantId, requestId }: Pick<NewDocument, 'id' | keyof UploadKey>,
  part: DocumentPart,
): Promise<boolean> {
  const rows = await sql`
    insert into kyc_document_parts (id, document_id, merchant_id, content)
    select ${part.id}, ${id}, merchant_id, ${part.content} from kyc_uploads
     where merchant_id = ${merchantId} and request_id = ${requestId} and expires_at > clock_timestamp()
    returning 1`;
  return rows.length === 1;
}

/** Makes a document of its parts, and ends the upload. Empty if its reservation has expired. */
export async function createDocument(sql: Postgres, document: NewDocument): Promise<DocumentRow[]> {
  const { id, merchantId, requestId } = document;
  const { purpose, filename, mediaType, size } = document;
  return sql<DocumentRow[]>`
    with upload as (
      delete from kyc_uploads
       where merchant_id = ${merchantId} and request_id = ${requestId} and expires_at > now()
      returning merchant_id)
    insert into kyc_documents (id, merchant_id, purpose, filename, media_type, size)
    select ${id}, merchant_id, ${purpose}, ${filename}, ${mediaType}, ${size}
      from upload
    returning ${selectColumns(sql)}`;
}

/** Lists documents without their content, oldest first. */
export async function listDocuments(sql: Postgres, merchantId: MerchantId): Promise<DocumentRow[]> {
  return sql<DocumentRow[]>`
    select ${selectColumns(sql)} from kyc_documents
     where merchant_id = ${merchantId} order by created_at, id`;
}

export interface StoredDocument extends DocumentRow {
  readonly parts: readonly DocumentPart[];
}

/** undefined: the merchant has no such document. */
export async function loadDocument(
  sql: Postgres,
  merchantId: MerchantId,
  id: DocumentId,
): Promise<StoredDocument | undefined> {
  const [document] = await sql<DocumentRow[]>`
    select ${selectColumns(sql)} from kyc_documents
     where id = ${id} and merchant_id = ${merchantId}`;
  if (document === undefined) return undefined;
  // A document of before parts is one part, sealed for the document.
  const parts = await sql<DocumentPart[]>`
    select id, content from kyc_documents where id = ${id} and content is not null
    union all
    select id, content from kyc_document_parts where document_id = ${id}
    order by id`;
  return { ...document, parts };
}
