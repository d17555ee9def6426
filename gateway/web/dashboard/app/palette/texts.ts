// Texts of the command palette.
import type { Translation } from '@dashboard/shared/text/language.js';

const en = {
  open: 'Search',
  openKeys: 'Ctrl K',
  placeholder: 'A view, an action, an id, or a payment: reference, customer, amount',
  adminPlaceholder: 'A view, a merchant by name or e-mail, or the id of a payment',
  results: 'Found',
  views: 'Views and actions',
  newInvoice: 'New invoice',
  newPayout: 'New payout',
  switchTo: (environment: string) => `Switch to ${environment}`,
  objects: {
    ref: 'Refund',
    po: 'Payout',
    plink: 'Payment link',
    inv: 'Invoice',
    we: 'Webhook endpoint',
    del: 'Delivery',
    req: 'Request',
  },
  payments: 'Payments',
  administered: 'Merchants and transactions',
  all: (query: string) => `All payments with “${query}”`,
  nothing: 'Nothing found.',
  failed: 'The search failed. Try it again.',
  shortcuts: 'Keyboard shortcuts',
  keys: [
    { keys: '↑ ↓', meaning: 'choose' },
    { keys: 'Enter', meaning: 'open' },
    { keys: 'Esc', meaning: 'close' },
    { keys: 'Ctrl K / ⌘ K', meaning: 'search from everywhere' },
  ],
};

const id: Translation<typeof en> = {
  open: 'Cari',
  openKeys: 'Ctrl K',
  placeholder: 'Halaman, tindakan, ID, atau pembayaran: referensi, pelanggan, jumlah',
  adminPlaceholder: 'Halaman, merchant (nama atau e-mail), atau ID pembayaran',
  results: 'Ditemukan',
  views: 'Halaman dan tindakan',
  newInvoice: 'Tagihan baru',
  newPayout: 'Pencairan baru',
  switchTo: (environment: string) => `Beralih ke ${environment}`,
  objects: {
    ref: 'Pengembalian dana',
    po: 'Pencairan',
    plink: 'Tautan pembayaran',
    inv: 'Tagihan',
    we: 'Endpoint webhook',
    del: 'Pengiriman',
    req: 'Permintaan',
  },
  payments: 'Pembayaran',
  administered: 'Merchant dan transaksi',
  all: (query: string) => `Semua pembayaran dengan “${query}”`,
  nothing: 'Tidak ditemukan.',
  failed: 'Pencarian gagal. Silakan coba lagi.',
  shortcuts: 'Pintasan keyboard',
  keys: [
    { keys: '↑ ↓', meaning: 'pilih' },
    { keys: 'Enter', meaning: 'buka' },
    { keys: 'Esc', meaning: 'tutup' },
    { keys: 'Ctrl K / ⌘ K', meaning: 'cari dari mana saja' },
  ],
};

export const PALETTE_TEXTS = { en, id };
