// The error codes of the API in the language of the person: the one place that translates them. The API's own message, which
// is English, is the fallback, and stays beside a translation when it says more.
import type { ApiFailure } from '../api/failure.js';
import type { Language } from './language.js';

type Failure = Pick<ApiFailure, 'code' | 'message' | 'param'>;
type CodeTexts = Readonly<Record<string, string>>;

/** Only where the API speaks to programs; its other messages are for people already. */
const ENGLISH: CodeTexts = {
  body_invalid: 'The service did not understand the form. Reload the page, then try again.',
  card_data_refused:
    'Do not enter card numbers or security codes here. In front of another number that looks like one, write letters without a blank, such as NIK or VA.',
  live_not_enabled:
    'LIVE is not switched on yet. Submit the verification of your business, and wait for its approval.',
  idempotency_conflict: 'This was sent before with other values. Reload the page, then try again.',
  payment_processing_failed: 'The payment could not be processed. Try again.',
  outcome_unknown: 'There is no answer yet. Reload the page in a moment to see what happened.',
};

const INDONESIAN: CodeTexts = {
  body_invalid: 'Layanan tidak memahami formulir ini. Muat ulang halaman, lalu coba lagi.',
  amount_invalid: 'Isi jumlah dengan angka, tanpa tanda lain.',
  amount_out_of_range: 'Jumlah ini di luar batas yang diizinkan.',
  currency_unsupported: 'Mata uang ini belum didukung.',
  payment_method_unavailable: 'Metode pembayaran ini sedang tidak tersedia.',
  url_invalid: 'Isi alamat yang diawali https://, tanpa spasi.',
  target_refused: 'Alamat webhook harus dapat dijangkau dari internet.',
  field_invalid: 'Isian ini belum benar.',
  card_data_refused:
    'Jangan mengisi nomor kartu atau kode pengaman di sini. Jika ini nomor lain yang mirip, tulis huruf di depannya tanpa spasi, misalnya NIK atau VA.',
  live_not_enabled: 'LIVE belum aktif. Ajukan verifikasi usaha Anda, lalu tunggu sampai disetujui.',
  idempotency_key_required: 'Permintaan ini tidak lengkap. Muat ulang halaman, lalu coba lagi.',
  idempotency_conflict:
    'Permintaan ini pernah dikirim dengan isian lain. Muat ulang halaman, lalu coba lagi.',
  session_expired: 'Sesi Anda sudah berakhir. Silakan masuk lagi.',
  login_failed: 'Alamat e-mail atau kata sandi salah.',
  role_insufficient: 'Peran Anda tidak mengizinkan tindakan ini.',
  origin_not_allowed: 'Buka dasbor dari alamat yang benar, lalu coba lagi.',
  state_conflict: 'Status saat ini tidak mengizinkan tindakan ini.',
  refund_exceeds_payment: 'Jumlah pengembalian dana melebihi pembayarannya.',
  balance_insufficient: 'Saldo tersedia tidak cukup.',
  rate_limited: 'Terlalu sering. Tunggu sebentar, lalu coba lagi.',
  internal_error: 'Terjadi kesalahan di pihak kami. Kesalahan ini sudah dilaporkan.',
  payment_processing_failed: 'Pembayaran tidak dapat diproses. Silakan coba lagi.',
  overloaded: 'Layanan sedang sibuk. Belum ada yang diproses; silakan coba lagi.',
  dependency_unavailable:
    'Sebagian layanan sedang tidak dapat dijangkau. Belum ada yang diproses; silakan coba lagi.',
  outcome_unknown: 'Belum ada jawaban. Muat ulang halaman sebentar lagi untuk melihat hasilnya.',
  body_too_large: 'Berkas atau isian ini terlalu besar.',
  not_found: 'Data ini tidak ditemukan, atau milik lingkungan lain.',
};

export const ERROR_TEXTS: Readonly<Record<Language, CodeTexts>> = {
  en: ENGLISH,
  id: INDONESIAN,
};

/** Their English message is about the case at hand: a status, a limit or a bound. */
const SPECIFIC = new Set([
  'state_conflict',
  'rate_limited',
  'amount_out_of_range',
  'field_invalid',
]);

/** The requirements of fields, as the API says them, in Indonesian. `$1` is a number or a choice of the message. */
const REQUIREMENTS: readonly (readonly [RegExp, string])[] = [
  [/must (?:be a string of|have) (\d+) to (\d+) characters/, 'Isi $1 sampai $2 karakter.'],
  [/must be a string of at most (\d+) characters/, 'Paling banyak $1 karakter.'],
  [/must be a string of at least 1 character/, 'Wajib diisi.'],
  [/must be a whole number from (\d+) to (\d+)/, 'Isi bilangan bulat dari $1 sampai $2.'],
  [
    /must not contain the [a-z ]+ (U\+[0-9A-F]+), which is character (\d+)/,
    'Karakter ke-$2 ($1) tidak terlihat. Hapus, atau ketik ulang isian ini.',
  ],
  [/must be (\d+) digits/, 'Isi $1 angka.'],
  [/must be (\d+) or (\d+) digits/, 'Isi $1 atau $2 angka.'],
  [/must be one e-mail address/, 'Isi satu alamat e-mail, misalnya budi@example.com.'],
  [/must be an https/, 'Isi alamat yang diawali https://, tanpa spasi.'],
  [/must be a (?:time|day)/, 'Isi tanggal yang benar.'],
  [/must be one of ([^.]+)/, 'Pilih salah satu: $1.'],
  [/code is wrong/, 'Kode ini salah atau sudah dipakai.'],
  [/(?:password is wrong|^is wrong)/, 'Ini salah. Periksa, lalu coba lagi.'],
  [/is required/, 'Wajib diisi.'],
];

/** One text serves the codes of all objects that are missing. */
function findText(language: Language, code: string): string | undefined {
  return ERROR_TEXTS[language][code.endsWith('_not_found') ? 'not_found' : code];
}

/** `detail`: the API's own message, in English; null: the text says it all. */
export function describeError(
  language: Language,
  { code, message }: Failure,
): { readonly text: string; readonly detail: string | null } {
  const text = findText(language, code);
  if (text === undefined) return { text: message, detail: null };
  return { text, detail: SPECIFIC.has(code) ? message : null };
}

/** For beside a field. Its label names it already: `Must be …` instead of `items.0.quantity must be …`. */
export function describeFieldError(language: Language, failure: Failure): string {
  const { code, message, param } = failure;
  const prefix = `${param ?? ''} `;
  const requirement = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  if (language === 'id') {
    const known = REQUIREMENTS.find(([pattern]) => pattern.test(message));
    const found = known?.[0].exec(message);
    if (known && found)
      return known[1].replace(/\$(\d)/g, (_, at: string) => found[Number(at)] ?? '');
  }
  const text = findText(language, code);
  if (text === undefined) return requirement.charAt(0).toUpperCase() + requirement.slice(1);
  return SPECIFIC.has(code) ? `${text} (${requirement})` : text;
}
