// Password hashes: argon2id. A hash occupies its thread for about 7 ms, so the gateway does it in a thread of its own
// (password-hasher.ts). Operators' commands call the functions here directly.
import { hashSync, verifySync } from '@node-rs/argon2';

/**
 * 12 MiB, three passes. Source: OWASP's sheet on storing passwords, which counts it as equal to 19 MiB and two passes. That took
 * 13 to 15 ms of CPU, and this takes 6.5: 12 MiB are whole pages of 2 MiB, and the last half of 19 MiB is 256 small ones.
 */
const COST = { memoryCost: 12_288, timeCost: 3, parallelism: 1 } as const;

export const hashPassword = (password: string): string =>
  hashSync(password.normalize('NFKC'), COST);

export interface HashJob {
  readonly password: string;
  /** The hash to check the password against; null: a new hash is made. */
  readonly hash: string | null;
}

/** The work of the thread: returns a new hash, or whether the password is the right one. */
export const openHashing =
  () =>
  ({ password, hash }: HashJob): string | boolean =>
    hash === null ? hashPassword(password) : verifySync(hash, password.normalize('NFKC'));
