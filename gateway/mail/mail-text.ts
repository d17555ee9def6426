// The form of the texts of mails (indonesian.ts, english.ts): the kinds of mails, and the values in them.

/** The values in a mail; `link` opens the page for the next step. */
export interface MailFields {
  readonly brand: string;
  readonly businessName?: string;
  readonly link?: string;
  readonly invoice?: InvoiceFields;
  readonly key?: KeyFields;
  readonly administrator?: AdministratorFields;
}

export interface AdministratorFields {
  /** Addresses of the one who acted, and of the one who was changed. */
  readonly actor: string;
  readonly target: string;
  readonly status: 'active' | 'disabled';
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

/** Formatted for people. `{number}` is replaced later: the number is not known yet when the mail is composed. */
export interface InvoiceFields {
  readonly total: string;
  /** null: there is no due date. */
  readonly due: string | null;
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
  | 'kyc_approved'
  | 'kyc_rejected'
  | 'invoice';

export const joinParagraphs = (...paragraphs: readonly string[]): string =>
  `${paragraphs.join('\n\n')}\n`;

export const formatTestMark = (invoice: InvoiceFields | undefined): string =>
  invoice?.isTest === true ? '[TEST] ' : '';

export const NO_KEY: KeyFields = { id: '', environment: '', scopes: [], maker: '', address: '' };

export const NO_ADMINISTRATOR: AdministratorFields = { actor: '', target: '', status: 'active' };
