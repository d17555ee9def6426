// The texts of the page of an invoice, in Indonesian and English.
import type { Language } from '#gateway/routing/visitor-language.js';
import type { PageMessage } from '../checkout/payable-page.js';

export type ShownStatus = 'open' | 'paid' | 'void';

export interface InvoiceTexts {
  readonly title: string;
  readonly statuses: Readonly<Record<ShownStatus, string>>;
  readonly from: string;
  readonly to: string;
  readonly issued: string;
  readonly due: string;
  readonly paid: string;
  readonly item: string;
  readonly quantity: string;
  readonly unit: string;
  readonly amount: string;
  readonly total: string;
  readonly notes: string;
  readonly button: string;
  readonly next: string;
  readonly overdue: string;
  readonly voided: string;
  readonly thanks: string;
  readonly notLive: string;
  readonly unavailable: string;
  readonly notFound: PageMessage;
}

const INDONESIAN: InvoiceTexts = {
  title: 'Tagihan',
  statuses: { open: 'Belum dibayar', paid: 'Lunas', void: 'Dibatalkan' },
  from: 'Dari',
  to: 'Kepada',
  issued: 'Tanggal',
  due: 'Jatuh tempo',
  paid: 'Dibayar',
  item: 'Uraian',
  quantity: 'Kuantitas',
  unit: 'Harga satuan',
  amount: 'Subtotal',
  total: 'Total',
  notes: 'Catatan',
  button: 'Bayar',
  next: 'Anda memilih metode pembayaran di halaman berikutnya.',
  overdue: 'Sudah lewat jatuh tempo.',
  voided: 'Tagihan ini dibatalkan oleh penjual. Jangan membayarnya.',
  thanks: 'Terima kasih. Pembayaran Anda sudah diterima.',
  notLive: 'Penjual belum dapat menerima pembayaran saat ini. Silakan hubungi penjual.',
  unavailable: 'Pembayaran belum dapat dimulai. Tidak ada yang ditagih; silakan coba lagi.',
  notFound: {
    title: 'Tagihan tidak ditemukan',
    text: 'Periksa alamat halaman ini, atau minta tautan baru kepada penjual.',
  },
};

const ENGLISH: InvoiceTexts = {
  title: 'Invoice',
  statuses: { open: 'To be paid', paid: 'Paid', void: 'Void' },
  from: 'From',
  to: 'To',
  issued: 'Date',
  due: 'Due',
  paid: 'Paid',
  item: 'Description',
  quantity: 'Quantity',
  unit: 'Unit price',
  amount: 'Amount',
  total: 'Total',
  notes: 'Notes',
  button: 'Pay',
  next: 'You choose how to pay on the next page.',
  overdue: 'It is overdue.',
  voided: 'The seller has voided this invoice. Do not pay it.',
  thanks: 'Thank you. Your payment was received.',
  notLive: 'The seller cannot take payments at the moment. Please ask the seller.',
  unavailable: 'The payment could not be started yet. Nothing was charged; please try again.',
  notFound: {
    title: 'Invoice not found',
    text: 'Check the address of this page, or ask the seller for a new link.',
  },
};

export const INVOICE_TEXTS: Readonly<Record<Language, InvoiceTexts>> = {
  id: INDONESIAN,
  en: ENGLISH,
};
