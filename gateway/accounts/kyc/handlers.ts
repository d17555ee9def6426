// KYC: the merchant uploads documents, then submits its data with their ids; then an administrator decides. A
// rejected merchant can submit again.
//
//   UNVERIFIED ──submit──▶ PENDING ──▶ APPROVED ◀──▶ SUSPENDED
//        REJECTED ──submit──▲    └───▶ REJECTED
import { makeId } from '#actors/core/ids.js';
import { sealSecret } from '#ops/runtime/sealed-secrets.js';
import { submitKyc } from '#store/postgres/merchants/kyc.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import type { NoParams } from '#gateway/routing/request.js';
import { UNVERIFIED, type MerchantRequest } from '#gateway/routing/session-route.js';
import { buildActor } from '#gateway/auth/actor.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import type { SubmitKycRequest } from './schema.js';
import { readKyc } from './view.js';

const NO_DOCUMENT = buildApiError('field_invalid', {
  message: 'document_ids must hold only ids of documents that this merchant uploaded.',
  param: 'document_ids',
});

/** Returns 200 with the status, the newest submission and the documents. */
export async function showKyc(deps: AccountDeps, { session }: MerchantRequest): Promise<Answer> {
  const [merchant] = await findMerchant(deps.accounts, session.merchantId);
  if (merchant === undefined) return buildApiError('session_expired');
  return reply(200, JSON.stringify(await readKyc(deps, merchant)));
}

/** Returns 201 with status PENDING, or 409 if the merchant is already pending, approved or suspended. */
export async function submitVerification(
  deps: AccountDeps,
  request: MerchantRequest<NoParams, SubmitKycRequest>,
): Promise<Answer> {
  const { session, body } = request;
  const actor = buildActor(request);
  if (!session.isVerified) return UNVERIFIED;
  const { merchantId } = session;
  const { document_ids: documentIds, ...fields } = body;
  const id = makeId('kyc', generateIdBytes());
  const sealedFields = sealSecret(deps.secretsKeys, id, JSON.stringify(fields));
  const submission = { id, merchantId, sealedFields, documentIds };
  const result = await submitKyc(deps.accounts, actor, submission);
  if (result === 'documents') return NO_DOCUMENT;
  if (result !== 'done') {
    return buildApiError('state_conflict', {
      currentStatus: result.status,
      requiredStatus: 'UNVERIFIED or REJECTED',
    });
  }
  const pending = { id: merchantId, verificationStatus: 'PENDING' };
  return reply(201, JSON.stringify(await readKyc(deps, pending)));
}
