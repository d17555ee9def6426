// Merchants as administrators see them: pending verifications, documents, decisions and LIVE. Withdrawing LIVE takes
// effect on every gateway within a second (auth/credentials.ts).
import type { DocumentId, MerchantId } from '#actors/core/ids.js';
import { openFile } from '#ops/runtime/sealed-secrets.js';
import type { Actor } from '#store/postgres/operations/audit.js';
import {
  decideVerification,
  type Decision,
  type DecisionResult,
  listMerchants,
  setLive as storeLive,
} from '#store/postgres/merchants/verification.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import { type DocumentPart, loadDocument } from '#store/postgres/merchants/kyc.js';
import { findStorefront } from '#store/postgres/merchants/settings.js';
import { readPage, writePage } from '#gateway/lists/page.js';
import {
  type Answer,
  type ApiError,
  buildApiError,
  reply,
  replyAs,
} from '#gateway/routing/response.js';
import type { NoParams, SessionRequest } from '#gateway/routing/request.js';
import { viewMerchant } from '#gateway/accounts/users/view.js';
import { buildActor } from '#gateway/auth/actor.js';
import { findExtension } from '#gateway/accounts/kyc/media-type.js';
import { readKyc } from '#gateway/accounts/kyc/view.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { leadsSomewhere } from '#gateway/mail/merchant-name.js';
import {
  FLAGGED_NAMES,
  type FlaggedName,
  type LiveRequest,
  type MerchantsQuery,
  type VerificationRequest,
} from './schema.js';

type MerchantParams = { readonly merchant_id: MerchantId };
type DocumentParams = MerchantParams & { readonly document_id: DocumentId };

/** The scope of cursors: this list spans all merchants. */
const SCOPE = { list: 'merchants', merchantId: 'all', environment: 'all' } as const;

/** Returns 200 with a page, newest first. */
export async function showMerchants(
  deps: AccountDeps,
  { query }: SessionRequest<NoParams, undefined, MerchantsQuery>,
): Promise<Answer> {
  const page = readPage(SCOPE, query);
  if ('code' in page) return page;
  const { status = null, search = null } = query;
  const filter = { status, search, ids: query.ids?.split(',') ?? null };
  const found = await deps.readList(SCOPE.merchantId, (sql) => listMerchants(sql, filter, page));
  const body = writePage(SCOPE, page.limit, found, (row) => JSON.stringify(viewMerchant(row)));
  return reply(200, body);
}

/** Returns 200 with the merchant, its newest submission and its documents. */
export async function showMerchant(
  deps: AccountDeps,
  { params }: Pick<SessionRequest<MerchantParams>, 'params'>,
): Promise<Answer> {
  const [merchant] = await findMerchant(deps.accounts, params.merchant_id);
  if (merchant === undefined) return buildApiError('merchant_not_found');
  const displayName = (await findStorefront(deps.accounts, merchant.id))?.displayName ?? null;
  const details = {
    merchant: viewMerchant(merchant),
    display_name: displayName,
    flagged_names: listFlaggedNames({
      business_name: merchant.businessName,
      display_name: displayName,
    }),
    kyc: await readKyc(deps, merchant),
  };
  return reply(200, JSON.stringify(details));
}

const listFlaggedNames = (names: Readonly<Record<FlaggedName, string | null>>): FlaggedName[] =>
  FLAGGED_NAMES.filter((field) => leadsSomewhere(names[field] ?? ''));

/** Returns 200 with the file as an attachment, so that a browser never renders an uploaded file on this origin. */
export async function downloadDocument(
  deps: AccountDeps,
  { params }: SessionRequest<DocumentParams>,
): Promise<Answer> {
  const { merchant_id: merchantId, document_id: id } = params;
  const document = await loadDocument(deps.accounts, merchantId, id);
  if (document === undefined) return buildApiError('document_not_found');
  const { mediaType, parts } = document;
  const open = (part: DocumentPart): Buffer => openFile(deps.secretsKeys, part.id, part.content);
  return replyAs(mediaType, 200, Buffer.concat(parts.map(open)), [
    ['Content-Disposition', `attachment; filename="${id}.${findExtension(mediaType)}"`],
    ['Content-Security-Policy', "sandbox; default-src 'none'"],
  ]);
}

/** Returns 200 with the merchant. The decision writes a notice (functions/merchants.sql), unless it is a suspension. */
export async function decideMerchant(
  deps: AccountDeps,
  request: SessionRequest<MerchantParams, VerificationRequest>,
): Promise<Answer> {
  const { params, body } = request;
  const actor = buildActor(request);
  const { status, reason = null, field_reasons: fieldReasons } = body;
  if (status !== 'APPROVED' && reason === null) {
    return buildApiError('field_invalid', {
      message: 'reason is required unless status is APPROVED.',
      param: 'reason',
    });
  }
  const decision: Decision = {
    merchantId: params.merchant_id,
    status,
    reason,
    fieldReasons: fieldReasons === undefined ? null : JSON.stringify(fieldReasons),
  };
  const stored = await decideVerification(deps.accounts, actor, decision);
  const error = checkResult(stored, REQUIRED_STATUSES[status]);
  if (error !== undefined) return error;
  deps.nudgeMailer();
  return showMerchant(deps, request);
}

/** Returns 200 with the merchant, or 409 if it is not approved. */
export async function setLive(
  deps: AccountDeps,
  request: SessionRequest<MerchantParams, LiveRequest>,
): Promise<Answer> {
  const { params, body } = request;
  const actor: Actor = buildActor(request);
  const id = params.merchant_id;
  const result = await storeLive(deps.accounts, actor, id, body.enabled);
  return checkResult(result, 'APPROVED') ?? showMerchant(deps, request);
}

/** The statuses from which a decision is allowed. */
const REQUIRED_STATUSES = {
  APPROVED: 'PENDING or SUSPENDED',
  REJECTED: 'PENDING',
  SUSPENDED: 'APPROVED',
} as const;

function checkResult(result: DecisionResult, requiredStatus: string): ApiError | undefined {
  if (result === 'done') return undefined;
  if (result === 'missing') return buildApiError('merchant_not_found');
  return buildApiError('state_conflict', { currentStatus: result.status, requiredStatus });
}
