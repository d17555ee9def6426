// The words of the hosted page, in Indonesian and English. A text that one language lacks does not compile.
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import type { Language } from '#gateway/routing/visitor-language.js';
import type { CheckoutPhase } from './view.js';

export type VirtualAccountMethod = Exclude<ChargeableMethod, 'QRIS'>;

/** The ways to a bank, the most common one first. */
export const CHANNELS = ['mobile', 'atm', 'internet'] as const;
export type Channel = (typeof CHANNELS)[number];

interface Outcome {
  readonly title: string;
  readonly text: string;
}

export interface Texts {
  readonly locale: string;
  readonly testBadge: string;
  readonly testHint: string;
  readonly testLabel: string;
  readonly simulateTitle: string;
  readonly simulatePaid: string;
  readonly simulateFailed: string;
  readonly paying: (merchant: string) => string;
  readonly amount: string;
  readonly orderTitle: string;
  readonly customerTitle: string;
  readonly customer: readonly [name: string, email: string, phone: string];
  readonly description: string;
  readonly reference: string;
  readonly payBefore: string;
  readonly timeLeft: string;
  readonly chooseTitle: string;
  readonly chooseText: string;
  readonly chooseButton: string;
  readonly changeMethod: string;
  readonly methodUnavailable: string;
  readonly qrisHint: string;
  readonly bankHint: string;
  readonly qrTitle: string;
  readonly qrLabel: string;
  readonly qrSave: string;
  readonly qrSteps: readonly string[];
  readonly vaTitle: (bank: string) => string;
  readonly vaNumber: string;
  readonly billerCode: string;
  readonly channels: Readonly<Record<Channel, string>>;
  /** The first step of each. */
  readonly enterChannel: Readonly<Record<Channel, string>>;
  /** The names of menus follow. */
  readonly chooseMenu: string;
  readonly enterNumber: string;
  readonly enterCodeAndNumber: string;
  readonly checkAndPay: string;
  readonly menusDiffer: string;
  readonly copy: string;
  readonly copied: string;
  /** The browser did not copy the number. */
  readonly selected: string;
  readonly stepsTitle: string;
  readonly waiting: string;
  readonly waitingNoScript: string;
  readonly backTo: (merchant: string) => string;
  readonly support: (merchant: string) => string;
  readonly redirecting: string;
  readonly receiptTitle: string;
  readonly method: string;
  readonly paidAt: string;
  readonly print: string;
  readonly saveReceipt: string;
  readonly outcomes: Readonly<Record<Exclude<CheckoutPhase, 'choose' | 'pay'>, Outcome>>;
  readonly noMethods: Outcome;
  readonly notFound: Outcome;
  readonly tooMany: Outcome;
  readonly unavailable: Outcome;
  readonly tryAgain: string;
}

export const BANKS: Readonly<Record<VirtualAccountMethod, string>> = {
  VA_BCA: 'BCA',
  VA_BNI: 'BNI',
  VA_BRI: 'BRI',
  VA_MANDIRI: 'Mandiri',
  VA_PERMATA: 'Permata',
};

/** As receipts name it, in both languages. */
export const nameMethod = (method: ChargeableMethod): string =>
  method === 'QRIS' ? method : `Virtual account ${BANKS[method]}`;

