// Mails the user of an account that too many failed attempts have locked, at most once in an hour. Nothing waits for it, so
// that neither the answer nor its time reveals whether the account exists.
import { LRUCache } from 'lru-cache';
import { createCounter, type Registry } from '#ops/runtime/metrics.js';
import type { Postgres } from '#store/postgres/client.js';
import { writeLockoutMail } from '#store/postgres/accounts/mails.js';
import { findLogin } from '#store/postgres/accounts/users.js';
import type { Compose } from '../mail/compose.js';
import type { BackgroundWrites } from '../auth/background-writes.js';

/** The database has the same limit, over all gateways; this one spares it the queries of a long attack. */
const ONCE_IN_MS = 60 * 60_000;
const MAX_REMEMBERED = 10_000;

export interface LockoutDeps {
  readonly accounts: Postgres;
  readonly registry: Registry;
  readonly compose: Compose;
  nudgeMailer(): void;
  readonly background: BackgroundWrites;
}

/** Called with the address of the account at each attempt that the lock refuses. */
export type NoteLockout = (account: string) => void;

export function createLockoutAlerts(deps: LockoutDeps): NoteLockout {
  const noted = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: ONCE_IN_MS });
  const lockouts = createCounter(
    deps.registry,
    'login_lockouts_total',
    'Accounts locked after failed logins, at most once in an hour each',
  );
  return (account) => {
    if (noted.has(account)) return;
    noted.set(account, true);
    lockouts.inc();
    deps.background.begin('lockout_mail', () => mailUser(deps, account));
  };
}

async function mailUser(deps: LockoutDeps, account: string): Promise<void> {
  const [user] = await findLogin(deps.accounts, account);
  if (user === undefined) return;
  const { email, language } = user;
  const mail = deps.compose({ kind: 'locked_out', recipient: email, language });
  if (await writeLockoutMail(deps.accounts, user.id, mail)) deps.nudgeMailer();
}
