// The cookie of a browser in which a user has logged in, or has chosen a password with a mailed link. It is no credential: a
// login with it counts apart from those of strangers (limits/login-throttle.ts), so that strangers who fail to log in keep
// no user out of a browser that the user has used before.
//
// It holds a random id and its end, sealed for the account: nobody can make one, or use it for another account. A cookie of a key
// that is no longer in SECRETS_KEY counts for nothing, and the next login sets a new one.
import { randomBytes } from 'node:crypto';
import type { NamedKey } from '#ops/runtime/config.js';
import { openSecret, sealSecret } from '#ops/runtime/sealed-secrets.js';
import type { HeaderPair } from '../routing/response.js';
import { createCookie, findCookies } from './session-cookie.js';

const PLAIN_NAME = 'service_device';
/** Beyond it a user who did not log in is a stranger again. */
const DEVICE_MS = 180 * 24 * 60 * 60_000;
const ID_BYTES = 16;
const MAX_CHARACTERS = 200;

export interface DeviceCookie {
  /** For a browser of the user of this account, an address in lower case. */
  set(account: string): HeaderPair;
  /** The id of the browser in a header `Cookie`; undefined: it is not known as one of the account's user. */
  find(header: string, account: string): string | undefined;
}

export interface DeviceCookieDeps {
  readonly baseUrl: string;
  readonly secretsKeys: readonly NamedKey[];
  readonly nowMs: () => number;
}

const nameOwner = (account: string): string => `device of ${account}`;

export function createDeviceCookie({
  baseUrl,
  secretsKeys,
  nowMs,
}: DeviceCookieDeps): DeviceCookie {
  const cookie = createCookie(baseUrl, PLAIN_NAME);
  const open = (sealed: string, account: string): string | undefined => {
    try {
      const [id, expiresAtMs] = openSecret(secretsKeys, nameOwner(account), sealed).split(' ');
      return Number(expiresAtMs) > nowMs() ? id : undefined;
    } catch {
      return undefined;
    }
  };
  return {
    set: (account) => {
      const text = `${randomBytes(ID_BYTES).toString('base64url')} ${nowMs() + DEVICE_MS}`;
      return cookie.set(sealSecret(secretsKeys, nameOwner(account), text), DEVICE_MS);
    },
    find: (header, account) => {
      const [sealed = ''] = findCookies(header, cookie.name);
      return sealed === '' || sealed.length > MAX_CHARACTERS ? undefined : open(sealed, account);
    },
  };
}
