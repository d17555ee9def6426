// Merchants for administrators: the queue of verifications, their documents, the decisions, and LIVE. What is
// withdrawn stops on every gateway within a second (auth/credentials.ts).
import type { DocumentId, MerchantId } from '#actors/core/ids.js';
import { openFile } from '#ops/runtime/sealed-secrets.js';
import { writeMail } from '#store/postgres/accounts/mails.js';
import type { Actor } from '#store/postgres/operations/audit.js';
import {
  decideVerification,
  type Decision,
  type DecisionResult,
  listMerchants,
  listOwners,
  setLive as storeLive,
} from '#store/postgres/merchants/verification.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import { loadDocument } from '#store/postgres/merchants/kyc.js';
import { readPage, writePage } from '../lists/page.js';
import { type Answer, type ApiError, buildApiError, reply, replyAs } from '../routing/response.js';
import type { NoParams, SessionRequest } from '../routing/request.js';
import { viewMerchant } from '../accounts/view.js';
import { buildActor } from '../auth/actor.js';
import { findExtension } from '../kyc/media-type.js';
import { readKyc } from '../kyc/view.js';
import { type AccountDeps, queryAccounts } from '../accounts/account-deps.js';
import type { LiveRequest, MerchantsQuery, VerificationRequest } from './admin-schema.js';

type MerchantParams = { readonly merchant_id: MerchantId };
type DocumentParams = MerchantParams & { readonly document_id: DocumentId };

/** Of cursors: a list of all merchants belongs to none of them. */
const SCOPE = { list: 'merchants', merchantId: 'all', environment: 'all' } as const;

/** 200 with a page, newest first. */
export async function showMerchants(
  parts: AccountDeps,
  { query }: SessionRequest<NoParams, undefined, MerchantsQuery>,
): Promise<Answer> {
  const page = readPage(SCOPE, query);
  if ('code' in page) return page;
  const filter = { status: query.status ?? null, search: query.search ?? null };
  const found = await queryAccounts(parts, (sql) => listMerchants(sql, filter, page));
  const body = writePage(SCOPE, page.limit, found, (row) => JSON.stringify(viewMerchant(row)));
  return reply(200, body);
}

/** 200 with the merchant, its newest submission and its documents. */
export async function showMerchant(
  parts: AccountDeps,
  { params }: Pick<SessionRequest<MerchantParams>, 'params'>,
): Promise<Answer> {
  const [merchant] = await queryAccounts(parts, (sql) => findMerchant(sql, params.merchant_id));
  if (merchant === undefined) return buildApiError('merchant_not_found');
  const kyc = await readKyc(parts, merchant);
  return reply(200, JSON.stringify({ merchant: viewMerchant(merchant), kyc }));
}

/** 200 with the file, to be saved and never to be shown by a browser as a page of ours. */
export async function downloadDocument(
  parts: AccountDeps,
  { params }: SessionRequest<DocumentParams>,
): Promise<Answer> {
  const { merchant_id: merchantId, document_id: id } = params;
  const [row] = await queryAccounts(parts, (sql) => loadDocument(sql, merchantId, id));
  if (row === undefined) return buildApiError('document_not_found');
  const file = openFile(parts.secretsKeys, id, row.content);
  return replyAs(row.mediaType, 200, file, [
    ['Content-Disposition', `attachment; filename="${id}.${findExtension(row.mediaType)}"`],
    ['X-Content-Type-Options', 'nosniff'],
    ['Content-Security-Policy', "sandbox; default-src 'none'"],
  ]);
}

/** 200 with the merchant as it is now; its owners get a mail. */
export async function decideMerchant(
  parts: AccountDeps,
  request: SessionRequest<MerchantParams, VerificationRequest>,
): Promise<Answer> {
  const { params, body } = request;
  const actor = buildActor(request);
  const { status, reason = null, field_reasons: fieldReasons } = body;
  if (status !== 'APPROVED' && reason === null) {
    return buildApiError('field_invalid', { message: 'reason is required.', param: 'reason' });
  }
  const decision: Decision = {
    merchantId: params.merchant_id,
    status,
    reason,
    fieldReasons: fieldReasons === undefined ? null : JSON.stringify(fieldReasons),
  };
  const fault = checkResult(
    await queryAccounts(parts, (sql) => decideVerification(sql, actor, decision)),
  );
  if (fault !== undefined) return fault;
  await notifyOwners(parts, decision);
  return showMerchant(parts, request);
}

async function notifyOwners(parts: AccountDeps, { merchantId, status }: Decision): Promise<void> {
  if (status === 'SUSPENDED') return;
  const kind = status === 'APPROVED' ? 'kyc_approved' : 'kyc_rejected';
  const [merchant] = await queryAccounts(parts, (sql) => findMerchant(sql, merchantId));
  const businessName = merchant?.businessName ?? '';
  for (const { email, language } of await queryAccounts(parts, (sql) =>
    listOwners(sql, merchantId),
  )) {
    const mail = parts.compose({ kind, recipient: email, language, businessName });
    await queryAccounts(parts, (sql) => writeMail(sql, mail));
  }
  parts.nudgeMailer();
}

/** 200 with the merchant as it is now; 409 for one that is not approved. */
export async function setLive(
  parts: AccountDeps,
  request: SessionRequest<MerchantParams, LiveRequest>,
): Promise<Answer> {
  const { params, body } = request;
  const actor: Actor = buildActor(request);
  const id = params.merchant_id;
  const result = await queryAccounts(parts, (sql) => storeLive(sql, actor, id, body.enabled));
  return checkResult(result) ?? showMerchant(parts, request);
}

function checkResult(result: DecisionResult): ApiError | undefined {
  if (result === 'done') return undefined;
  if (result === 'missing') return buildApiError('merchant_not_found');
  return buildApiError('state_conflict', { currentStatus: result.status });
}
