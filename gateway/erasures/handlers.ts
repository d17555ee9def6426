// Customers' data are erased on request. What is asked for is written down here and done by the webhooks processes
// (actors/webhooks/maintenance/eraser.ts); nothing of it can be taken back.
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
import { readPage, writePage } from '../lists/page.js';
import { generateIdBytes } from '../commands/random-id-bytes.js';
import { type Answer, type ApiError, buildApiError, reply } from '../routing/response.js';
import type { NoParams } from '../routing/request.js';
import type { MerchantRequest } from '../routing/session-route.js';
import { type AccountDeps, queryAccounts } from '../accounts/account-deps.js';
import type { ErasureBody, EraseRequest, ErasuresQuery } from './schema.js';

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
}

/** 202: it is being looked for. 404 for an id that the merchant has none of, or for the merchant; 400 unless one thing is named. */
export async function requestErasure(
  parts: AccountDeps,
  { actor, merchantId, body }: ErasureInput,
): Promise<Answer> {
  const named = readSubject(body);
  if ('code' in named) return named;
  const { environment, with_reference: withReference = false } = body;
  const sought = { ...named, merchantId, environment };
  const { field } = named;
  const isKnown = await queryAccounts(parts, (sql) => hasSubject(sql, sought));
  if (!isKnown && field in SUBJECT_MISSING)
    return SUBJECT_MISSING[field as keyof typeof SUBJECT_MISSING];
  const id = makeId('era', generateIdBytes());
  const wish = { ...sought, id, withReference };
  const isAsked = await queryAccounts(parts, (sql) => createErasureRequest(sql, actor, wish));
  if (!isAsked) return buildApiError('merchant_not_found');
  const [asked] = await queryAccounts(parts, (sql) => findErasure(sql, { id, merchantId }));
  if (asked === undefined) throw new Error(`the erasure ${id} was not asked for`);
  return reply(202, JSON.stringify(viewErasure(asked)));
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

/** 200; 404 for one of another merchant. */
export async function showErasure(
  parts: AccountDeps,
  key: { readonly id: ErasureId; readonly merchantId: MerchantId },
): Promise<Answer> {
  const [found] = await queryAccounts(parts, (sql) => findErasure(sql, key));
  return found === undefined ? MISSING : reply(200, JSON.stringify(viewErasure(found)));
}

/** 200 with a page, newest first. */
export async function showErasures(
  parts: AccountDeps,
  { session, query }: MerchantRequest<NoParams, undefined, ErasuresQuery>,
): Promise<Answer> {
  const { merchantId } = session;
  const scope = { list: 'erasures', merchantId, environment: 'all' } as const;
  const page = readPage(scope, query);
  if ('code' in page) return page;
  const found = await queryAccounts(parts, (sql) => listErasures(sql, merchantId, page));
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
