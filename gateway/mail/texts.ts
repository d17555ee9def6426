// The texts of mails, in Indonesian and English. A text that is missing in one language does not compile.

export const MAIL_LANGUAGES = ['id', 'en'] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

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

interface MailText {
  subject(fields: MailFields): string;
  body(fields: MailFields): string;
}

export type MailKind =
  | 'verify'
  | 'known_address'
  | 'reset'
  | 'invite'
  | 'password_changed'
  | 'second_factor_changed'
  | 'locked_out'
  | 'key_made'
  | 'administrator_changed'
  | 'kyc_approved'
  | 'kyc_rejected'
  | 'invoice';

const joinParagraphs = (...paragraphs: readonly string[]): string => `${paragraphs.join('\n\n')}\n`;

const formatTestMark = (invoice: InvoiceFields | undefined): string =>
  invoice?.isTest === true ? '[TEST] ' : '';

const NO_KEY: KeyFields = { id: '', environment: '', scopes: [], maker: '', address: '' };

const NO_ADMINISTRATOR: AdministratorFields = { actor: '', target: '', status: 'active' };

const INDONESIAN: Readonly<Record<MailKind, MailText>> = {
  verify: {
    subject: ({ brand }) => `Konfirmasi alamat email Anda di ${brand}`,
    body: ({ brand, link = '' }) =>
      joinParagraphs(
        `Seseorang, semoga Anda, mendaftar di ${brand} dengan alamat ini. Konfirmasi dengan membuka:`,
        link,
        'Tautan berlaku 7 hari dan hanya sekali. Jika bukan Anda, abaikan email ini.',
      ),
  },
  known_address: {
    subject: ({ brand }) => `Anda sudah terdaftar di ${brand}`,
    body: ({ brand }) =>
      joinParagraphs(
        `Seseorang, semoga Anda, mencoba mendaftar di ${brand} dengan alamat ini, yang sudah terdaftar.`,
        'Masuk seperti biasa, atau atur ulang kata sandi Anda. Jika bukan Anda, abaikan email ini.',
      ),
  },
  reset: {
    subject: ({ brand }) => `Atur ulang kata sandi ${brand} Anda`,
    body: ({ link = '' }) =>
      joinParagraphs(
        'Untuk memilih kata sandi baru, buka:',
        link,
        'Tautan berlaku 1 jam dan hanya sekali. Jika Anda tidak memintanya, abaikan email ini.',
      ),
  },
  invite: {
    subject: ({ brand, businessName = '' }) => `Undangan dari ${businessName} di ${brand}`,
    body: ({ brand, businessName = '', link = '' }) =>
      joinParagraphs(
        `${businessName} mengundang Anda ke akunnya di ${brand}. Pilih kata sandi Anda di:`,
        link,
        'Tautan berlaku 7 hari dan hanya sekali.',
      ),
  },
  password_changed: {
    subject: ({ brand }) => `Kata sandi ${brand} Anda telah diubah`,
    body: () =>
      joinParagraphs(
        'Kata sandi Anda baru saja diubah, dan semua sesi lain telah diakhiri.',
        'Jika bukan Anda, segera atur ulang kata sandi Anda.',
      ),
  },
  second_factor_changed: {
    subject: ({ brand }) => `Faktor kedua akun ${brand} Anda telah diubah`,
    body: () =>
      joinParagraphs(
        'Faktor kedua akun Anda baru saja dipasang, dilepas, atau mendapat kode pemulihan baru.',
        'Jika bukan Anda, segera atur ulang kata sandi Anda.',
      ),
  },
  locked_out: {
    subject: ({ brand }) => `Banyak upaya masuk yang gagal ke akun ${brand} Anda`,
    body: () =>
      joinParagraphs(
        'Karena terlalu banyak upaya masuk yang gagal, akun Anda dikunci untuk beberapa waktu.',
        'Jika bukan Anda, kata sandi Anda tidak tertebak. Pasang faktor kedua bila belum ada.',
      ),
  },
  key_made: {
    subject: ({ businessName = '', key = NO_KEY }) =>
      `Kunci API ${key.environment} baru untuk ${businessName}`,
    body: ({ brand, businessName = '', key = NO_KEY, link = '' }) =>
      joinParagraphs(
        `Sebuah kunci API baru dibuat untuk ${businessName} di ${brand}:`,
        `Kunci: ${key.id}\nLingkungan: ${key.environment}\nCakupan: ${key.scopes.join(', ')}`,
        `Dibuat oleh: ${key.maker}\nAlamat IP: ${key.address}`,
        'Jika Anda tidak mengenalinya, cabut kunci itu dan ubah kata sandi pembuatnya:',
        link,
      ),
  },
  administrator_changed: {
    subject: ({ brand }) => `Seorang administrator ${brand} telah diubah`,
    body: ({ administrator: { actor, target, status } = NO_ADMINISTRATOR }) =>
      joinParagraphs(
        `${target} telah ${status === 'disabled' ? 'dinonaktifkan' : 'diaktifkan kembali'} oleh ${actor}.`,
        'Jika ini tidak semestinya, nonaktifkan yang melakukannya dan periksa log audit.',
      ),
  },
  kyc_approved: {
    subject: ({ brand }) => `Verifikasi Anda di ${brand} disetujui`,
    body: ({ businessName = '' }) => joinParagraphs(`Verifikasi ${businessName} telah disetujui.`),
  },
  kyc_rejected: {
    subject: ({ brand }) => `Verifikasi Anda di ${brand} perlu diperbaiki`,
    body: ({ businessName = '' }) =>
      joinParagraphs(
        `Verifikasi ${businessName} belum dapat disetujui. Alasannya ada di dasbor Anda.`,
      ),
  },
  invoice: {
    subject: ({ businessName = '', invoice }) =>
      `${formatTestMark(invoice)}Tagihan {number} dari ${businessName}`,
    body: ({ businessName = '', link = '', invoice }) =>
      joinParagraphs(
        `${businessName} mengirim tagihan {number} sebesar ${invoice?.total ?? ''} kepada Anda.`,
        ...(invoice?.due ? [`Jatuh tempo: ${invoice.due}.`] : []),
        ...(invoice?.isTest === true ? ['Ini percobaan: tidak ada uang yang berpindah.'] : []),
        'Lihat rinciannya dan bayar di:',
        link,
        `Jika Anda tidak mengenal ${businessName}, abaikan email ini.`,
      ),
  },
};

