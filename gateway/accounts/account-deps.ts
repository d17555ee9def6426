// What the handlers of accounts, merchants and administrators share. They are no hot path: plain statements on
// connections of their own. A store that cannot be asked makes them throw; the transport answers 503.
import type { NamedKey } from '#ops/runtime/config.js';
import type { Postgres } from '#store/postgres/client.js';
import type { LoginThrottle } from '../limits/login-throttle.js';
import type { Compose } from '../mail/compose.js';
import type { PasswordHasher } from './password-hash.js';

export interface AccountDeps {
  readonly accounts: Postgres;
  readonly hasher: PasswordHasher;
  readonly throttle: LoginThrottle;
  readonly compose: Compose;
  /** A mail was written. */
  nudgeMailer(): void;
  readonly secretsKeys: readonly NamedKey[];
  readonly brand: string;
  nowMs(): number;
  readonly onError: (error: unknown) => void;
}

/** @throws when the database refuses or cannot be asked */
export function queryAccounts<Value>(
  { accounts }: Pick<AccountDeps, 'accounts'>,
  question: (sql: Postgres) => Promise<Value>,
): Promise<Value> {
  return question(accounts);
}
