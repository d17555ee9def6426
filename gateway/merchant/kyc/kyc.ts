// KYC: documents first, then a submission that names them, then an administrator decides. What was rejected can be
// submitted again.
//
//   UNVERIFIED ──submit──▶ PENDING ──▶ APPROVED ◀──▶ SUSPENDED
//        REJECTED ──submit──▲    └───▶ REJECTED
import { newId } from '#actors/core/ids.js';
import { findFreeTextFault } from '#actors/core/requests/validation.js';
import { sealFile, sealSecret } from '#ops/runtime/sealed.js';
import { createDocument, MAX_DOCUMENTS, submitKyc } from '#store/postgres/merchants/kyc.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import { randomIdBytes } from '#gateway/api/random-id-bytes.js';
import { type Answer, type Refusal, refuse, reply } from '#gateway/http/answer.js';
import type { NoParams } from '#gateway/http/request.js';
import type { MerchantRequest } from '#gateway/routes/sessions/session-route.js';
import { UNVERIFIED } from '../accounts/users.js';
import { actorOf } from '../actor.js';
import { type AccountParts, ask } from '../parts.js';
import { findMediaType } from './media-type.js';
import type { SubmitKycRequest, UploadRequest } from './schema.js';
import { readKyc, viewDocument } from './view.js';

const NO_FILE = refuse('field_invalid', {
  message: 'content must be a JPEG, PNG or PDF file in base64.',
  param: 'content',
});
const TOO_MANY = refuse('state_conflict', { message: `There are ${MAX_DOCUMENTS} documents.` });
const NO_DOCUMENT = refuse('field_invalid', {
  message: 'document_ids holds what is no document of this merchant.',
  param: 'document_ids',
});

/** 200 with the status, the newest submission and the documents. */
export async function showKyc(parts: AccountParts, { session }: MerchantRequest): Promise<Answer> {
  const [merchant] = await ask(parts, (sql) => findMerchant(sql, session.merchantId));
  if (merchant === undefined) return refuse('session_expired');
  return reply(200, JSON.stringify(await readKyc(parts, merchant)));
}

/** 201; what the file is, is told by its content. */
export async function uploadDocument(
  parts: AccountParts,
  { session, body }: MerchantRequest<NoParams, UploadRequest>,
): Promise<Answer> {
  if (!session.isVerified) return UNVERIFIED;
  const file = Buffer.from(body.content, 'base64');
  if (file.toString('base64') !== body.content) return NO_FILE;
  const mediaType = findMediaType(file);
  if (mediaType === undefined) return NO_FILE;
  const id = newId('doc', randomIdBytes());
  const { purpose, filename } = body;
  const content = sealFile(parts.secretsKeys, id, file);
  const { merchantId } = session;
  const document = { id, merchantId, purpose, filename, mediaType, size: file.length, content };
  const [row] = await ask(parts, (sql) => createDocument(sql, document));
  return row === undefined ? TOO_MANY : reply(201, JSON.stringify(viewDocument(row)));
}

/** 201, and the status is PENDING; 409 while it is, or when the merchant is approved or suspended. */
export async function submit(
  parts: AccountParts,
  request: MerchantRequest<NoParams, SubmitKycRequest>,
): Promise<Answer> {
  const { session, body } = request;
  const actor = actorOf(request);
  if (!session.isVerified) return UNVERIFIED;
  const fault = findTextFault(body);
  if (fault !== undefined) return fault;
  const { merchantId } = session;
  const { document_ids: documentIds, ...fields } = body;
  const id = newId('kyc', randomIdBytes());
  const sealedFields = sealSecret(parts.secretsKeys, id, JSON.stringify(fields));
  const submission = { id, merchantId, sealedFields, documentIds };
  const result = await ask(parts, (sql) => submitKyc(sql, actor, submission));
  if (result === 'documents') return NO_DOCUMENT;
  if (result !== 'done') return refuse('state_conflict', { currentStatus: result.status });
  const pending = { id: merchantId, verificationStatus: 'PENDING' };
  return reply(201, JSON.stringify(await readKyc(parts, pending)));
}

/** Free texts only: numbers of taxes, identities and accounts have forms of their own. */
function findTextFault(body: SubmitKycRequest): Refusal | undefined {
  const texts: Readonly<Record<string, string>> = {
    legal_name: body.legal_name,
    'address.street': body.address.street,
    'address.city': body.address.city,
    'address.province': body.address.province,
    'bank_account.account_holder': body.bank_account.account_holder,
    'representative.name': body.representative.name,
    'representative.position': body.representative.position,
  };
  for (const [param, text] of Object.entries(texts)) {
    const fault = findFreeTextFault(text);
    if (fault !== null) return refuse(fault, { param });
  }
  return undefined;
}
