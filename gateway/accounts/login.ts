// Logging in. Whether an address is known cannot be told from the answer nor from its time: unknown ones are
// checked against a password hash of nobody.
import { newId } from '#actors/core/ids.js';
import { createSession } from '#store/postgres/accounts/sessions.js';
import { findLogin, findUser, type LoginRow } from '#store/postgres/accounts/users.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import { SESSION_MS } from '../auth/sessions.js';
import { makeSessionToken } from '../auth/tokens.js';
import { randomIdBytes } from '../commands/random-id-bytes.js';
import { type Answer, type Refusal, refuse, reply } from '../routing/response.js';
import type { NoParams, OpenRequest } from '../routing/request.js';
import type { Attempt } from '../limits/login-throttle.js';
import { type AccountParts, ask } from './deps.js';
import { normalizeEmail } from './register.js';
import type { LoginRequest } from './schema.js';
import { takeCode } from './totp.js';
import { viewMerchant, viewUser } from './view.js';

/** 200 with a session; 401 login_failed; 429. */
export async function logIn(
  parts: AccountParts,
  request: OpenRequest<NoParams, LoginRequest>,
): Promise<Answer> {
  const { address, body } = request;
  const email = normalizeEmail(body.email);
  const attempt = parts.throttle.take(email, address);
  if (attempt.refusal !== undefined) return attempt.refusal;
  const [user] = await ask(parts, (sql) => findLogin(sql, email));
  const passwordHash = user?.passwordHash ?? null;
  const isRight = await parts.hasher.verify(passwordHash, body.password);
  if (!isRight || user === undefined || passwordHash === null) return failed(attempt);
  const fault = await refuseSecondFactor(parts, user, body.totp_code, attempt);
  if (fault !== undefined) return fault;
  return begin(parts, { user, passwordHash, address, attempt });
}

function failed({ headers }: Attempt): Refusal {
  return refuse('login_failed', { headers });
}

/** undefined: it is right, or none is asked for. */
async function refuseSecondFactor(
  parts: AccountParts,
  { id, totpSecret }: LoginRow,
  code: string | undefined,
  { headers }: Attempt,
): Promise<Refusal | undefined> {
  if (totpSecret === null) return undefined;
  if (code !== undefined && (await takeCode(parts, id, totpSecret, code))) return undefined;
  const message =
    code === undefined
      ? 'The code of the second factor is required.'
      : 'The code of the second factor is wrong, or was used.';
  return refuse('login_failed', { message, param: 'totp_code', headers });
}

interface Beginning {
  readonly user: LoginRow;
  readonly passwordHash: string;
  readonly address: string;
  readonly attempt: Attempt;
}

async function begin(parts: AccountParts, beginning: Beginning): Promise<Answer> {
  const { user, passwordHash, address, attempt } = beginning;
  const { text: token, digest } = makeSessionToken();
  const expiresAt = new Date(parts.nowMs() + SESSION_MS);
  const id = newId('ses', randomIdBytes());
  const session = { id, userId: user.id, digest, address, expiresAt, passwordHash };
  const isBegun = await ask(parts, (sql) => createSession(sql, session));
  const [shown] = await ask(parts, (sql) => findUser(sql, user.id));
  if (!isBegun || shown === undefined) return failed(attempt);
  attempt.giveBack();
  const { merchantId } = user;
  const [merchant] =
    merchantId === null ? [] : await ask(parts, (sql) => findMerchant(sql, merchantId));
  const body = {
    token,
    expires_at: expiresAt.toISOString(),
    user: viewUser(shown),
    merchant: merchant === undefined ? null : viewMerchant(merchant),
  };
  return reply(200, JSON.stringify(body), attempt.headers);
}
