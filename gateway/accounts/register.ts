// A new merchant with its owner, and the proof of the owner's address. Whether an address is known already is told
// to its owner by mail, and to nobody else: the answer is the same, as are the steps that lead to it.
import { makeId } from '#actors/core/ids.js';
import { isDuplicate } from '#store/postgres/classify-failure.js';
import { writeMail } from '#store/postgres/accounts/mails.js';
import { choosePassword, verifyAddress } from '#store/postgres/accounts/links.js';
import {
  createAccount,
  findLogin,
  type NewAccount,
  type NewLink,
} from '#store/postgres/accounts/users.js';
import { digestToken, makeLinkToken } from '../auth/tokens.js';
import { generateIdBytes } from '../commands/random-id-bytes.js';
import { type Answer, type ApiError, buildApiError, reply } from '../routing/response.js';
import type { NoParams, OpenRequest } from '../routing/request.js';
import { chooseLanguage } from '../checkout/texts.js';
import { type AccountDeps, queryAccounts } from './account-deps.js';
import type { ChoosePasswordRequest, LinkRequest, RegisterRequest } from './schema.js';
import { viewMerchant, viewUser } from './view.js';

const DAY_MS = 24 * 60 * 60_000;
const VERIFY_MS = 7 * DAY_MS;
export const LINK_INVALID = buildApiError('field_invalid', {
  message: 'token is not of a link that can be used (any more).',
  param: 'token',
});

/** One spelling for each address. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** undefined: it may be chosen. */
export function checkPassword(email: string, password: string): ApiError | undefined {
  if (password.trim().toLowerCase() !== email) return undefined;
  const message = 'password must not be the e-mail address.';
  return buildApiError('field_invalid', { message, param: 'password' });
}

/** A token for a mail, and the link that is stored of it. */
export function makeLink(nowMs: number, lifeMs: number): { token: string; link: NewLink } {
  const { text: token, digest } = makeLinkToken();
  return { token, link: { digest, expiresAt: new Date(nowMs + lifeMs) } };
}

/** 201, whether or not the address is known. */
export async function register(
  parts: AccountDeps,
  request: OpenRequest<NoParams, RegisterRequest>,
): Promise<Answer> {
  const { password, business_name: businessName } = request.body;
  const email = normalizeEmail(request.body.email);
  const refusal = checkPassword(email, password);
  if (refusal !== undefined) return refusal;
  const language = chooseLanguage(request.preferences.acceptLanguage);
  const { token, link } = makeLink(parts.nowMs(), VERIFY_MS);
  const account: NewAccount = {
    merchantId: makeId('mer', generateIdBytes()),
    businessName,
    userId: makeId('usr', generateIdBytes()),
    email,
    language,
    passwordHash: await parts.hasher.hash(password),
    link,
    mail: parts.compose({ kind: 'verify', recipient: email, language, token }),
  };
  if (!(await storeAccount(parts, account))) await notifyOwner(parts, email);
  parts.nudgeMailer();
  return reply(201, JSON.stringify(viewNew(account, parts.nowMs())));
}

/** False: the address is known, perhaps since a moment ago. */
async function storeAccount(parts: AccountDeps, account: NewAccount): Promise<boolean> {
  try {
    return await queryAccounts(parts, (sql) => createAccount(sql, account));
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

async function notifyOwner(parts: AccountDeps, email: string): Promise<void> {
  const [known] = await queryAccounts(parts, (sql) => findLogin(sql, email));
  const language = known?.language ?? 'id';
  const mail = parts.compose({ kind: 'known_address', recipient: email, language });
  await queryAccounts(parts, (sql) => writeMail(sql, mail));
}

/** From what was asked for, and not from what is stored: it tells nothing of a known address. */
function viewNew(account: NewAccount, nowMs: number): object {
  const { merchantId, businessName, userId, email, language } = account;
  const createdAt = new Date(nowMs);
  const merchant = { id: merchantId, businessName, createdAt };
  const user = { id: userId, email, role: 'owner', language, createdAt };
  return {
    merchant: viewMerchant({
      ...merchant,
      verificationStatus: 'UNVERIFIED',
      isLiveEnabled: false,
    }),
    user: viewUser({ ...user, isActive: true, isVerified: false, hasTotp: false }),
  };
}

/** 204, once for each link. */
export async function verifyEmail(
  parts: AccountDeps,
  { body }: OpenRequest<NoParams, LinkRequest>,
): Promise<Answer> {
  const isVerified = await queryAccounts(parts, (sql) =>
    verifyAddress(sql, digestToken(body.token)),
  );
  return isVerified ? reply(204, '') : LINK_INVALID;
}

/** 204; all sessions of the user have ended. */
export async function acceptPassword(
  parts: AccountDeps,
  { body }: OpenRequest<NoParams, ChoosePasswordRequest>,
): Promise<Answer> {
  const passwordHash = await parts.hasher.hash(body.password);
  const digest = digestToken(body.token);
  const [userId] = await queryAccounts(parts, (sql) => choosePassword(sql, digest, passwordHash));
  return userId === undefined ? LINK_INVALID : reply(204, '');
}