const INDONESIAN: Texts = {
  locale: 'id-ID',
  testBadge: 'TEST',
  testHint: 'Mode uji coba: tidak ada uang yang berpindah.',
  testLabel: 'Mode uji coba',
  simulateTitle: 'Tentukan hasil pembayaran ini:',
  simulatePaid: 'Simulasikan berhasil',
  simulateFailed: 'Simulasikan gagal',
  paying: (merchant) => `Pembayaran kepada ${merchant}`,
  amount: 'Total',
  orderTitle: 'Rincian',
  customerTitle: 'Pelanggan',
  customer: ['Nama', 'E-mail', 'Telepon'],
  description: 'Keterangan',
  reference: 'Nomor pembayaran',
  payBefore: 'Bayar sebelum',
  timeLeft: 'Sisa waktu',
  chooseTitle: 'Pilih metode pembayaran',
  chooseText: 'Anda masih dapat menggantinya sebelum membayar.',
  chooseButton: 'Lanjutkan',
  changeMethod: 'Ganti metode pembayaran',
  methodUnavailable: 'Metode pembayaran itu tidak dapat dipakai saat ini. Silakan pilih yang lain.',
  qrisHint: 'Aplikasi bank atau dompet digital apa pun',
  bankHint: 'Transfer ke virtual account',
  qrTitle: 'Bayar dengan QRIS',
  qrLabel: 'Kode QR pembayaran',
  qrSave: 'Simpan kode QR',
  qrSteps: [
    'Buka aplikasi bank atau dompet digital Anda.',
    'Pindai kode QR ini, atau simpan lalu unggah dari galeri.',
    'Periksa jumlahnya, lalu bayar.',
  ],
  vaTitle: (bank) => `Bayar lewat virtual account ${bank}`,
  vaNumber: 'Nomor virtual account',
  billerCode: 'Kode perusahaan',
  channels: { mobile: 'Mobile banking', atm: 'ATM', internet: 'Internet banking' },
  enterChannel: {
    mobile: 'Buka aplikasinya, lalu masuk.',
    atm: 'Masukkan kartu dan PIN Anda.',
    internet: 'Buka situs resmi bank, lalu masuk.',
  },
  chooseMenu: 'Pilih',
  enterNumber: 'Masukkan nomor virtual account di atas.',
  enterCodeAndNumber: 'Masukkan kode perusahaan, lalu nomor virtual account di atas.',
  checkAndPay: 'Periksa nama dan jumlahnya, lalu bayar.',
  menusDiffer: 'Nama menu dapat sedikit berbeda. Cari “virtual account” bila menunya tidak ada.',
  copy: 'Salin',
  copied: 'Tersalin',
  selected: 'Sudah ditandai: salin dari menu',
  stepsTitle: 'Cara membayar',
  waiting: 'Menunggu pembayaran. Halaman ini berubah sendiri setelah Anda membayar.',
  waitingNoScript: 'Menunggu pembayaran. Muat ulang halaman ini setelah Anda membayar.',
  backTo: (merchant) => `Kembali ke ${merchant}`,
  support: (merchant) => `Butuh bantuan? Hubungi ${merchant}`,
  redirecting: 'Anda akan diarahkan kembali sebentar lagi.',
  receiptTitle: 'Bukti pembayaran',
  method: 'Metode pembayaran',
  paidAt: 'Waktu',
  print: 'Cetak',
  saveReceipt: 'Simpan bukti',
  outcomes: {
    wait: { title: 'Sedang diproses', text: 'Sebentar, status pembayaran sedang diperiksa.' },
    paid: { title: 'Pembayaran berhasil', text: 'Terima kasih. Pembayaran Anda sudah diterima.' },
    failed: {
      title: 'Pembayaran gagal',
      text: 'Pembayaran ini tidak dapat diselesaikan. Silakan kembali dan coba lagi.',
    },
    expired: {
      title: 'Waktu pembayaran habis',
      text: 'Jangan membayar lagi dengan kode atau nomor yang lama. Silakan kembali dan buat pesanan baru.',
    },
    cancelled: { title: 'Pembayaran dibatalkan', text: 'Pembayaran ini dibatalkan oleh penjual.' },
    refunded: { title: 'Dana dikembalikan', text: 'Pembayaran ini sudah dikembalikan.' },
  },
  noMethods: {
    title: 'Belum ada metode pembayaran',
    text: 'Saat ini pembayaran belum dapat diterima. Silakan coba lagi nanti, atau hubungi penjual.',
  },
  tooMany: {
    title: 'Terlalu banyak permintaan',
    text: 'Tunggu sebentar, lalu muat ulang halaman ini. Pembayaran Anda tidak berubah.',
  },
  notFound: {
    title: 'Pembayaran tidak ditemukan',
    text: 'Periksa kembali alamat halaman ini, atau minta tautan baru kepada penjual.',
  },
  unavailable: {
    title: 'Belum dapat ditampilkan',
    text: 'Halaman ini sedang tidak dapat dimuat. Pembayaran Anda tidak berubah.',
  },
  tryAgain: 'Coba lagi',
};

