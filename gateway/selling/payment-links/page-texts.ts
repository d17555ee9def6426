// The texts of the page of a payment link, in Indonesian and English.
import type { LinkClosed } from '#store/postgres/links-and-invoices/link-uses.js';
import type { Language } from '#gateway/routing/visitor-language.js';
import type { PageMessage } from '../checkout/payable-page.js';

export interface LinkTexts {
  readonly amount: string;
  readonly atLeast: (least: string) => string;
  readonly between: (least: string, most: string) => string;
  readonly name: string;
  readonly email: string;
  readonly optional: string;
  readonly button: string;
  readonly next: string;
  readonly until: string;
  readonly left: (count: string) => string;
  readonly faults: Readonly<Record<LinkFault, string>>;
  readonly closed: Readonly<Record<Exclude<LinkClosed, 'missing'>, PageMessage>>;
  readonly notFound: PageMessage;
}

/** Errors of the form, and `unavailable` when the service fails while it is sent. */
export type LinkFault = 'amount' | 'bounds' | 'name' | 'email' | 'card' | 'unavailable';

const INDONESIAN: LinkTexts = {
  amount: 'Jumlah',
  atLeast: (least) => `Paling sedikit ${least}.`,
  between: (least, most) => `Dari ${least} sampai ${most}.`,
  name: 'Nama',
  email: 'E-mail',
  optional: 'tidak wajib',
  button: 'Bayar',
  next: 'Anda memilih metode pembayaran di halaman berikutnya.',
  until: 'Berlaku sampai',
  left: (count) => `Tersisa ${count} lagi.`,
  faults: {
    amount: 'Tulis jumlahnya dengan angka, misalnya 150.000.',
    bounds: 'Jumlah itu di luar batas.',
    name: 'Nama itu terlalu panjang.',
    email: 'Alamat e-mail itu tidak benar.',
    card: 'Jangan tulis nomor kartu di sini.',
    unavailable: 'Pembayaran belum dapat dimulai. Tidak ada yang ditagih; silakan coba lagi.',
  },
  closed: {
    not_live: {
      title: 'Belum dapat menerima pembayaran',
      text: 'Penjual belum dapat menerima pembayaran saat ini. Silakan hubungi penjual.',
    },
    inactive: {
      title: 'Tautan ini ditutup',
      text: 'Penjual tidak lagi menerima pembayaran lewat tautan ini.',
    },
    expired: {
      title: 'Tautan ini sudah berakhir',
      text: 'Batas waktunya sudah lewat. Silakan minta tautan baru kepada penjual.',
    },
    used_up: {
      title: 'Sudah penuh',
      text: 'Tautan ini sudah dipakai sebanyak yang disediakan. Bila ada pembayaran yang batal, tempatnya terbuka lagi.',
    },
  },
  notFound: {
    title: 'Tautan tidak ditemukan',
    text: 'Periksa alamat halaman ini, atau minta tautan baru kepada penjual.',
  },
};

const ENGLISH: LinkTexts = {
  amount: 'Amount',
  atLeast: (least) => `At least ${least}.`,
  between: (least, most) => `From ${least} to ${most}.`,
  name: 'Name',
  email: 'E-mail',
  optional: 'optional',
  button: 'Pay',
  next: 'You choose how to pay on the next page.',
  until: 'Open until',
  left: (count) => `${count} left.`,
  faults: {
    amount: 'Write the amount in digits, such as 150.000.',
    bounds: 'That amount is outside the bounds.',
    name: 'That name is too long.',
    email: 'That is no e-mail address.',
    card: 'Do not write a card number here.',
    unavailable: 'The payment could not be started yet. Nothing was charged; please try again.',
  },
  closed: {
    not_live: {
      title: 'Not taking payments yet',
      text: 'The seller cannot take payments at the moment. Please ask the seller.',
    },
    inactive: {
      title: 'This link is closed',
      text: 'The seller no longer takes payments by this link.',
    },
    expired: {
      title: 'This link has ended',
      text: 'Its time is over. Please ask the seller for a new one.',
    },
    used_up: {
      title: 'All taken',
      text: 'This link was used as often as it may be. When a payment falls through, a place opens again.',
    },
  },
  notFound: {
    title: 'Link not found',
    text: 'Check the address of this page, or ask the seller for a new link.',
  },
};

export const LINK_TEXTS: Readonly<Record<Language, LinkTexts>> = { id: INDONESIAN, en: ENGLISH };