const ENGLISH: Readonly<Record<MailKind, MailText>> = {
  verify: {
    subject: ({ brand }) => `Confirm your e-mail address at ${brand}`,
    body: ({ brand, link = '' }) =>
      joinParagraphs(
        `Somebody, hopefully you, registered at ${brand} with this address. Confirm it by opening:`,
        link,
        'The link is good for 7 days, once. If it was not you, ignore this mail.',
      ),
  },
  known_address: {
    subject: ({ brand }) => `You are registered at ${brand} already`,
    body: ({ brand }) =>
      joinParagraphs(
        `Somebody, hopefully you, tried to register at ${brand} with this address, which is known.`,
        'Log in as usual, or reset your password. If it was not you, ignore this mail.',
      ),
  },
  reset: {
    subject: ({ brand }) => `Reset your ${brand} password`,
    body: ({ link = '' }) =>
      joinParagraphs(
        'To choose a new password, open:',
        link,
        'The link is good for 1 hour, once. If you did not ask for it, ignore this mail.',
      ),
  },
  invite: {
    subject: ({ brand, businessName = '' }) => `${businessName} invites you to ${brand}`,
    body: ({ brand, businessName = '', link = '' }) =>
      joinParagraphs(
        `${businessName} invites you to its account at ${brand}. Choose your password at:`,
        link,
        'The link is good for 7 days, once.',
      ),
  },
  password_changed: {
    subject: ({ brand }) => `Your ${brand} password was changed`,
    body: () =>
      joinParagraphs(
        'Your password was changed just now, and all other sessions have ended.',
        'If it was not you, reset your password at once.',
      ),
  },
  second_factor_changed: {
    subject: ({ brand }) => `The second factor of your ${brand} account was changed`,
    body: () =>
      joinParagraphs(
        'The second factor of your account was set up, removed, or got new recovery codes just now.',
        'If it was not you, reset your password at once.',
      ),
  },
  locked_out: {
    subject: ({ brand }) => `Many failed logins to your ${brand} account`,
    body: () =>
      joinParagraphs(
        'After too many failed attempts to log in, your account is locked for a while.',
        'If it was not you, nobody guessed your password. Set up a second factor if you have none.',
      ),
  },
  key_made: {
    subject: ({ businessName = '', key = NO_KEY }) =>
      `New ${key.environment} API key of ${businessName}`,
    body: ({ brand, businessName = '', key = NO_KEY, link = '' }) =>
      joinParagraphs(
        `A new API key was made for ${businessName} at ${brand}:`,
        `Key: ${key.id}\nEnvironment: ${key.environment}\nScopes: ${key.scopes.join(', ')}`,
        `Made by: ${key.maker}\nIP address: ${key.address}`,
        'If you do not recognise it, revoke the key and change the password of the user who made it:',
        link,
      ),
  },
  administrator_changed: {
    subject: ({ brand }) => `An administrator of ${brand} was changed`,
    body: ({ administrator: { actor, target, status } = NO_ADMINISTRATOR }) =>
      joinParagraphs(
        `${target} was ${status === 'disabled' ? 'disabled' : 'enabled again'} by ${actor}.`,
        'If this is not right, disable the one who did it and read the audit log.',
      ),
  },
  kyc_approved: {
    subject: ({ brand }) => `Your verification at ${brand} is approved`,
    body: ({ businessName = '' }) =>
      joinParagraphs(`The verification of ${businessName} is approved.`),
  },
  kyc_rejected: {
    subject: ({ brand }) => `Your verification at ${brand} needs a correction`,
    body: ({ businessName = '' }) =>
      joinParagraphs(
        `The verification of ${businessName} was not approved yet. Your dashboard says why.`,
      ),
  },
  invoice: {
    subject: ({ businessName = '', invoice }) =>
      `${formatTestMark(invoice)}Invoice {number} from ${businessName}`,
    body: ({ businessName = '', link = '', invoice }) =>
      joinParagraphs(
        `${businessName} sends you the invoice {number} of ${invoice?.total ?? ''}.`,
        ...(invoice?.due ? [`Due: ${invoice.due}.`] : []),
        ...(invoice?.isTest === true ? ['This is a test: no money moves.'] : []),
        'See the details and pay at:',
        link,
        `If you do not know ${businessName}, ignore this mail.`,
      ),
  },
};

export const MAIL_TEXTS: Readonly<Record<MailLanguage, Readonly<Record<MailKind, MailText>>>> = {
  id: INDONESIAN,
  en: ENGLISH,
};
