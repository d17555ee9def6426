// Passkeys in the browser. The library that talks to the authenticator is loaded when a person first uses a passkey.
import type * as Library from '@simplewebauthn/browser';
import { api, type MerchantSchema } from '../api/client.js';
import { unwrap } from '../api/failure.js';

type Options = MerchantSchema['PasskeyOptions'];
/** The field of the API that an error about a passkey names. */
export const PASSKEY_FIELD = 'passkey';

/** The credential of the browser, which the API checks. */
export type PasskeyAnswer = Readonly<Record<string, unknown>>;

/** The person or the time ended it; this device has a passkey of the account already; the browser or the device cannot. */
type Reason = 'cancelled' | 'known' | 'impossible';

export class PasskeyFailure extends Error {
  override readonly name = 'PasskeyFailure';
  readonly reason: Reason;

  constructor(cause: unknown) {
    super('the browser gave no passkey', { cause });
    this.reason = (cause instanceof Error && REASONS[cause.name]) || 'impossible';
  }
}

/** By the names that the WebAuthn specification gives to errors. */
const REASONS: Readonly<Record<string, Reason>> = {
  NotAllowedError: 'cancelled',
  AbortError: 'cancelled',
  InvalidStateError: 'known',
};

/** False in old browsers, and on addresses without HTTPS. */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential === 'function';

/** Asks for a passkey of the account. @throws PasskeyFailure */
export const askPasskey = (options: object): Promise<PasskeyAnswer> =>
  talk(({ startAuthentication }) =>
    startAuthentication({ optionsJSON: options as Library.PublicKeyCredentialRequestOptionsJSON }),
  );

/** Makes a passkey on this device, or on another that the person chooses. @throws PasskeyFailure */
export const createPasskey = (options: Options): Promise<PasskeyAnswer> =>
  talk(({ startRegistration }) =>
    startRegistration({
      optionsJSON: options as unknown as Library.PublicKeyCredentialCreationOptionsJSON,
    }),
  );

async function talk(run: (library: typeof Library) => Promise<object>): Promise<PasskeyAnswer> {
  const library = await import('@simplewebauthn/browser');
  try {
    return { ...(await run(library)) };
  } catch (error) {
    throw new PasskeyFailure(error);
  }
}

/** A code that replaces one `totp_code` of this session. @throws PasskeyFailure, ApiFailure */
export async function makePasskeyCode(): Promise<string> {
  const options = await unwrap(api.POST('/v1/auth/passkeys/challenge'));
  const passkey = await askPasskey(options);
  const { code } = await unwrap(api.POST('/v1/auth/passkeys/code', { body: { passkey } }));
  return code;
}
