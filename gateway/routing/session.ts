// Who is logged in, as a request that was admitted knows it.
import type { MerchantId, SessionId, UserId } from '#actors/core/ids.js';
import type { Role } from './roles.js';

export interface Session {
  readonly id: SessionId;
  readonly userId: UserId;
  /** null: an administrator's. */
  readonly merchantId: MerchantId | null;
  readonly role: Role;
  readonly email: string;
  readonly isVerified: boolean;
  readonly hasTotp: boolean;
}
