// The texts of mails in Indonesian.
import type { PayoutFailureCode } from '#actors/core/statuses.js';
import {
  type EndpointFields,
  formatTestMark,
  joinLines,
  joinParagraphs,
  type MailKind,
  type MailText,
  NO_ADMINISTRATOR,
  NO_CHANGE,
  NO_ENDPOINT,
  NO_KEY,
  NO_PAYMENT,
  NO_PAYOUT,
  type PaymentFields,
  type ProtectedChange,
} from './mail-text.js';

const REASONS: Readonly<Record<PayoutFailureCode, string>> = {
  account_invalid: 'Rekening bank tidak ada atau sudah ditutup',
  rejected_by_bank: 'Bank menolak transfer',
  bank_unavailable: 'Bank tidak dapat dihubungi',
  processing_failed: 'Transfer tidak dapat diproses',
  cancelled: 'Dibatalkan',
};

const CHANGES: Readonly<Record<ProtectedChange, string>> = {
  endpoint_added: 'Sebuah endpoint webhook LIVE ditambahkan',
  endpoint_changed: 'Sebuah endpoint webhook LIVE diubah',
  endpoint_switched_on: 'Sebuah endpoint webhook LIVE diaktifkan',
  endpoint_switched_off: 'Sebuah endpoint webhook LIVE dinonaktifkan',
  endpoint_secret_rotated: 'Secret sebuah endpoint webhook LIVE diganti',
  endpoint_deleted: 'Sebuah endpoint webhook LIVE dihapus',
  customer_erased: 'Data seorang pelanggan LIVE sedang dihapus',
  mails_switched_off: 'E-mail untuk tim atau pelanggan Anda dinonaktifkan',
  contact_changed: 'Kontak yang dilihat pelanggan Anda diubah',
  key_revoked: 'Sebuah kunci API LIVE dicabut',
  user_invited: 'Seseorang diundang ke akun Anda',
  role_changed: 'Peran seseorang di akun Anda diubah',
  user_removed: 'Seseorang dihapus dari akun Anda',
};

const explainCode = (code = ''): string =>
  `Jika halaman itu meminta kode e-mail ini, tempelkan:\n${code}`;

const describeEndpoint = ({ id, environment, host, since }: EndpointFields): string =>
  joinLines(['Endpoint', `${id} (${host})`], ['Lingkungan', environment], ['Gagal sejak', since]);

const describePayment = ({ id, amount, description, method, paidAt }: PaymentFields): string =>
  joinLines(
    ['Jumlah', amount],
    ['Keterangan', description],
    ['Dibayar lewat', method],
    ['Dibayar pada', paidAt],
    ['Nomor pembayaran', id],
  );

