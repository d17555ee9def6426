// Registration of a merchant with its owner, and verification of the owner's address. If another user has verified the
// address, only that user learns so, by mail. The answer and the steps that lead to it are the same; the account gets no link
// and no login, and so never becomes the account of the address. Verification needs the link and the password, because a
// stranger can register with any address, and its owner may open the link (docs/decisions/0066-accounts-of-one-address.md).
import { makeId } from '#actors/core/ids.js';
import { isDuplicate } from '#store/postgres/classify-failure.js';
import type { Mail } from '#store/postgres/accounts/mails.js';
import {
  choosePassword,
  createMailedLink,
  findLinkOwner,
  findVerification,
  verifyAddress,
  type UsedLink,
} from '#store/postgres/accounts/one-time-links.js';
import {
  createAccount,
  findLogin,
  type NewAccount,
  type NewLink,
} from '#store/postgres/accounts/users.js';
import { digestToken, makeLinkToken } from '#gateway/auth/tokens.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';
import { type Answer, type ApiError, buildApiError, reply } from '#gateway/routing/response.js';
import type { NoParams, OpenRequest } from '#gateway/routing/request.js';
import { chooseLanguage } from '#gateway/routing/visitor-language.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { noteFailure } from '#gateway/auth/prove-password.js';
import type {
  ChoosePasswordRequest,
  RegisterRequest,
  ResendRequest,
  VerifyRequest,
} from './schema.js';
import { viewMerchant, viewUser } from './view.js';

const DAY_MS = 24 * 60 * 60_000;
const VERIFY_MS = 7 * DAY_MS;
export const LINK_INVALID = buildApiError('field_invalid', {
  message: 'token is wrong, or its link has expired or was already used.',
  param: 'token',
});

const WRONG_PASSWORD = {
  message:
    'password is not the one of the account that this link verifies. If you have forgotten it, request a link to choose another: POST /v1/auth/password-reset.',
  param: 'password',
} as const;

/** Addresses are compared in lower case. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Returns undefined if the password is allowed. */
export function checkPassword(email: string, password: string): ApiError | undefined {
  if (password.trim().toLowerCase() !== email) return undefined;
  const message = 'password must not be the e-mail address.';
  return buildApiError('field_invalid', { message, param: 'password' });
}

/** Makes the token for a mail, and the stored link with the token's digest. */
export function makeLink(nowMs: number, lifeMs: number): { token: string; link: NewLink } {
  const { text: token, digest } = makeLinkToken();
  return { token, link: { digest, expiresAt: new Date(nowMs + lifeMs) } };
}

/** Returns 201, also if another user has the address. */
export async function register(
  deps: AccountDeps,
  request: OpenRequest<NoParams, RegisterRequest>,
): Promise<Answer> {
  const { address } = request;
  const { password, business_name: businessName } = request.body;
  const email = normalizeEmail(request.body.email);
  const error = checkPassword(email, password);
  if (error !== undefined) return error;
  const language = chooseLanguage(request.preferences.acceptLanguage);
  const { token, link } = makeLink(deps.nowMs(), VERIFY_MS);
  const account: NewAccount = {
    merchantId: makeId('mer', generateIdBytes()),
    businessName,
    userId: makeId('usr', generateIdBytes()),
    email,
    language,
    passwordHash: await deps.hasher.hash(password, address),
    link,
    mail: deps.compose({ kind: 'verify', recipient: email, language, token }),
    knownMail: await composeKnown(deps, email, language),
    address,
  };
  await createAccount(deps.accounts, account);
  deps.nudgeMailer();
  return reply(201, JSON.stringify(viewNew(account, deps.nowMs())));
}

/** In the language of the user who has the address, if there is one. */
async function composeKnown(deps: AccountDeps, email: string, otherwise: string): Promise<Mail> {
  const [known] = await findLogin(deps.accounts, email);
  const language = known?.language ?? otherwise;
  return deps.compose({ kind: 'known_address', recipient: email, language });
}

