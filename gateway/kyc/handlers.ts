// KYC: documents first, then a submission that names them, then an administrator decides. What was rejected can be
// submitted again.
//
//   UNVERIFIED ──submit──▶ PENDING ──▶ APPROVED ◀──▶ SUSPENDED
//        REJECTED ──submit──▲    └───▶ REJECTED
import { makeId } from '#actors/core/ids.js';
import { findFreeTextError } from '#actors/core/requests/validation.js';
import { sealFile, sealSecret } from '#ops/runtime/sealed-secrets.js';
import { createDocument, MAX_DOCUMENTS, submitKyc } from '#store/postgres/merchants/kyc.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import { generateIdBytes } from '../commands/random-id-bytes.js';
import { type Answer, type ApiError, buildApiError, reply } from '../routing/response.js';
import type { NoParams } from '../routing/request.js';
import type { MerchantRequest } from '../routing/session-route.js';
import { UNVERIFIED } from '../accounts/users.js';
import { buildActor } from '../auth/actor.js';
import { type AccountDeps, queryAccounts } from '../accounts/account-deps.js';
import { findMediaType } from './media-type.js';
import type { SubmitKycRequest, UploadRequest } from './schema.js';
import { readKyc, viewDocument } from './view.js';

const NO_FILE = buildApiError('field_invalid', {
  message: 'content must be a JPEG, PNG or PDF file in base64.',
  param: 'content',
});
const TOO_MANY = buildApiError('state_conflict', {
  message: `There are ${MAX_DOCUMENTS} documents.`,
});
const NO_DOCUMENT = buildApiError('field_invalid', {
  message: 'document_ids holds what is no document of this merchant.',
  param: 'document_ids',
});

/** 200 with the status, the newest submission and the documents. */
export async function showKyc(parts: AccountDeps, { session }: MerchantRequest): Promise<Answer> {
  const [merchant] = await queryAccounts(parts, (sql) => findMerchant(sql, session.merchantId));
  if (merchant === undefined) return buildApiError('session_expired');
  return reply(200, JSON.stringify(await readKyc(parts, merchant)));
}

/** 201; what the file is, is told by its content. */
export async function uploadDocument(
  parts: AccountDeps,
  { session, body }: MerchantRequest<NoParams, UploadRequest>,
): Promise<Answer> {
  if (!session.isVerified) return UNVERIFIED;
  const file = Buffer.from(body.content, 'base64');
  if (file.toString('base64') !== body.content) return NO_FILE;
  const mediaType = findMediaType(file);
  if (mediaType === undefined) return NO_FILE;
  const id = makeId('doc', generateIdBytes());
  const { purpose, filename } = body;
  const content = sealFile(parts.secretsKeys, id, file);
  const { merchantId } = session;
  const document = { id, merchantId, purpose, filename, mediaType, size: file.length, content };
  const [row] = await queryAccounts(parts, (sql) => createDocument(sql, document));
  return row === undefined ? TOO_MANY : reply(201, JSON.stringify(viewDocument(row)));
}

/** 201, and the status is PENDING; 409 while it is, or when the merchant is approved or suspended. */
export async function submitVerification(
  parts: AccountDeps,
  request: MerchantRequest<NoParams, SubmitKycRequest>,
): Promise<Answer> {
  const { session, body } = request;
  const actor = buildActor(request);
  if (!session.isVerified) return UNVERIFIED;
  const fault = checkTexts(body);
  if (fault !== undefined) return fault;
  const { merchantId } = session;
  const { document_ids: documentIds, ...fields } = body;
  const id = makeId('kyc', generateIdBytes());
  const sealedFields = sealSecret(parts.secretsKeys, id, JSON.stringify(fields));
  const submission = { id, merchantId, sealedFields, documentIds };
  const result = await queryAccounts(parts, (sql) => submitKyc(sql, actor, submission));
  if (result === 'documents') return NO_DOCUMENT;
  if (result !== 'done') return buildApiError('state_conflict', { currentStatus: result.status });
  const pending = { id: merchantId, verificationStatus: 'PENDING' };
  return reply(201, JSON.stringify(await readKyc(parts, pending)));
}

/** Free texts only: numbers of taxes, identities and accounts have forms of their own. */
function checkTexts(body: SubmitKycRequest): ApiError | undefined {
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
    const fault = findFreeTextError(text);
    if (fault !== null) return buildApiError(fault, { param });
  }
  return undefined;
}
