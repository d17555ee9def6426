// Texts of the area home.
import type { Translation } from '@dashboard/shared/text/language.js';
import type { en } from './texts.en.js';

export const id: Translation<typeof en> = {
  home: 'Beranda',
  today: 'Lunas hari ini',
  todayHelp: (count) => `${count} pembayaran`,
  success: 'Tingkat keberhasilan hari ini',
  successHelp: (paid, ended) => `${paid} dari ${ended} lunas`,
  nothingEnded: 'Belum ada pembayaran yang selesai',
  pending: 'Menunggu dibayar',
  atLeast: (count) => `Sedikitnya ${count} pembayaran`,
  balance: 'Saldo tersedia',
  balanceHelp: 'Dapat dicairkan sekarang',
  attention: 'Perlu perhatian Anda',
  allWell: 'Tidak ada yang perlu perhatian Anda.',
  deadLetters: (count) => `${count} webhook gagal dikirim dan tidak dicoba lagi.`,
  failingEndpoints: (count) =>
    `${count} endpoint webhook menjawab dengan kesalahan selama satu jam atau lebih.`,
  manualRefunds: (count) => `${count} pengembalian dana sedang dibayar secara manual.`,
  negative: (amount) =>
    `Saldo tersedia Anda ${amount}. Pencairan dapat dilakukan lagi setelah saldo di atas nol.`,
  look: 'Lihat',
  overTime: 'Pembayaran dari waktu ke waktu',
  period: 'Periode',
  periods: { day: '24 jam', week: '7 hari', month: '30 hari' },
  paid: 'Lunas',
  waiting: 'Menunggu',
  failed: 'Gagal',
  paidAmount: 'Jumlah lunas',
  rate: 'Tingkat keberhasilan',
  time: 'Waktu',
  day: 'Hari',
  sum: 'Total',
  inZone: (zone) =>
    `Lunas dan gagal ditampilkan menurut waktu hasilnya, menunggu menurut waktu pembuatan. Zona waktu: ${zone}.`,
  incomplete: 'Pembayaran yang menunggu terlalu banyak, sebagian tidak dihitung di sini.',
  nothingInPeriod: 'Tidak ada pembayaran dalam periode ini.',
  chart: 'Grafik',
  table: 'Tabel',
  welcome: 'Belum ada pembayaran',
  welcomeHelp: 'Angka muncul di sini begitu ada pembayaran pertama.',
  firstSteps: 'Langkah awal',
  newLink: 'Buat tautan pembayaran',
};
