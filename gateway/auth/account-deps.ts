// The dependencies that the handlers of accounts, merchants and administrators share. Their statements run on a
// connection pool of their own, apart from payments. A failed statement throws; the transport then answers 503.
import type { NamedKey } from '#ops/runtime/config.js';
import type { Postgres } from '#store/postgres/client.js';
import type { DeviceCookie } from './device-cookie.js';
import type { SessionCookie } from './session-cookie.js';
import type { LoginThrottle } from '../limits/login-throttle.js';
import type { ReadList } from '../lists/read-list.js';
import type { Compose } from '../mail/compose.js';
import type { BackgroundWrites } from './background-writes.js';
import type { PasswordHasher } from './password-hasher.js';

/** The installation as an authenticator knows it, whose passkeys are of no use to another one. */
export interface RelyingParty {
  /** The host name. */
  readonly id: string;
  readonly name: string;
  readonly origin: string;
}

export interface AccountDeps {
  readonly accounts: Postgres;
  readonly hasher: PasswordHasher;
  readonly throttle: LoginThrottle;
  readonly sessionCookie: SessionCookie;
  readonly deviceCookie: DeviceCookie;
  readonly relyingParty: RelyingParty;
  readonly compose: Compose;
  /** Wakes the mailer after a mail was stored. */
  nudgeMailer(): void;
  readonly secretsKeys: readonly NamedKey[];
  readonly brand: string;
  readonly readList: ReadList;
  nowMs(): number;
  readonly background: BackgroundWrites;
  readonly onError: (error: unknown) => void;
}
