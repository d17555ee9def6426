// The answer of every reading of changes. Pages that are open load the named objects again.
import type { Environment, MerchantId } from '#actors/core/ids.js';

export interface Change {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  /** Of a payment, of a payout, or of a webhook endpoint whose deliveries changed. */
  readonly id: string;
}

export interface Changes {
  readonly changes: readonly Change[];
  /** false: there may be more, so that anything may have changed. */
  readonly isComplete: boolean;
}
