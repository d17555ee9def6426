// Texts of the parts of the area account.
import type { Translation } from '@dashboard/shared/text/language.js';

const en = {
  passwordRule: 'At least 10 characters.',
  passwordShort: 'This password is too short.',
  showPassword: 'Show the password',
  resend: 'Send the link again',
  resent: (email: string) =>
    `If ${email} waits to be confirmed, a new link is on its way. A few a day are sent.`,
} as const;

const id: Translation<typeof en> = {
  passwordRule: 'Minimal 10 karakter.',
  passwordShort: 'Kata sandi ini terlalu pendek.',
  showPassword: 'Tampilkan kata sandi',
  resend: 'Kirim ulang tautan',
  resent: (email) =>
    `Jika ${email} menunggu konfirmasi, tautan baru sedang dikirim. Jumlahnya dibatasi per hari.`,
};

export const PART_TEXTS = { en, id };
