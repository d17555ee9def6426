// Texts of the shell.
import type { Translation } from '@dashboard/shared/text/language.js';

const en = {
  skip: 'Skip to the content',
  administration: 'Administration',
  menu: 'Menu',
  environment: 'Environment',
  testBar: 'TEST — no real money moves',
  liveBar: 'LIVE — real money',
  language: 'Language',
  languages: { id: 'Bahasa Indonesia', en: 'English' },
  scheme: 'Colours',
  schemes: { light: 'Light', dark: 'Dark', auto: 'As the device' },
  account: 'Account',
  ownAccount: 'My account',
  shortcuts: 'Keyboard shortcuts',
  signOut: 'Sign out',
  signOutFailed: 'You are still signed in',
  navigation: 'Main navigation',
  lost: 'The service does not answer. This view may be out of date. It is tried again.',
} as const;

const id: Translation<typeof en> = {
  skip: 'Langsung ke isi',
  administration: 'Administrasi',
  menu: 'Menu',
  environment: 'Lingkungan',
  testBar: 'TEST — tidak ada uang sungguhan',
  liveBar: 'LIVE — uang sungguhan',
  language: 'Bahasa',
  languages: { id: 'Bahasa Indonesia', en: 'English' },
  scheme: 'Warna',
  schemes: { light: 'Terang', dark: 'Gelap', auto: 'Seperti perangkat' },
  account: 'Akun',
  ownAccount: 'Akun saya',
  shortcuts: 'Pintasan keyboard',
  signOut: 'Keluar',
  signOutFailed: 'Anda belum keluar',
  navigation: 'Navigasi utama',
  lost: 'Layanan tidak menjawab. Tampilan ini mungkin sudah lama. Sedang dicoba lagi.',
};

export const SHELL_TEXTS = { en, id };
