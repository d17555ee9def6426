// The texts of the pages behind the links in mails, in Indonesian and English.
import type { Language } from '../checkout/texts.js';

/** verify: an address; reset: a new password; join: the first password of an invited user. */
export const LINK_PURPOSES = ['verify', 'reset', 'join'] as const;
export type LinkPurpose = (typeof LINK_PURPOSES)[number];

/** done; the link does not work; the password is not accepted; the service did not answer. */
export const LINK_OUTCOMES = ['done', 'invalid', 'refused', 'unavailable'] as const;
export type LinkOutcome = (typeof LINK_OUTCOMES)[number];

interface MailedLinkTexts {
  readonly password: string;
  readonly passwordHint: (min: number) => string;
  readonly scripts: string;
  /** The link to the dashboard, once it is done. */
  readonly dashboard: string;
  readonly purposes: Readonly<
    Record<LinkPurpose, { readonly title: string; readonly text: string; readonly button: string }>
  >;
  readonly outcomes: Readonly<
    Record<LinkPurpose, Readonly<Record<'done', string>>> &
      Record<Exclude<LinkOutcome, 'done'>, string>
  >;
}

const INDONESIAN: MailedLinkTexts = {
  password: 'Kata sandi baru',
  passwordHint: (min) => `Paling sedikit ${min} karakter.`,
  scripts: 'Nyalakan JavaScript: rahasia tautan ini hanya ada di peramban Anda.',
  dashboard: 'Buka dasbor',
  purposes: {
    verify: {
      title: 'Konfirmasi alamat e-mail',
      text: 'Tekan tombol ini untuk memastikan bahwa alamat ini milik Anda.',
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
    verify: { done: 'Alamat Anda sudah dikonfirmasi.' },
    reset: { done: 'Kata sandi Anda sudah diganti. Sekarang Anda dapat masuk.' },
    join: { done: 'Akun Anda siap. Sekarang Anda dapat masuk.' },
    invalid: 'Tautan ini sudah dipakai atau sudah berakhir. Silakan minta tautan baru.',
    refused: 'Kata sandi itu terlalu pendek, terlalu panjang, atau sama dengan alamat e-mail Anda.',
    unavailable: 'Belum berhasil. Silakan coba lagi sebentar lagi.',
  },
};

const ENGLISH: MailedLinkTexts = {
  password: 'New password',
  passwordHint: (min) => `At least ${min} characters.`,
  scripts: 'Please switch on JavaScript: the secret of this link is in your browser only.',
  dashboard: 'Go to the dashboard',
  purposes: {
    verify: {
      title: 'Confirm your e-mail address',
      text: 'Press the button to confirm that this address is yours.',
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
    verify: { done: 'Your address is confirmed.' },
    reset: { done: 'Your password is changed. You can log in now.' },
    join: { done: 'Your account is ready. You can log in now.' },
    invalid: 'This link was used already or has expired. Please ask for a new one.',
    refused: 'This password is too short, too long, or the same as your e-mail address.',
    unavailable: 'This did not work yet. Please try again in a moment.',
  },
};

export const MAILED_LINK_TEXTS: Readonly<Record<Language, MailedLinkTexts>> = {
  id: INDONESIAN,
  en: ENGLISH,
};
