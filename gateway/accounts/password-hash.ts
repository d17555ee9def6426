// Password hashes: argon2id. A hash occupies its thread for about 20 ms, so the gateway does it in a thread of its own
// (password-hasher.ts). Operators' commands call the functions here directly.
import { hashSync, verifySync } from '@node-rs/argon2';

/** 19 MiB, two passes. Source: OWASP's sheet on storing passwords. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

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
