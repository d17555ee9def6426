// The permissions of each role. A session route names the permission it needs; test/flows/access-matrix.test.ts calls
// each route with each role, test/flows/key-rights.test.ts makes each kind of key with each role.
import type { Scope } from '#actors/core/api-key.js';

export const MERCHANT_ROLES = ['owner', 'developer', 'finance', 'viewer'] as const;
export type MerchantRole = (typeof MERCHANT_ROLES)[number];
/** Of administrators, who belong to no merchant. Each reads what all merchants do; `admin` may do everything. */
export const ADMINISTRATOR_ROLES = ['admin', 'compliance', 'treasury', 'support'] as const;
export type AdministratorRole = (typeof ADMINISTRATOR_ROLES)[number];
export const ROLES = [...MERCHANT_ROLES, ...ADMINISTRATOR_ROLES] as const;
export type Role = (typeof ROLES)[number];

const EVERY_MERCHANT_ROLE: readonly Role[] = MERCHANT_ROLES;

export const PERMISSIONS = {
  /** Setting up a second factor, and logging out: all that an administrator without one may do in production. */
  enrol: ROLES,
  /** The user's own sessions, password and second factor. */
  own_account: ROLES,
  read_merchant: EVERY_MERCHANT_ROLE,
  /** The name, the colour, the logo and the contact that customers see. */
  change_settings: ['owner'],
  read_payments: EVERY_MERCHANT_ROLE,
  /** Cancelling payments and refunding them. */
  change_payments: ['owner', 'developer', 'finance'],
  /** Payouts show the bank accounts that receive the money. */
  read_payouts: ['owner', 'finance'],
  change_payouts: ['owner', 'finance'],
  read_users: EVERY_MERCHANT_ROLE,
  change_users: ['owner'],
  read_keys: ['owner', 'developer'],
  change_keys: ['owner', 'developer'],
  read_api_logs: ['owner', 'developer'],
  read_webhooks: ['owner', 'developer'],
  change_webhooks: ['owner', 'developer'],
  read_kyc: ['owner', 'finance'],
  submit_kyc: ['owner', 'finance'],
  read_payment_links: EVERY_MERCHANT_ROLE,
  change_payment_links: ['owner', 'developer', 'finance'],
  read_invoices: EVERY_MERCHANT_ROLE,
  change_invoices: ['owner', 'finance'],
  /** An erasure cannot be undone. */
  erase_customers: ['owner'],
  read_administration: ADMINISTRATOR_ROLES,
  /** Documents of a merchant's verification, the decision about it, LIVE access, and erasures for its customers. */
  review_merchants: ['admin', 'compliance'],
  /** Ending refunds and payouts by hand, tasks, corrections and approvals. */
  decide_money: ['admin', 'treasury'],
  /** Kill switches, the rails of a merchant, and other administrators. */
  administrate: ['admin'],
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof PERMISSIONS;

/** The scopes that a user of the role may give to a key. Only owners and finance pay out. */
const SCOPES_OF_ROLES = {
  owner: ['read', 'write', 'payouts'],
  developer: ['read', 'write'],
  finance: ['read', 'payouts'],
  viewer: ['read'],
  ...{ admin: [], compliance: [], treasury: [], support: [] },
} as const satisfies Record<Role, readonly Scope[]>;

/** Whether a user of the role could move LIVE money: by a payout, or by a refund with a key. */
export function canMoveMoney(role: Role): boolean {
  const scopes: readonly Scope[] = SCOPES_OF_ROLES[role];
  return scopes.includes('payouts') || isAllowed(role, 'change_keys');
}

export const isAdministrator = (role: Role): role is AdministratorRole =>
  (ADMINISTRATOR_ROLES as readonly Role[]).includes(role);

export function isAllowed(role: Role, permission: Permission): boolean {
  const roles: readonly Role[] = PERMISSIONS[permission];
  return roles.includes(role);
}

/** `mustEnrol`: nothing but setting up a second factor is allowed. */
export function listPermissions(role: Role, mustEnrol: boolean): readonly Permission[] {
  if (mustEnrol) return ['enrol'];
  return (Object.keys(PERMISSIONS) as Permission[]).filter((each) => isAllowed(role, each));
}

/** The scopes that a user of the role may not give to a key, so that no key can do more than its maker. */
export function listExcessScopes(role: Role, scopes: readonly Scope[]): readonly Scope[] {
  const allowed: readonly Scope[] = SCOPES_OF_ROLES[role];
  return scopes.filter((scope) => !allowed.includes(scope));
}