/** Built from the request and not from stored rows, so that it is the same for a registered address. */
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
    user: viewUser({
      ...user,
      isActive: true,
      isVerified: false,
      hasTotp: false,
      passkeys: 0,
      recoveryCodesLeft: 0,
    }),
  };
}

/**
 * Returns 204 before the mail is written, so that neither the answer nor its time reveals whether the address is
 * registered.
 */
export function resendVerification(
  deps: AccountDeps,
  { body, address }: OpenRequest<NoParams, ResendRequest>,
): Answer {
  const email = normalizeEmail(body.email);
  if (deps.throttle.takeVerification(email, address)) {
    deps.background.begin('verification_mail', () => mailAgain(deps, email, address));
  }
  return reply(204, '');
}

/** An address that a user has verified gets no link for another account, as at the registration. */
async function mailAgain(deps: AccountDeps, email: string, address: string): Promise<void> {
  const [user] = await findLogin(deps.accounts, email);
  if (user === undefined || user.isVerified || user.passwordHash === null) return;
  const { token, link } = makeLink(deps.nowMs(), VERIFY_MS);
  const { id: userId, language } = user;
  const mail = deps.compose({ kind: 'verify', recipient: email, language, token });
  await createMailedLink(deps.accounts, { userId, purpose: 'verify', link, mail, address });
  deps.nudgeMailer();
}

/** Returns 204; a link works once. A wrong password counts as a failed login with this link, and leaves it as it is. */
export async function verifyEmail(
  deps: AccountDeps,
  { body, address }: OpenRequest<NoParams, VerifyRequest>,
): Promise<Answer> {
  const used = { digest: digestToken(body.token), address };
  const [owner] = await findVerification(deps.accounts, used.digest);
  const passwordHash = owner?.passwordHash ?? null;
  if (owner === undefined || passwordHash === null) return LINK_INVALID;
  // By the link, which only the mailbox has got: strangers who fail to log in keep its owner from nothing.
  const attempt = deps.throttle.take(owner.email, address, used.digest);
  if (attempt.error !== undefined) return attempt.error;
  if (!(await deps.hasher.verify(passwordHash, body.password, address, used.digest))) {
    noteFailure(deps, owner.id, address);
    return buildApiError('field_invalid', { ...WRONG_PASSWORD, headers: attempt.headers });
  }
  attempt.refund();
  const isVerified = await proveAddress(deps, used, passwordHash);
  return isVerified ? reply(204, '', attempt.headers) : LINK_INVALID;
}

/** Returns false if the link is invalid, or another account has proven the address meanwhile. */
async function proveAddress(
  deps: AccountDeps,
  used: UsedLink,
  checkedHash: string,
): Promise<boolean> {
  try {
    return await verifyAddress(deps.accounts, used, checkedHash);
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/**
 * Returns 204 and ends all sessions of the user; the browser forgets the one in its cookie. The link has proven the mailbox, so
 * the user can log in from this browser next, even while strangers have used up the attempts of the account.
 */
export async function acceptPassword(
  deps: AccountDeps,
  { body, address }: OpenRequest<NoParams, ChoosePasswordRequest>,
): Promise<Answer> {
  const used = { digest: digestToken(body.token), address };
  const [owner] = await findLinkOwner(deps.accounts, used.digest);
  if (owner === undefined) return LINK_INVALID;
  const { email: recipient, language, isInvited } = owner;
  const error = checkPassword(recipient, body.password);
  if (error !== undefined) return error;
  const passwordHash = await deps.hasher.hash(body.password, address, used.digest);
  const mails = isInvited ? [] : [deps.compose({ kind: 'password_changed', recipient, language })];
  const [userId] = await choosePassword(deps.accounts, used, passwordHash, mails);
  if (userId === undefined) return LINK_INVALID;
  deps.nudgeMailer();
  return reply(204, '', [deps.sessionCookie.clear, deps.deviceCookie.set(recipient)]);
}
