// Reasons of failed deliveries in Indonesian.
import type { Translation } from './language.js';
import type { REASONS_EN } from './reasons.en.js';

export const REASONS_ID: Translation<typeof REASONS_EN> = {
  http_401: {
    title: 'Tanda tangan ditolak (401)',
    meaning: 'Endpoint Anda tidak menerima tanda tangan.',
    remedy:
      'Pastikan endpoint memakai secret-nya sendiri, memeriksa body mentah, dan tidak dilindungi login.',
  },
  http_404: {
    title: 'Alamat tidak ditemukan (404)',
    meaning: 'Tidak ada rute POST di alamat ini.',
    remedy: 'Perbaiki alamat endpoint, atau tambahkan rutenya di server Anda.',
  },
  http_405: {
    title: 'POST tidak diizinkan (405)',
    meaning: 'Alamat ini hanya menerima GET: mungkin halaman tempat pelanggan kembali.',
    remedy: 'Daftarkan alamat yang menerima webhook lewat POST.',
  },
  http_410: {
    title: 'Endpoint sudah tidak ada (410)',
    meaning: 'Endpoint menyatakan dirinya sudah tidak ada, jadi event ini tidak dikirim lagi.',
    remedy: 'Perbaiki alamatnya, lalu kirim ulang.',
  },
  http_429: {
    title: 'Terlalu banyak permintaan (429)',
    meaning: 'Endpoint Anda meminta jumlah permintaan dikurangi.',
    remedy: 'Kecualikan rute webhook dari pembatasan laju di server Anda.',
  },
  http_status: {
    title: 'Jawaban bukan 2xx',
    meaning: 'Endpoint Anda menjawab dengan kesalahan.',
    remedy: 'Baca jawabannya di bawah dan log server Anda.',
  },
  redirect: {
    title: 'Dialihkan',
    meaning: 'Endpoint Anda mengalihkan permintaan, dan pengalihan tidak diikuti.',
    remedy: 'Daftarkan alamat akhirnya, biasanya dengan https:// dan dengan atau tanpa www.',
  },
  timeout_dns: {
    title: 'Pencarian nama terlalu lama',
    meaning: 'Nama server Anda tidak ditemukan dalam 3 detik.',
    remedy: 'Periksa name server domain Anda.',
  },
  timeout_connect: {
    title: 'Tidak terhubung',
    meaning: 'Tidak ada koneksi ke server Anda dalam 3 detik.',
    remedy: 'Pastikan server berjalan dan firewall membuka port ini.',
  },
  timeout_tls: {
    title: 'TLS terlalu lama',
    meaning: 'TLS handshake tidak selesai dalam 3 detik.',
    remedy: 'Periksa pengaturan HTTPS dan beban server Anda.',
  },
  timeout_response: {
    title: 'Jawaban terlalu lama',
    meaning: 'Endpoint menerima permintaan, tetapi tidak menjawab dalam 10 detik.',
    remedy: 'Simpan event dan langsung jawab; kerjakan sisanya setelah itu.',
  },
  dns: {
    title: 'Nama tidak ditemukan',
    meaning: 'Nama server Anda tidak dapat ditemukan.',
    remedy: 'Periksa salah ketik pada alamat, dan catatan DNS domain Anda.',
  },
  connection: {
    title: 'Koneksi ditolak',
    meaning: 'Koneksi ke server Anda ditolak atau terputus.',
    remedy: 'Pastikan server berjalan dan mendengarkan di port ini.',
  },
  tls: {
    title: 'TLS gagal',
    meaning:
      'Sertifikat TLS server Anda tidak dapat diterima, atau server Anda meminta sertifikat dari pengirim.',
    remedy:
      'Perbarui sertifikat, dan sajikan rantainya secara lengkap. Jangan meminta sertifikat klien.',
  },
  response_invalid: {
    title: 'Jawaban bukan HTTP',
    meaning:
      'Jawabannya bukan HTTP yang benar, header-nya terlalu besar, atau ada jawaban 100 atau 101 yang tidak diminta.',
    remedy:
      'Pastikan server HTTPS menjawab di port ini, dengan satu Content-Length. Setelah jawaban 100, percobaan berikutnya menerimanya.',
  },
  target_refused: {
    title: 'Alamat tidak diizinkan',
    meaning: 'Alamat ini bukan HTTPS publik dengan port 443 atau di atas 1023.',
    remedy: 'Daftarkan alamat HTTPS publik.',
  },
  endpoint_inactive: {
    title: 'Endpoint nonaktif',
    meaning: 'Endpoint sedang nonaktif ketika event akan dikirim.',
    remedy: 'Aktifkan endpoint, lalu kirim ulang.',
  },
  secret_unreadable: {
    title: 'Gangguan layanan',
    meaning: 'Secret endpoint tidak dapat dibaca. Ini bukan kesalahan Anda.',
    remedy: 'Hubungi dukungan, atau ganti secret lalu kirim ulang.',
  },
  not_recorded: {
    title: 'Gangguan layanan',
    meaning: 'Hasil percobaan terakhir tidak dapat disimpan. Ini bukan kesalahan Anda.',
    remedy: 'Kirim ulang.',
  },
};
