// Requests to erase customer data. The request is stored here and carried out by the webhooks process
// (actors/webhooks/followers/eraser.ts). An erasure cannot be undone.
import { type ErasureId, type MerchantId, makeId } from '#actors/core/ids.js';
import type { Actor } from '#store/postgres/operations/audit.js';
import {
  createErasureRequest,
  type Erasure,
  ERASURE_FIELDS,
  findErasure,
  hasSubject,
  listErasures,
  type NewErasure,
} from '#store/postgres/payments/erasure-requests.js';
import { readPage, writePage } from '#gateway/lists/page.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';
import { type Answer, type ApiError, buildApiError, reply } from '#gateway/routing/response.js';
import type { NoParams } from '#gateway/routing/request.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { proveSecondFactor } from '#gateway/auth/step-up.js';
import { buildActor } from '#gateway/auth/actor.js';
import { composeOwnerMails } from '#gateway/mail/owner-mails.js';
import type { ErasureBody, EraseRequest, ErasuresQuery, StepUpEraseRequest } from './schema.js';

const MISSING = buildApiError('erasure_not_found');
const SUBJECT_MISSING = {
  payment_id: buildApiError('payment_not_found'),
  payout_id: buildApiError('payout_not_found'),
  invoice_id: buildApiError('invoice_not_found'),
} as const;

export interface ErasureInput {
  readonly actor: Actor;
  readonly merchantId: MerchantId;
  readonly body: EraseRequest;
  /** The address of the user of the merchant; null: an administrator. */
  readonly maker: string | null;
}

/** As `requestErasure`. A LIVE erasure needs a code of the second factor: it cannot be undone. */
export async function requestOwnErasure(
  deps: AccountDeps,
  request: MerchantRequest<NoParams, StepUpEraseRequest>,
): Promise<Answer> {
  const { session } = request;
  const actor = buildActor(request);
  const { totp_code: code, ...body } = request.body;
  const { merchantId, email: maker } = session;
  return requestErasure(deps, { actor, merchantId, body, maker }, () =>
    proveSecondFactor(deps, { session, address: actor.address, code }),
  );
}

/**
 * Returns 202; 404 if the merchant or the named id does not exist; 400 unless exactly one subject is named. `prove`: asked
 * for LIVE once the rest was checked. The owners get a mail about a LIVE erasure.
 */
export async function requestErasure(
  deps: AccountDeps,
  { actor, merchantId, body, maker }: ErasureInput,
  prove?: () => Promise<ApiError | undefined>,
): Promise<Answer> {
  const subject = readSubject(body);
  if ('code' in subject) return subject;
  const { environment, with_reference: withReference = false } = body;
  const sought = { ...subject, merchantId, environment };
  const { field } = subject;
  const isKnown = await hasSubject(deps.accounts, sought);
  if (!isKnown && field in SUBJECT_MISSING)
    return SUBJECT_MISSING[field as keyof typeof SUBJECT_MISSING];
  const isLive = environment === 'LIVE';
  const unproven = isLive ? await prove?.() : undefined;
  if (unproven !== undefined) return unproven;
  const id = makeId('era', generateIdBytes());
  const protectedChange = {
    ...{ change: 'customer_erased' as const, subject: `${id} (${field})` },
    ...{ maker, address: maker === null ? null : actor.address },
  };
  const mail = { kind: 'protected_change', protectedChange } as const;
  const mails = isLive ? await composeOwnerMails(deps, merchantId, mail) : [];
  const erasure = { ...sought, id, withReference, mails };
  const isCreated = await createErasureRequest(deps.accounts, actor, erasure);
  if (!isCreated) return buildApiError('merchant_not_found');
  deps.nudgeMailer();
  const [created] = await findErasure(deps.accounts, { id, merchantId });
  if (created === undefined) throw new Error(`erasure request ${id} was stored but cannot be read`);
  return reply(202, JSON.stringify(viewErasure(created)));
}

function readSubject(body: EraseRequest): Pick<NewErasure, 'field' | 'sought'> | ApiError {
  const named = ERASURE_FIELDS.flatMap((field) => {
    const sought = body[field];
    return sought === undefined ? [] : [{ field, sought }];
  });
  const [first, ...more] = named;
  if (first !== undefined && more.length === 0) return first;
  return buildApiError('field_invalid', {
    message: `Name exactly one of ${ERASURE_FIELDS.join(', ')}.`,
    param: more[0]?.field ?? 'payment_id',
  });
}

/** Returns 200. Another merchant's id returns 404. */
export async function showErasure(
  deps: AccountDeps,
  key: { readonly id: ErasureId; readonly merchantId: MerchantId },
): Promise<Answer> {
  const [found] = await findErasure(deps.accounts, key);
  return found === undefined ? MISSING : reply(200, JSON.stringify(viewErasure(found)));
}

/** Returns 200 with a page, newest first. */
export async function showErasures(
  deps: AccountDeps,
  { session, query }: MerchantRequest<NoParams, undefined, ErasuresQuery>,
): Promise<Answer> {
  const { merchantId } = session;
  const scope = { list: 'erasures', merchantId, environment: 'all' } as const;
  const page = readPage(scope, query);
  if ('code' in page) return page;
  const found = await deps.readList(merchantId, (sql) => listErasures(sql, merchantId, page));
  const write = (one: Erasure): string => JSON.stringify(viewErasure(one));
  return reply(200, writePage(scope, page.limit, found, write));
}

function viewErasure(erasure: Erasure): ErasureBody {
  const { id, environment, field, withReference, found, erased, createdAt, completedAt } = erasure;
  return {
    id,
    object: 'erasure',
    environment,
    by: field,
    with_reference: withReference,
    status: completedAt === null ? 'pending' : 'completed',
    found,
    erased,
    created_at: createdAt.toISOString(),
    completed_at: completedAt?.toISOString() ?? null,
  };
}
