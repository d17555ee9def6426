// What an API key stands for, as the gateway knows it between two look-ups.
import type { Environment, KeyId, MerchantId } from './ids.js';

export type Scope = 'read' | 'write' | 'payouts';

/** What a request may do, and for whom. A revoked key has none. */
export interface Credential {
  readonly keyId: KeyId;
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  /** SHA-256 of the whole key text. */
  readonly digest: Buffer;
  /** The merchant is APPROVED and liveEnabled. */
  readonly isLiveEnabled: boolean;
  /** Empty: everything, but payouts with a test key only. */
  readonly scopes: readonly Scope[];
  /** Addresses and CIDRs; empty: every address. */
  readonly allowedAddresses: readonly string[];
}
