// Creating, listing, rolling and revoking API keys. The secret of a key is only in the answer that creates it. A
// revocation takes effect on every gateway within a second (auth/credentials.ts).
import { randomBytes } from 'node:crypto';
import { API_KEY_RANDOM_BYTES, makeApiKey } from '#actors/core/api-key.js';
import { type Environment, type KeyId, makeId } from '#actors/core/ids.js';
import {
  createKey,
  findKey,
  type KeyRow,
  listKeys,
  MAX_KEYS,
  revokeKey as storeRevocation,
  rollKey as storeRoll,
} from '#store/postgres/merchants/api-keys.js';
import { createAddressList } from '#gateway/routing/client-address.js';
import { readPage, writePage } from '#gateway/lists/page.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import type { NoParams } from '#gateway/routing/request.js';
import { UNVERIFIED, type MerchantRequest } from '#gateway/routing/session-route.js';
import { buildActor } from '#gateway/auth/actor.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { buildStepUp } from '#gateway/auth/step-up.js';
import { checkKeyRights, composeKeyMails, composeRevocationMails } from './key-rights.js';
import {
  type CreateKeyRequest,
  DEFAULT_OVERLAP_S,
  type KeysQuery,
  type RollKeyRequest,
} from './schema.js';

const CIDR = /^[0-9a-fA-F.:]+(\/[0-9]{1,3})?$/;
const TOO_MANY = buildApiError('state_conflict', {
  message: `The merchant already has ${MAX_KEYS} active keys. Revoke one first.`,
});
const ALREADY_ENDING = buildApiError('state_conflict', {
  message: 'This key was already rolled or revoked.',
});

type KeyParams = { readonly api_key_id: KeyId };

const makeSecret = (environment: Environment): string =>
  makeApiKey(environment, randomBytes(API_KEY_RANDOM_BYTES));

/** Returns 200 with a page of the active keys and those revoked within 30 days, newest first. */
export async function showKeys(
  deps: AccountDeps,
  { session, query }: MerchantRequest<NoParams, undefined, KeysQuery>,
): Promise<Answer> {
  const { merchantId } = session;
  const { environment = 'all' } = query;
  const scope = { list: 'api_keys', merchantId, environment } as const;
  const page = readPage(scope, query);
  if ('code' in page) return page;
  const filter = { merchantId, environment: query.environment ?? null };
  const found = await deps.readList(merchantId, (sql) => listKeys(sql, filter, page));
  const write = (row: KeyRow): string => JSON.stringify(viewKey(row, deps.nowMs()));
  return reply(200, writePage(scope, page.limit, found, write));
}

/** Returns 201 with the secret. */
export async function makeKey(
  deps: AccountDeps,
  request: MerchantRequest<NoParams, CreateKeyRequest>,
): Promise<Answer> {
  const { session, body } = request;
  const maker = buildStepUp(request);
  const actor = buildActor(request);
  const { environment, name = null, scopes = [], allowed_addresses: addresses = [] } = body;
  if (environment === 'LIVE' && !session.isVerified) return UNVERIFIED;
  const hasWrongAddress = addresses.some((range) => !isAddressRange(range));
  if (hasWrongAddress) {
    const message = 'allowed_addresses must hold only IP addresses and CIDR ranges.';
    return buildApiError('field_invalid', { message, param: 'allowed_addresses' });
  }
  const error = await checkKeyRights(deps, maker, { environment, scopes });
  if (error !== undefined) return error;
  const { merchantId } = session;
  const secret = makeSecret(environment);
  const rights = { id: makeId('key', generateIdBytes()), environment, scopes };
  const mails = await composeKeyMails(deps, maker, rights);
  const key = { ...rights, merchantId, name, secret, allowedAddresses: addresses, mails };
  const [row] = await createKey(deps.accounts, actor, key);
  return row === undefined ? TOO_MANY : answerNew(deps, row, secret);
}

/** Returns 201 with the new secret; the old key works until the overlap ends. */
export async function rollKey(
  deps: AccountDeps,
  request: MerchantRequest<KeyParams, RollKeyRequest>,
): Promise<Answer> {
  const { session, params, body } = request;
  const maker = buildStepUp(request);
  const actor = buildActor(request);
  const { merchantId } = session;
  const id = params.api_key_id;
  const [old] = await findKey(deps.accounts, merchantId, id);
  if (old === undefined) return buildApiError('api_key_not_found');
  if (old.revokedAt !== null) return ALREADY_ENDING;
  const error = await checkKeyRights(deps, maker, old);
  if (error !== undefined) return error;
  const secret = makeSecret(old.environment);
  const newId = makeId('key', generateIdBytes());
  const mails = await composeKeyMails(deps, maker, { ...old, id: newId });
  const successor = { id: newId, secret, mails };
  const overlapSeconds = body.overlap_seconds ?? DEFAULT_OVERLAP_S;
  const roll = { merchantId, id, overlapSeconds, successor };
  const [row] = await storeRoll(deps.accounts, actor, roll);
  return row === undefined ? ALREADY_ENDING : answerNew(deps, row, secret);
}

/** Returns 204, also for a key that was already revoked. */
export async function revokeKey(
  deps: AccountDeps,
  request: MerchantRequest<KeyParams>,
): Promise<Answer> {
  const actor = buildActor(request);
  const { session } = request;
  const { merchantId } = session;
  const maker = { session, address: actor.address };
  const id = request.params.api_key_id;
  const [found] = await findKey(deps.accounts, merchantId, id);
  if (found === undefined) return buildApiError('api_key_not_found');
  const mails = await composeRevocationMails(deps, maker, found);
  await storeRevocation(deps.accounts, actor, { merchantId, id, mails });
  deps.nudgeMailer();
  return reply(204, '');
}

function answerNew(deps: AccountDeps, row: KeyRow, secret: string): Answer {
  deps.nudgeMailer();
  return reply(201, JSON.stringify({ ...viewKey(row, deps.nowMs()), secret }));
}

function isAddressRange(text: string): boolean {
  if (!CIDR.test(text)) return false;
  try {
    createAddressList([text]);
    return true;
  } catch {
    return false;
  }
}

function viewKey(row: KeyRow, nowMs: number): object {
  return {
    id: row.id,
    object: 'api_key',
    environment: row.environment,
    name: row.name,
    prefix: row.prefix,
    last_four: row.lastFour,
    scopes: row.scopes,
    allowed_addresses: row.allowedAddresses,
    status: findStatus(row, nowMs),
    created_at: row.createdAt.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    revoked_at: row.revokedAt?.toISOString() ?? null,
    made_by: viewMaker(row),
  };
}

function viewMaker({ madeBy: id, madeByEmail: email, isMakerRemoved }: KeyRow): object | null {
  return id === null ? null : { id, email, is_removed: isMakerRemoved };
}

function findStatus({ revokedAt }: KeyRow, nowMs: number): 'active' | 'expiring' | 'revoked' {
  if (revokedAt === null) return 'active';
  return revokedAt.getTime() > nowMs ? 'expiring' : 'revoked';
}
