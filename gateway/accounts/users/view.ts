// Users, merchants and sessions as answers show them: without hashes, secrets and digests.
import type { Static } from '@sinclair/typebox';
import type { SessionId } from '#actors/core/ids.js';
import type { ListedSession } from '#store/postgres/accounts/sessions.js';
import type { UserRow } from '#store/postgres/accounts/users.js';
import type { MerchantRow } from '#store/postgres/merchants/find-merchant.js';
import type { Merchant, Session, User } from './schema.js';

export function viewUser(user: UserRow): Static<typeof User> {
  return {
    id: user.id,
    object: 'user',
    email: user.email,
    role: user.role,
    status: user.isActive ? 'active' : 'invited',
    email_verified: user.isVerified,
    totp_enabled: user.hasTotp,
    passkeys: user.passkeys,
    recovery_codes_left: user.recoveryCodesLeft,
    language: user.language,
    created_at: user.createdAt.toISOString(),
  };
}

export function viewMerchant(merchant: MerchantRow): Static<typeof Merchant> {
  return {
    id: merchant.id,
    object: 'merchant',
    business_name: merchant.businessName,
    verificationStatus: merchant.verificationStatus,
    liveEnabled: merchant.isLiveEnabled,
    created_at: merchant.createdAt.toISOString(),
  };
}

export function viewSession(session: ListedSession, current: SessionId): Static<typeof Session> {
  return {
    id: session.id,
    object: 'session',
    address: session.address,
    device: session.device,
    is_current: session.id === current,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  };
}
