// Admission: decides whether a request may be handled. The order of the checks is part of the contract: credential, LIVE
// gate, the restrictions of the key (addresses, scopes), version, idempotency key; rate limits last, so that only admitted
// requests count. Guesses of sessions alone are limited first.
import type { Credential, Scope } from '#actors/core/api-key.js';
import { isMerchantBlocked } from '#actors/core/rails/live-gate.js';
import type { Limit, WithinLimit } from '../limits/limits.js';
import { createListCache, isListed } from '../routing/client-address.js';
import type { ErrorCode } from '../routing/errors.js';
import type { Head, Session } from '../routing/request.js';
import { type ApiError, buildApiError } from '../routing/response.js';
import type { Route } from '../routing/route.js';
import type { CheckSession } from './check-session.js';
import type { CredentialCache } from './credentials.js';
import { extractKey, extractStrayLiveKey } from './credentials.js';

export const VERSIONS: readonly string[] = ['2026-08-02'];
export const DEFAULT_VERSION = '2026-08-02';

/** Printable ASCII with spaces, at most 255 characters. */
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;
const VERSIONED_PREFIX = '/v1/';
/** Errors of a session that exists. They are found after its look-up, so they cost a query. */
const REFUSES_SESSION: ReadonlySet<ErrorCode> = new Set([
  'session_expired',
  'role_insufficient',
  'version_unknown',
]);

export interface Admitted {
  readonly code: null;
  readonly credential: Credential | undefined;
  /** Session routes only. */
  readonly session?: Session | undefined;
  /** The rate limit that the request counts in; absent: none. */
  readonly within?: WithinLimit;
}
/** An error carries the credential, when it is known, for the API logs. */
export type Admission = Admitted | (ApiError & { readonly credential?: Credential | undefined });
/** Rejects when the store cannot be queried. */
export type Admit = (
  route: Route,
  head: Head,
  address: () => string,
) => Admission | Promise<Admission>;

const OPEN: Admitted = { code: null, credential: undefined };
const UNKNOWN_KEY = buildApiError('credential_invalid');
const LIVE_NOT_ENABLED = buildApiError('live_not_enabled');
const ADDRESS_NOT_ALLOWED = buildApiError('address_not_allowed');
const KEY_REQUIRED = buildApiError('idempotency_key_required', { param: 'Idempotency-Key' });
const KEY_INVALID = buildApiError('idempotency_key_invalid', { param: 'Idempotency-Key' });

/** `checkSession` undefined: there are no session routes. */
export function createAdmission(
  credentials: CredentialCache,
  versionHeader: string,
  checkSession?: CheckSession,
): Admit {
  const findAddressList = createListCache();
  const unknownVersion = buildApiError('version_unknown', {
    message: `${versionHeader} must be one of ${VERSIONS.join(', ')}.`,
    param: versionHeader,
  });

  const checkHeaders = (
    route: Route,
    head: Head,
    credential: Credential | undefined,
  ): Admission => {
    if (hasUnknownVersion(route, head)) return unknownVersion;
    const error = route.isIdempotent ? checkIdempotencyKey(head, credential) : undefined;
    if (error !== undefined) return error;
    return credential === undefined ? OPEN : { code: null, credential };
  };

  const checkKey = (
    route: Route,
    head: Head,
    address: () => string,
    credential: Credential | undefined,
  ): Admission => {
    if (credential === undefined) return UNKNOWN_KEY;
    if (isMerchantBlocked(credential)) return LIVE_NOT_ENABLED;
    const { allowedAddresses: allowed } = credential;
    const isAllowed = allowed.length === 0 || isListed(findAddressList(allowed), address());
    if (!isAllowed) return ADDRESS_NOT_ALLOWED;
    return checkScope(route.scopes, credential) ?? checkHeaders(route, head, credential);
  };

  const admitKey: Admit = (route, head, address) => {
    const extracted = extractKey(head);
    if ('code' in extracted) return extracted;
    const check = (credential: Credential | undefined): Admission =>
      addCredential(checkKey(route, head, address, credential), credential);
    const found = credentials.find(extracted.text);
    return found instanceof Promise ? found.then(check) : check(found);
  };

  const admitSession = async (route: Route, head: Head): Promise<Admission> => {
    const session = await checkSession?.(route, head);
    if (session === undefined) throw new Error(`${route.path} needs a session check, and has none`);
    if ('code' in session) return session;
    const checked = checkHeaders(route, head, undefined);
    return checked.code === null ? { ...checked, session } : checked;
  };

  return (route, head, address) => {
    if (route.auth === 'key') return admitKey(route, head, address);
    if (route.auth === 'session') {
      return checkStrayKey(credentials, { route, head }, () => admitSession(route, head));
    }
    return checkStrayKey(credentials, { route, head }, () => checkHeaders(route, head, undefined));
  };
}

