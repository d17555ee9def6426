// Texts of the views without a session.
import type { Translation } from '@dashboard/shared/text/language.js';
import type { en } from './texts.en.js';

export const id: Translation<typeof en> = {
  signIn: 'Masuk',
  signInHelp: 'Belum punya akun?',
  email: 'Alamat e-mail',
  password: 'Kata sandi',
  showPassword: 'Tampilkan kata sandi',
  forgot: 'Lupa kata sandi?',
  codeTitle: 'Langkah kedua',
  code: 'Kode',
  codeHelp: 'Enam angka yang sekarang tampil di aplikasi autentikator Anda.',
  recoveryCode: 'Kode pemulihan',
  recoveryHelp:
    'Salah satu dari sepuluh kode yang Anda simpan saat mengaktifkan langkah kedua. Tiap kode berlaku sekali.',
  passkeyHelp: 'Konfirmasi dengan sidik jari, wajah, PIN perangkat, atau kunci keamanan Anda.',
  useFactor: {
    passkey: 'Pakai passkey',
    app: 'Pakai aplikasi autentikator',
    recovery: 'Pakai kode pemulihan',
  },
  back: 'Kembali',
  wrongTitle: 'Gagal masuk',
  wrong: 'Alamat e-mail atau kata sandi salah.',
  wrongCode: 'Kode ini salah atau sudah dipakai. Tunggu kode berikutnya, lalu coba lagi.',
  wrongRecovery: 'Kode pemulihan ini salah atau sudah dipakai.',
  codeMissing: 'Masukkan kodenya.',
  lockedTitle: 'Terlalu banyak percobaan',
  locked: (minutes: number) =>
    `Demi keamanan Anda, proses masuk dijeda. Coba lagi dalam ${minutes} menit, atau buat kata sandi baru.`,
  register: 'Buat akun',
  registerHelp: 'Sudah punya akun?',
  registerNote:
    'Mode TEST langsung bisa dipakai. Pembayaran sungguhan dimulai setelah usaha Anda diverifikasi.',
  businessName: 'Nama usaha',
  businessHelp: 'Pelanggan melihatnya saat membayar. Bisa diganti nanti.',
  passwordIsEmail: 'Pilih kata sandi yang berbeda dari alamat e-mail Anda.',
  emailInvalid: 'Masukkan alamat e-mail, misalnya owner@toko.example.',
  nameMissing: 'Masukkan nama usaha Anda.',
  checkMail: 'Periksa e-mail Anda',
  made: 'Akun Anda sudah dibuat',
  registered: (email: string) =>
    `Kami mengirim tautan ke ${email}. Buka tautan itu dan masukkan kata sandi Anda untuk memastikan alamat ini milik Anda.`,
  registeredHelp:
    'Belum ada e-mail setelah beberapa menit? Lihat folder spam, dan periksa alamat di atas. Jika e-mail itu menyebut Anda sudah terdaftar, masuklah dengan kata sandi lama.',
  goOn: 'Buka dasbor',
  reset: 'Buat kata sandi baru',
  resetHelp: 'Kami kirim tautan untuk membuat kata sandi baru. Tautan berlaku satu jam.',
  sendLink: 'Minta tautan',
  resetSent: (email: string) =>
    `Jika ${email} terdaftar, tautan sedang dikirim. Tautan berlaku satu jam.`,
  toSignIn: 'Kembali ke halaman masuk',
};
