// The form of the texts of mails (indonesian.ts, english.ts): the kinds of mails, and the values in them.
import type { PayoutFailureCode } from '#actors/core/statuses.js';

/** The values in a mail; `link` opens the page for the next step. */
export interface MailFields {
  readonly brand: string;
  readonly businessName?: string;
  readonly link?: string;
  /** The secret of the link, for the page that was opened without it. */
  readonly code?: string;
  readonly invoice?: InvoiceFields;
  readonly key?: KeyFields;
  readonly administrator?: AdministratorFields;
  readonly endpoint?: EndpointFields;
  readonly payment?: PaymentFields;
  /** The amount that the customer's bank took back. */
  readonly chargedBack?: string;
  readonly payout?: PayoutFields;
  readonly protectedChange?: ProtectedChangeFields;
}

export interface EndpointFields {
  readonly id: string;
  readonly environment: string;
  /** The host of its address: the rest may hold a secret. */
  readonly host: string;
  readonly since: string;
}

/** Formatted for people. */
export interface PaymentFields {
  readonly id: string;
  readonly amount: string;
  readonly description: string | null;
  /** Empty: a TEST payment that was paid without one. */
  readonly method: string;
  readonly paidAt: string;
  readonly isTest: boolean;
  /** Where its customer may ask for help: addresses and numbers. */
  readonly contacts: readonly string[];
}

export interface PayoutFields {
  readonly id: string;
  readonly amount: string;
  readonly bank: string;
  /** Of the account number. */
  readonly lastFour: string;
  readonly referenceId: string | null;
  readonly reason: PayoutFailureCode | null;
  readonly isReversed: boolean;
  readonly isTest: boolean;
}

export interface AdministratorFields {
  /** The address of the administrator who acted; null: an operator with `kasir admin`. */
  readonly actor: string | null;
  /** The address of the administrator who was changed. */
  readonly target: string;
  readonly change: 'created' | 'role' | 'disabled' | 'enabled';
  /** Afterwards. */
  readonly role: string;
}

export interface KeyFields {
  readonly id: string;
  readonly environment: string;
  readonly scopes: readonly string[];
  /** The address of the user who made it. */
  readonly maker: string;
  /** The IP address of the request. */
  readonly address: string;
}

/** Changes that the owners learn of, because a stolen session could make them (docs/decisions/0065-second-factor-and-mails-of-strangers.md). */
export type ProtectedChange =
  | 'endpoint_added'
  | 'endpoint_changed'
  | 'endpoint_switched_on'
  | 'endpoint_switched_off'
  | 'endpoint_secret_rotated'
  | 'endpoint_deleted'
  | 'customer_erased'
  | 'mails_switched_off'
  | 'contact_changed'
  | 'key_revoked'
  | 'user_invited'
  | 'role_changed'
  | 'user_removed';

export interface ProtectedChangeFields {
  readonly change: ProtectedChange;
  /** Ids, hosts and addresses, which are the same in each language. */
  readonly subject: string;
  /** The address of the user who made it; null: an administrator. */
  readonly maker: string | null;
  /** The IP address of the request; null: that of an administrator, which is not shown. */
  readonly address: string | null;
}

/** Formatted for people. `{number}` is replaced later: the number is not known yet when the mail is composed. */
export interface InvoiceFields {
  readonly total: string;
  /** null: there is no due date. */
  readonly due: string | null;
  readonly isOverdue: boolean;
  readonly isTest: boolean;
}

export interface MailText {
  subject(fields: MailFields): string;
  body(fields: MailFields): string;
}

export type MailKind =
  | 'verify'
  | 'known_address'
  | 'reset'
  | 'invite'
  | 'invite_known'
  | 'password_changed'
  | 'second_factor_changed'
  | 'locked_out'
  | 'key_made'
  | 'administrator_changed'
  | 'protected_change'
  | 'kyc_approved'
  | 'kyc_rejected'
  | 'endpoint_failing'
  | 'endpoint_disabled'
  | 'payment_received'
  | 'charged_back'
  | 'payout_failed'
  | 'receipt'
  | 'invoice'
  | 'invoice_reminder';

export const joinParagraphs = (...paragraphs: readonly string[]): string =>
  `${paragraphs.join('\n\n')}\n`;

export const formatTestMark = (subject: { readonly isTest: boolean } | undefined): string =>
  subject?.isTest === true ? '[TEST] ' : '';

export const NO_KEY: KeyFields = { id: '', environment: '', scopes: [], maker: '', address: '' };

export const NO_ADMINISTRATOR: AdministratorFields = {
  actor: '',
  target: '',
  change: 'enabled',
  role: '',
};

export const NO_CHANGE: ProtectedChangeFields = {
  change: 'endpoint_changed',
  ...{ subject: '', maker: null, address: null },
};

export const NO_ENDPOINT: EndpointFields = { id: '', environment: '', host: '', since: '' };

export const NO_PAYMENT: PaymentFields = {
  ...{ id: '', amount: '', description: null, method: '', paidAt: '' },
  ...{ isTest: false, contacts: [] },
};

export const NO_PAYOUT: PayoutFields = {
  ...{ id: '', amount: '', bank: '', lastFour: '', referenceId: null, reason: null },
  ...{ isReversed: false, isTest: false },
};

/** `label: value` on a line each; lines without a value are left out. */
export const joinLines = (...lines: readonly (readonly [label: string, value: string | null])[]) =>
  lines
    .flatMap(([label, value]) => (value === null || value === '' ? [] : [`${label}: ${value}`]))
    .join('\n');