/** The LIVE gate also closes the paths that take no key, when a live key is sent to them. */
function checkStrayKey(
  credentials: CredentialCache,
  { route, head }: { readonly route: Route; readonly head: Head },
  admit: () => Admission | Promise<Admission>,
): Admission | Promise<Admission> {
  const stray = isVersioned(route) ? extractStrayLiveKey(head) : undefined;
  if (stray === undefined) return admit();
  const check = (credential: Credential | undefined): Admission | Promise<Admission> =>
    credential !== undefined && isMerchantBlocked(credential) ? LIVE_NOT_ENABLED : admit();
  const found = credentials.find(stray);
  return found instanceof Promise ? found.then(check, () => admit()) : check(found);
}

const addCredential = (admission: Admission, credential: Credential | undefined): Admission =>
  admission.code === null ? admission : { ...admission, credential };

function hasUnknownVersion(route: Route, head: Head): boolean {
  return head.version !== '' && isVersioned(route) && !VERSIONS.includes(head.version);
}

const isVersioned = (route: Route): boolean => route.path.startsWith(VERSIONED_PREFIX);

function checkScope(needed: readonly Scope[], credential: Credential): ApiError | undefined {
  if (needed.some((scope) => isGranted(scope, credential))) return undefined;
  const message = `This key does not have the scope ${needed.join(' or ')}. Make a key that has it (POST /v1/merchants/me/api-keys).`;
  return buildApiError('scope_insufficient', { message });
}

/** An unrestricted key has each scope except LIVE payouts, which must be granted by name. */
function isGranted(scope: Scope, { scopes, environment }: Credential): boolean {
  if (scopes.length > 0) return scopes.includes(scope);
  return scope !== 'payouts' || environment === 'TEST';
}

function checkIdempotencyKey(head: Head, credential: Credential | undefined): ApiError | undefined {
  if (!head.hasIdempotencyKey) {
    return credential?.environment === 'LIVE' ? KEY_REQUIRED : undefined;
  }
  return IDEMPOTENCY_KEY.test(head.idempotencyKey) ? undefined : KEY_INVALID;
}

/** Adds the rate limit: only admitted requests count against it. */
export function limitAdmission(admit: Admit, limit: Limit | undefined): Admit {
  if (limit === undefined) return admit;
  const count = (
    route: Route,
    head: Head,
    { address, admission }: { address: () => string; admission: Admission },
  ): Admission => {
    if (admission.code !== null || route.limit === undefined) return admission;
    const { credential, session } = admission;
    const within = limit(route.limit, { credential, session, route, path: head.path, address });
    if (within.code !== null) return { ...within, credential };
    return { code: null, credential, session, within };
  };
  const admitAndCount: Admit = (route, head, address) => {
    const admission = admit(route, head, address);
    return admission instanceof Promise
      ? admission.then((settled) => count(route, head, { address, admission: settled }))
      : count(route, head, { address, admission });
  };
  return (route, head, address) =>
    route.auth === 'session' && nameGuess(head) !== ''
      ? limitGuesses(limit, { head, address }, () => admitAndCount(route, head, address))
      : admitAndCount(route, head, address);
}

/** The session that the request names, unchecked, without the ways to write it; empty: none. */
const nameGuess = ({ authorization, sessionCookies }: Head): string =>
  authorization === '' ? sessionCookies.join() : authorization.replace(/^bearer +/i, '');

/**
 * Each request queries its session, so a client that guesses sessions is limited before that. Only a token that is no
 * session is a guess: another user's session behind the same address must not pay for a role, or for an end, of this one.
 */
function limitGuesses(
  limit: Limit,
  { head, address }: { readonly head: Head; readonly address: () => string },
  admit: () => Admission | Promise<Admission>,
): Admission | Promise<Admission> {
  const guess = limit('guess', { path: nameGuess(head), address });
  if (guess.code !== null) return guess;
  const settle = (admission: Admission): Admission => {
    const status = findGuessStatus(admission.code);
    if (status !== undefined) guess.settle?.(status);
    return admission;
  };
  const admission = admit();
  return admission instanceof Promise ? admission.then(settle) : settle(admission);
}

/** 200: a session; 403: a session whose request is refused; 404: none. undefined: the token was not looked up. */
function findGuessStatus(code: ErrorCode | null): number | undefined {
  if (code === null) return 200;
  if (REFUSES_SESSION.has(code)) return 403;
  return code === 'credential_invalid' ? 404 : undefined;
}