export const INDONESIAN: Readonly<Record<MailKind, MailText>> = {
  verify: {
    subject: ({ brand }) => `Konfirmasi alamat e-mail Anda di ${brand}`,
    body: ({ brand, link = '', code }) =>
      joinParagraphs(
        `Seseorang, semoga Anda, mendaftar di ${brand} dengan alamat ini. Konfirmasi dengan membuka:`,
        link,
        explainCode(code),
        'Anda juga memerlukan kata sandi yang Anda pilih. Tautan berlaku 7 hari dan hanya sekali. Jika bukan Anda, abaikan e-mail ini.',
      ),
  },
  known_address: {
    subject: ({ brand }) => `Anda sudah terdaftar di ${brand}`,
    body: ({ brand }) =>
      joinParagraphs(
        `Seseorang, semoga Anda, mencoba mendaftar di ${brand} dengan alamat ini, yang sudah terdaftar.`,
        'Masuk seperti biasa, atau atur ulang kata sandi Anda. Jika bukan Anda, abaikan e-mail ini.',
      ),
  },
  reset: {
    subject: ({ brand }) => `Atur ulang kata sandi ${brand} Anda`,
    body: ({ link = '', code }) =>
      joinParagraphs(
        'Untuk memilih kata sandi baru, buka:',
        link,
        explainCode(code),
        'Tautan berlaku 1 jam dan hanya sekali. Jika Anda tidak memintanya, abaikan e-mail ini.',
      ),
  },
  invite: {
    subject: ({ brand, businessName = '' }) => `Undangan dari ${businessName} di ${brand}`,
    body: ({ brand, businessName = '', link = '', code }) =>
      joinParagraphs(
        `${businessName} mengundang Anda ke akunnya di ${brand}. Pilih kata sandi Anda di:`,
        link,
        explainCode(code),
        'Tautan berlaku 7 hari dan hanya sekali.',
      ),
  },
  invite_known: {
    subject: ({ brand, businessName = '' }) => `Undangan dari ${businessName} di ${brand}`,
    body: ({ brand, businessName = '' }) =>
      joinParagraphs(
        `${businessName} mengundang Anda ke akunnya di ${brand}, tetapi alamat ini sudah memiliki akun.`,
        'Satu alamat hanya untuk satu akun: mintalah undangan ke alamat lain. Jika tidak ingin, abaikan e-mail ini.',
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
    subject: ({ brand }) => `Langkah kedua akun ${brand} Anda telah diubah`,
    body: () =>
      joinParagraphs(
        'Langkah kedua akun Anda baru saja dipasang, dilepas, atau mendapat kode pemulihan baru.',
        'Jika bukan Anda, segera atur ulang kata sandi Anda.',
      ),
  },
  locked_out: {
    subject: ({ brand }) => `Banyak upaya masuk yang gagal ke akun ${brand} Anda`,
    body: () =>
      joinParagraphs(
        'Karena terlalu banyak upaya masuk yang gagal, akun Anda dikunci untuk beberapa waktu.',
        'Anda tetap dapat masuk dengan peramban yang pernah Anda pakai untuk masuk, atau setelah memilih kata sandi baru melalui tautan e-mail.',
        'Jika bukan Anda, kata sandi Anda tidak tertebak. Pasang langkah kedua bila belum ada.',
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
    subject: ({ brand }) => `Administrator ${brand} telah berubah`,
    body: ({ administrator: { actor, target, change, role } = NO_ADMINISTRATOR }) => {
      const changes = {
        created: `telah dibuat sebagai administrator dengan peran ${role}`,
        role: `telah diberi peran ${role}`,
        disabled: 'telah dinonaktifkan',
        enabled: 'telah diaktifkan kembali',
      };
      return joinParagraphs(
        `${target} ${changes[change]} oleh ${actor ?? 'operator dengan perintah kasir admin'}.`,
        'Jika ini tidak semestinya, nonaktifkan administrator itu dan periksa log audit.',
      );
    },
  },
  protected_change: {
    subject: ({ businessName = '', protectedChange: { change } = NO_CHANGE }) =>
      `${CHANGES[change]} (${businessName})`,
    body: ({ brand, businessName = '', link = '', protectedChange = NO_CHANGE }) =>
      joinParagraphs(
        `${CHANGES[protectedChange.change]}. Akunnya milik ${businessName} di ${brand}.`,
        joinLines(
          ['Diubah', protectedChange.subject],
          ['Diubah oleh', protectedChange.maker ?? brand],
          ['Alamat IP', protectedChange.address],
        ),
        'Jika Anda tidak mengenalinya, batalkan perubahan itu dan ubah kata sandi pembuatnya:',
        link,
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
        ...(invoice?.isTest === true ? ['Ini uji coba: tidak ada uang yang berpindah.'] : []),
        'Lihat rinciannya dan bayar di:',
        link,
        `Jika Anda tidak mengenal ${businessName}, abaikan e-mail ini.`,
      ),
  },
  invoice_reminder: {
    subject: ({ businessName = '', invoice }) =>
      `${formatTestMark(invoice)}Pengingat: tagihan {number} dari ${businessName}`,
    body: ({ businessName = '', link = '', invoice }) =>
      joinParagraphs(
        `${businessName} mengingatkan Anda tentang tagihan {number} sebesar ${invoice?.total ?? ''} yang belum dibayar.`,
        ...(invoice?.due
          ? [`${invoice.isOverdue ? 'Sudah jatuh tempo' : 'Jatuh tempo'}: ${invoice.due}.`]
          : []),
        ...(invoice?.isTest === true ? ['Ini uji coba: tidak ada uang yang berpindah.'] : []),
        'Lihat rinciannya dan bayar di:',
        link,
        `Jika Anda sudah membayarnya, atau tidak mengenal ${businessName}, abaikan e-mail ini.`,
      ),
  },
  endpoint_failing: {
    subject: ({ businessName = '', endpoint = NO_ENDPOINT }) =>
      `Endpoint webhook ${endpoint.host} gagal menerima kiriman (${businessName})`,
    body: ({ brand, businessName = '', endpoint = NO_ENDPOINT }) =>
      joinParagraphs(
        `Selama satu jam atau lebih, setiap kiriman ${brand} ke endpoint webhook ${businessName} gagal:`,
        describeEndpoint(endpoint),
        'Kiriman diulang, sehingga tidak ada yang hilang setelah endpoint berfungsi lagi. Setelah lima hari tanpa keberhasilan, endpoint dinonaktifkan.',
        'Dasbor Anda menunjukkan jawaban server Anda.',
      ),
  },
  endpoint_disabled: {
    subject: ({ businessName = '', endpoint = NO_ENDPOINT }) =>
      `Endpoint webhook ${endpoint.host} dinonaktifkan (${businessName})`,
    body: ({ brand, businessName = '', endpoint = NO_ENDPOINT }) =>
      joinParagraphs(
        `Selama lima hari setiap kiriman ${brand} ke endpoint webhook ${businessName} gagal, sehingga endpoint dinonaktifkan:`,
        describeEndpoint(endpoint),
        'Endpoint tidak menerima event baru. Perbaiki server Anda, aktifkan endpoint di dasbor, lalu kirim ulang kiriman yang gagal, yang disimpan 30 hari.',
      ),
  },
  payment_received: {
    subject: ({ businessName = '', payment = NO_PAYMENT }) =>
      `${formatTestMark(payment)}${businessName} menerima ${payment.amount}`,
    body: ({ brand, businessName = '', payment = NO_PAYMENT }) =>
      joinParagraphs(
        `${businessName} menerima pembayaran di ${brand}:`,
        describePayment(payment),
        ...(payment.isTest ? ['Ini uji coba: tidak ada uang yang berpindah.'] : []),
        'Anda dapat menonaktifkan e-mail ini di pengaturan.',
      ),
  },
  charged_back: {
    subject: ({ businessName = '', payment = NO_PAYMENT, chargedBack = '' }) =>
      `${formatTestMark(payment)}Bank menarik kembali ${chargedBack} (${businessName})`,
    body: ({ brand, businessName = '', payment = NO_PAYMENT, chargedBack = '' }) =>
      joinParagraphs(
        `Bank seorang pelanggan menarik kembali ${chargedBack} dari pembayaran ke ${businessName} di ${brand} (chargeback). Jumlah itu sudah dipotong dari saldo Anda:`,
        describePayment(payment),
        ...(payment.isTest ? ['Ini hanya uji coba: tidak ada uang yang berpindah.'] : []),
        'Jika barangnya belum dikirim, hentikan pengiriman. Tanyakan kepada pelanggan Anda apa yang terjadi.',
      ),
  },
  payout_failed: {
    subject: ({ businessName = '', payout = NO_PAYOUT }) =>
      `${formatTestMark(payout)}Pencairan ${payout.amount} ${payout.isReversed ? 'kembali' : 'gagal'} (${businessName})`,
    body: ({ brand, businessName = '', payout = NO_PAYOUT }) =>
      joinParagraphs(
        payout.isReversed
          ? `Bank mengembalikan uang dari pencairan ${businessName} di ${brand}. Uang itu ada di saldo tersedia Anda lagi:`
          : `Pencairan ${businessName} di ${brand} gagal. Jumlahnya ada di saldo tersedia Anda lagi:`,
        joinLines(
          ['Pencairan', payout.id],
          ['Jumlah', payout.amount],
          [
            'Rekening bank',
            `${payout.bank}${payout.lastFour === '' ? '' : ` ****${payout.lastFour}`}`,
          ],
          ['Referensi Anda', payout.referenceId],
          ['Alasan', payout.reason === null ? null : REASONS[payout.reason]],
        ),
        ...(payout.isTest ? ['Ini uji coba: tidak ada uang yang berpindah.'] : []),
        'Periksa rekening bank sebelum mencoba lagi.',
      ),
  },
  receipt: {
    subject: ({ businessName = '', payment = NO_PAYMENT }) =>
      `${formatTestMark(payment)}Bukti pembayaran dari ${businessName}: ${payment.amount}`,
    body: ({ businessName = '', link = '', payment = NO_PAYMENT }) =>
      joinParagraphs(
        `${businessName} sudah menerima pembayaran Anda. Terima kasih.`,
        describePayment(payment),
        ...(payment.isTest ? ['Ini uji coba: tidak ada uang yang berpindah.'] : []),
        'Lihat pembayaran di:',
        link,
        ...(payment.contacts.length === 0
          ? []
          : [`Ada pertanyaan? Hubungi ${businessName}:\n${payment.contacts.join('\n')}`]),
        `Jika Anda tidak mengenal ${businessName}, abaikan e-mail ini.`,
      ),
  },
};
