// The texts of the pages behind the links in mails, in Indonesian and English.
import type { Language } from '#gateway/routing/visitor-language.js';

/** verify: an address; reset: a new password; join: the first password of an invited user. */
export const LINK_PURPOSES = ['verify', 'reset', 'join'] as const;
export type LinkPurpose = (typeof LINK_PURPOSES)[number];

/** done; the link does not work; the password is not accepted; no code was pasted; the service did not answer. */
export const LINK_OUTCOMES = ['done', 'invalid', 'refused', 'unreadable', 'unavailable'] as const;
export type LinkOutcome = (typeof LINK_OUTCOMES)[number];

interface MailedLinkTexts {
  readonly password: string;
  readonly passwordHint: (min: number) => string;
  /** Of the account whose address is verified. */
  readonly ownPassword: string;
  readonly ownPasswordHint: string;
  readonly forgotten: string;
  readonly scripts: string;
  /** The page was opened without the secret of the link. */
  readonly codeMissing: string;
  readonly code: string;
  readonly codeHint: string;
  /** The link to the dashboard, once it is done. */
  readonly dashboard: string;
  readonly purposes: Readonly<
    Record<LinkPurpose, { readonly title: string; readonly text: string; readonly button: string }>
  >;
  readonly outcomes: Readonly<
    Record<LinkPurpose, Readonly<Record<'done' | 'refused', string>>> &
      Record<Exclude<LinkOutcome, 'done' | 'refused'>, string>
  >;
}

const INDONESIAN_PASSWORD_REFUSED =
  'Kata sandi itu terlalu pendek, terlalu panjang, atau sama dengan alamat e-mail Anda.';

const INDONESIAN: MailedLinkTexts = {
  password: 'Kata sandi baru',
  passwordHint: (min) => `Paling sedikit ${min} karakter.`,
  ownPassword: 'Kata sandi Anda',
  ownPasswordHint: 'Yang Anda pilih saat mendaftar.',
  forgotten: 'Lupa kata sandi?',
  codeMissing:
    'Halaman ini dibuka tanpa kode rahasianya. Beberapa program e-mail memotong tautan. Salin kode dari e-mail itu, atau seluruh tautannya, dan tempelkan di sini.',
  code: 'Kode dari e-mail',
  codeHint: '43 karakter: huruf, angka, - dan _. Seluruh tautan juga boleh.',
  scripts: 'Aktifkan JavaScript: rahasia tautan ini hanya ada di peramban Anda.',
  dashboard: 'Buka dasbor',
  purposes: {
    verify: {
      title: 'Konfirmasi alamat e-mail',
      text: 'Masukkan kata sandi Anda untuk memastikan bahwa Anda yang mendaftar dengan alamat ini.',
      button: 'Konfirmasi alamat',
    },
    reset: {
      title: 'Kata sandi baru',
      text: 'Pilih kata sandi baru untuk akun Anda. Semua sesi akun ini berakhir.',
      button: 'Simpan kata sandi',
    },
    join: {
      title: 'Terima undangan',
      text: 'Pilih kata sandi untuk akun Anda.',
      button: 'Terima undangan',
    },
  },
  outcomes: {
    verify: {
      done: 'Alamat Anda sudah dikonfirmasi.',
      refused:
        'Itu bukan kata sandi akun ini. Jika Anda mendaftar lebih dari sekali, buka tautan di e-mail yang lain. Jika lupa, pilih kata sandi baru. Jika Anda tidak mendaftar, tutup halaman ini.',
    },
    reset: {
      done: 'Kata sandi Anda sudah diganti. Sekarang Anda dapat masuk.',
      refused: INDONESIAN_PASSWORD_REFUSED,
    },
    join: {
      done: 'Akun Anda siap. Sekarang Anda dapat masuk.',
      refused: INDONESIAN_PASSWORD_REFUSED,
    },
    invalid: 'Tautan ini sudah dipakai atau sudah berakhir. Silakan minta tautan baru.',
    unreadable: 'Itu bukan kode dari e-mail. Salin 43 karakternya, atau seluruh tautannya.',
    unavailable: 'Belum berhasil. Silakan coba lagi sebentar lagi.',
  },
};

const ENGLISH_PASSWORD_REFUSED =
  'This password is too short, too long, or the same as your e-mail address.';

const ENGLISH: MailedLinkTexts = {
  password: 'New password',
  passwordHint: (min) => `At least ${min} characters.`,
  ownPassword: 'Your password',
  ownPasswordHint: 'The one that you chose when you registered.',
  forgotten: 'Forgot your password?',
  codeMissing:
    'This page was opened without its secret code. Some mail programs cut links. Copy the code from the mail, or the whole link, and paste it here.',
  code: 'Code from the mail',
  codeHint: '43 characters: letters, digits, - and _. The whole link works too.',
  scripts: 'Please switch on JavaScript: the secret of this link is in your browser only.',
  dashboard: 'Go to the dashboard',
  purposes: {
    verify: {
      title: 'Confirm your e-mail address',
      text: 'Enter your password, to confirm that it was you who registered with this address.',
      button: 'Confirm address',
    },
    reset: {
      title: 'New password',
      text: 'Choose a new password for your account. All sessions of the account end.',
      button: 'Save password',
    },
    join: {
      title: 'Accept the invitation',
      text: 'Choose a password for your account.',
      button: 'Accept invitation',
    },
  },
  outcomes: {
    verify: {
      done: 'Your address is confirmed.',
      refused:
        'This is not the password of this account. If you registered more than once, open the link in the other mail. If you forgot it, choose a new one. If you did not register, close this page.',
    },
    reset: {
      done: 'Your password is changed. You can log in now.',
      refused: ENGLISH_PASSWORD_REFUSED,
    },
    join: { done: 'Your account is ready. You can log in now.', refused: ENGLISH_PASSWORD_REFUSED },
    invalid: 'This link was used already or has expired. Please ask for a new one.',
    unreadable: 'This is not the code of the mail. Copy its 43 characters, or the whole link.',
    unavailable: 'This did not work yet. Please try again in a moment.',
  },
};

export const MAILED_LINK_TEXTS: Readonly<Record<Language, MailedLinkTexts>> = {
  id: INDONESIAN,
  en: ENGLISH,
};
