// The session of a browser, in a cookie that scripts cannot read. Session routes take it when no credential header is sent;
// key routes never read it. A browser adds a cookie by itself, so a request with it that may change something must also
// name our own origin: another site of the same domain can make the browser send the cookie, but not that header.
import type { ApiError, HeaderPair } from '../routing/response.js';
import { buildApiError } from '../routing/response.js';
import type { Head } from '../routing/request.js';
import { isSessionToken } from './tokens.js';

const SAFE_METHODS = new Set(['GET', 'HEAD']);
/** Cookies of all programs of a host are in one jar, whatever their ports, and many programs name theirs `session`. */
const PLAIN_NAME = 'service_session';
/** The prefix binds the cookie to this host, to https and to the path /. */
const SECURE_PREFIX = '__Host-';
export const NO_COOKIES: readonly string[] = [];

export interface Cookie {
  readonly name: string;
  readonly set: (value: string, lifeMs: number) => HeaderPair;
}

export interface SessionCookie extends Cookie {
  /** Removes the cookie from the browser. */
  readonly clear: HeaderPair;
  /** The token of a request that has at least one cookie of the name. */
  extract(head: Head): { readonly text: string } | ApiError;
}

/** An http address is for development only. Safari keeps no `Secure` cookie of http://localhost, so there is none then. */
export function createCookie(baseUrl: string, plainName: string): Cookie {
  const isSecure = new URL(baseUrl).protocol === 'https:';
  const name = isSecure ? SECURE_PREFIX + plainName : plainName;
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return {
    name,
    set: (value, lifeMs) => [
      'Set-Cookie',
      `${name}=${value}; Max-Age=${Math.floor(lifeMs / 1_000)}; ${attributes}`,
    ],
  };
}

export function createSessionCookie(baseUrl: string): SessionCookie {
  const { origin } = new URL(baseUrl);
  const { name, set } = createCookie(baseUrl, PLAIN_NAME);
  const clear = set('', 0);
  const errors = buildErrors(name, origin);
  return {
    name,
    clear,
    set,
    extract: ({ method, origin: sent, sessionCookies }) => {
      if (!SAFE_METHODS.has(method) && sent !== origin) return errors.origin;
      const [text = '', second] = sessionCookies;
      if (second !== undefined) return errors.two;
      return { text };
    },
  };
}

function buildErrors(name: string, origin: string) {
  return {
    origin: buildApiError('origin_not_allowed', {
      message: `A request with the cookie ${name} that is not GET needs the header Origin: ${origin}.`,
      param: 'Origin',
    }),
    // Not cleared: one of the two may have been planted, and clearing could leave only that one.
    two: buildApiError('credential_mixed', {
      message: `The request has two cookies ${name}. Delete the cookies of this site, and log in again.`,
    }),
  };
}

/** Whether the session of the request is in its cookie. */
export function isByCookie({ authorization, apiKey, sessionCookies }: Head): boolean {
  return authorization === '' && apiKey === '' && sessionCookies.length > 0;
}

/** The session tokens in one header `Cookie`. A cookie of the name with another value belongs to another program. */
export const findSessionTokens = (header: string, name: string): readonly string[] =>
  findCookies(header, name).filter(isSessionToken);

/** The values of the name in one header `Cookie`. */
export function findCookies(header: string, name: string): readonly string[] {
  const start = `${name}=`;
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length));
}
