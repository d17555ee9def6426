// Texts of the parts of the area account.
import type { Translation } from '@dashboard/shared/text/language.js';

const en = {
  passwordRule: 'At least 10 characters.',
  passwordShort: 'This password is too short.',
  showPassword: 'Show the password',
  resend: 'Ask for a new link',
  resent: (email: string) =>
    `If ${email} waits to be confirmed, there is a new mail with a link. A few a day are possible.`,
} as const;

const id: Translation<typeof en> = {
  passwordRule: 'Minimal 10 karakter.',
  passwordShort: 'Kata sandi ini terlalu pendek.',
  showPassword: 'Tampilkan kata sandi',
  resend: 'Minta tautan baru',
  resent: (email) =>
    `Jika ${email} menunggu konfirmasi, ada e-mail baru berisi tautan. Jumlahnya dibatasi per hari.`,
};

export const PART_TEXTS = { en, id };