const ENGLISH: Texts = {
  locale: 'en-GB',
  testBadge: 'TEST',
  testHint: 'Test mode: no money moves.',
  testLabel: 'Test mode',
  simulateTitle: 'Decide how this payment ends:',
  simulatePaid: 'Simulate paid',
  simulateFailed: 'Simulate failed',
  paying: (merchant) => `Payment to ${merchant}`,
  amount: 'Total',
  orderTitle: 'Details',
  customerTitle: 'Customer',
  customer: ['Name', 'E-mail', 'Phone'],
  description: 'Description',
  reference: 'Payment number',
  payBefore: 'Pay before',
  timeLeft: 'Time left',
  chooseTitle: 'Choose how to pay',
  chooseText: 'You can still change it before you pay.',
  chooseButton: 'Continue',
  changeMethod: 'Choose another way to pay',
  methodUnavailable: 'That way to pay cannot be used right now. Please choose another.',
  qrisHint: 'Any banking app or e-wallet',
  bankHint: 'Transfer to a virtual account',
  qrTitle: 'Pay with QRIS',
  qrLabel: 'QR code of the payment',
  qrSave: 'Save the QR code',
  qrSteps: [
    'Open your banking app or e-wallet.',
    'Scan this QR code, or save it and pick it from your gallery.',
    'Check the amount, then pay.',
  ],
  vaTitle: (bank) => `Pay through a ${bank} virtual account`,
  vaNumber: 'Virtual account number',
  billerCode: 'Company code',
  channels: { mobile: 'Mobile banking', atm: 'ATM', internet: 'Internet banking' },
  enterChannel: {
    mobile: 'Open the app and log in.',
    atm: 'Insert your card and enter your PIN.',
    internet: 'Open the site of the bank and log in.',
  },
  chooseMenu: 'Choose',
  enterNumber: 'Enter the virtual account number above.',
  enterCodeAndNumber: 'Enter the company code, then the virtual account number above.',
  checkAndPay: 'Check the name and the amount, then pay.',
  menusDiffer:
    'Menus may be named a little differently. Look for “virtual account” if one is missing.',
  copy: 'Copy',
  copied: 'Copied',
  selected: 'Selected: copy it from the menu',
  stepsTitle: 'How to pay',
  waiting: 'Waiting for the payment. This page changes by itself once you have paid.',
  waitingNoScript: 'Waiting for the payment. Reload this page once you have paid.',
  backTo: (merchant) => `Back to ${merchant}`,
  support: (merchant) => `Need help? Contact ${merchant}`,
  redirecting: 'You will be taken back in a moment.',
  receiptTitle: 'Receipt',
  method: 'Paid with',
  paidAt: 'Time',
  print: 'Print',
  saveReceipt: 'Save the receipt',
  outcomes: {
    wait: { title: 'Being processed', text: 'One moment: the payment is being looked up.' },
    paid: { title: 'Payment received', text: 'Thank you. Your payment has arrived.' },
    failed: {
      title: 'Payment failed',
      text: 'This payment could not be completed. Please go back and try again.',
    },
    expired: {
      title: 'Time is up',
      text: 'Do not pay with the old code or number any more. Please go back and place a new order.',
    },
    cancelled: { title: 'Payment cancelled', text: 'The seller has cancelled this payment.' },
    refunded: { title: 'Money returned', text: 'This payment has been returned.' },
  },
  noMethods: {
    title: 'No payment method yet',
    text: 'Payments cannot be taken right now. Please try again later, or ask the seller.',
  },
  tooMany: {
    title: 'Too many requests',
    text: 'Wait a moment, then load this page again. Your payment has not changed.',
  },
  notFound: {
    title: 'Payment not found',
    text: 'Check the address of this page, or ask the seller for a new link.',
  },
  unavailable: {
    title: 'Cannot be shown yet',
    text: 'This page cannot be loaded right now. Your payment has not changed.',
  },
  tryAgain: 'Try again',
};

export const TEXTS: Readonly<Record<Language, Texts>> = { id: INDONESIAN, en: ENGLISH };
