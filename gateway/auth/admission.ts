// Whether a request may be answered by its row: the credential, the LIVE gate, the restrictions of a key, the
// version and the form of the idempotency key, in this order.
import type { Credential, Scope } from '#actors/core/api-key.js';
import { type ApiError, buildApiError } from '../routing/response.js';
import type { Head } from '../routing/request-head.js';
import type { Limit } from '../limits/limits.js';
import type { Route } from '../routing/route.js';
import { createListCache, isListed } from '../routing/client-address.js';
import { type CredentialCache, LookupsFullError } from './credential-cache.js';
import { extractKey, extractStrayLiveKey } from './extract-credential.js';
import type { Session } from '../routing/session.js';
import type { CheckSession } from './check-session.js';

export const VERSIONS: readonly string[] = ['2026-08-02'];
export const DEFAULT_VERSION = '2026-08-02';

/** Printable ASCII, blanks included. */
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;
const VERSIONED_PREFIX = '/v1/';

export interface Admitted {
  readonly code: null;
  readonly credential: Credential | undefined;
  /** Of rows for sessions. */
  readonly session?: Session | undefined;
  /** Header lines that tell of a rate limit, each after a line break; absent: none applies. */
  readonly limitLines?: string;
}
/** A refusal tells whose key it was, where it was somebody's. */
export type Admission = Admitted | (ApiError & { readonly credential?: Credential | undefined });
export type Admit = (
  route: Route,
  head: Head,
  address: () => string,
) => Admission | Promise<Admission>;

const OPEN: Admitted = { code: null, credential: undefined };
const UNKNOWN_KEY = buildApiError('credential_invalid');
const LIVE_NOT_ENABLED = buildApiError('live_not_enabled');
const NO_ADDRESS = buildApiError('address_not_allowed');
const KEY_REQUIRED = buildApiError('idempotency_key_required', { param: 'Idempotency-Key' });
const KEY_INVALID = buildApiError('idempotency_key_invalid', { param: 'Idempotency-Key' });

/** `checkSession` undefined: no row is for sessions. */
export function createAdmission(
  credentials: CredentialCache,
  versionHeader: string,
  checkSession?: CheckSession,
): Admit {
  const listOf = createListCache();
  const unknownVersion = buildApiError('version_unknown', {
    message: `This version does not exist. There is: ${VERSIONS.join(', ')}.`,
    param: versionHeader,
  });

  /** Everything that does not need the credential, or has it. */
  const checkRest = (route: Route, head: Head, credential: Credential | undefined): Admission => {
    if (hasUnknownVersion(route, head)) return unknownVersion;
    const fault = route.isIdempotent ? checkIdempotencyKey(head, credential) : undefined;
    if (fault !== undefined) return fault;
    return credential === undefined ? OPEN : { code: null, credential };
  };

  const checkKey = (
    route: Route,
    head: Head,
    address: () => string,
    credential: Credential | undefined,
  ): Admission => {
    if (credential === undefined) return UNKNOWN_KEY;
    const { environment, isLiveEnabled, allowedAddresses: allowed } = credential;
    if (environment === 'LIVE' && !isLiveEnabled) return LIVE_NOT_ENABLED;
    if (allowed.length > 0 && !isListed(listOf(allowed), address())) return NO_ADDRESS;
    return checkScope(route.scopes, credential) ?? checkRest(route, head, credential);
  };

  const admitKey: Admit = (route, head, address) => {
    const presented = extractKey(head);
    if ('code' in presented) return presented;
    const check = (owner: Credential | undefined): Admission =>
      addOwner(checkKey(route, head, address, owner), owner);
    const found = credentials.find(presented.text);
    return found instanceof Promise ? found.then(check, mapLookupError) : check(found);
  };

  /** A live key that is shut out is shut out of every path, also of those that take no key. */
  const withoutStray = (route: Route, head: Head, admit: () => Admission | Promise<Admission>) => {
    const stray = isVersioned(route) ? extractStrayLiveKey(head) : undefined;
    if (stray === undefined) return admit();
    const check = (found: Credential | undefined): Admission | Promise<Admission> =>
      found?.isLiveEnabled === false ? LIVE_NOT_ENABLED : admit();
    const found = credentials.find(stray);
    return found instanceof Promise ? found.then(check, () => check(undefined)) : check(found);
  };

  const admitSession = async (route: Route, head: Head): Promise<Admission> => {
    const session = await checkSession?.(route, head);
    if (session === undefined) throw new Error('there is a row for sessions, and no check of them');
    if ('code' in session) return session;
    if (hasUnknownVersion(route, head)) return unknownVersion;
    return { code: null, credential: undefined, session };
  };

  return (route, head, address) => {
    if (route.auth === 'key') return admitKey(route, head, address);
    if (route.auth === 'session') {
      return withoutStray(route, head, () => admitSession(route, head));
    }
    return withoutStray(route, head, () => checkRest(route, head, undefined));
  };
}

const addOwner = (admission: Admission, credential: Credential | undefined): Admission =>
  admission.code === null ? admission : { ...admission, credential };

function hasUnknownVersion(route: Route, head: Head): boolean {
  return head.version !== '' && isVersioned(route) && !VERSIONS.includes(head.version);
}

const isVersioned = (route: Route): boolean => route.path.startsWith(VERSIONED_PREFIX);

function checkScope(due: readonly Scope[], credential: Credential): ApiError | undefined {
  if (due.some((scope) => isGranted(scope, credential))) return undefined;
  const message = `This key does not have the scope ${due.join(' or ')}.`;
  return buildApiError('scope_insufficient', { message });
}

/** Payouts of real money are never implied. */
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

function mapLookupError(error: unknown): ApiError {
  return buildApiError(error instanceof LookupsFullError ? 'overloaded' : 'dependency_unavailable');
}

/** Admission that also counts: whoever is admitted, and no others. */
export function limitAdmission(admit: Admit, limit: Limit | undefined): Admit {
  if (limit === undefined) return admit;
  const count = (
    route: Route,
    head: Head,
    { address, admission }: { address: () => string; admission: Admission },
  ): Admission => {
    if (admission.code !== null || route.limit === undefined) return admission;
    const { credential, session } = admission;
    const counted = limit(route.limit, { credential, path: head.path, address });
    if (counted.code !== null) return { ...counted, credential };
    return { code: null, credential, session, limitLines: counted.lines };
  };
  return (route, head, address) => {
    const admission = admit(route, head, address);
    return admission instanceof Promise
      ? admission.then((settled) => count(route, head, { address, admission: settled }))
      : count(route, head, { address, admission });
  };
}
