// Texts of the team.
import type { Translation } from '@dashboard/shared/text/language.js';
import type { en } from './texts.en.js';

export const id: Translation<typeof en> = {
  title: 'Tim',
  help: 'Orang-orang yang memakai dasbor ini untuk usaha Anda.',
  email: 'Alamat e-mail',
  role: 'Peran',
  status: 'Status',
  factor: 'Langkah kedua',
  factorOn: 'Aktif',
  factorOff: 'Nonaktif',
  since: 'Sejak',
  action: 'Tindakan',
  you: 'Anda',
  active: 'Aktif',
  invited: 'Diundang',
  roles: {
    owner: 'Pemilik',
    developer: 'Developer',
    finance: 'Keuangan',
    viewer: 'Pengamat',
  },
  rights: {
    owner: 'Boleh semuanya: uang, kunci, tim, pengaturan, dan verifikasi.',
    developer:
      'Pembayaran dan pengembalian dana, kunci API, webhook, log API, dan tautan pembayaran. Tanpa pencairan.',
    finance:
      'Pembayaran dan pengembalian dana, pencairan, tagihan, tautan pembayaran, dan verifikasi. Tanpa kunci API.',
    viewer:
      'Melihat pembayaran, tautan pembayaran, dan tagihan. Tidak mengubah apa pun dan tidak melihat rahasia.',
  },
  invite: 'Undang rekan',
  inviteHelp:
    'Kami kirim tautan yang berlaku 7 hari. Dengan tautan itu rekan Anda membuat kata sandi.',
  sendInvitation: 'Kirim undangan',
  inviteSent: (email: string) => `Undangan untuk ${email} sedang dikirim.`,
  emailInvalid: 'Masukkan alamat e-mail, misalnya siti@toko.example.',
  change: 'Ganti peran',
  changeNamed: (email: string) => `Ganti peran ${email}`,
  changed: (email: string) =>
    `Peran ${email} sudah diganti dan langsung berlaku. Kunci API buatannya tetap berlaku.`,
  remove: 'Hapus',
  removeNamed: (email: string) => `Hapus ${email}`,
  removeHelp: (email: string) =>
    `${email} langsung keluar dan tidak bisa lagi memakai dasbor ini. Undangan darinya yang belum diterima tidak berlaku lagi. Ia mungkin masih tahu rahasia endpoint webhook Anda: gantilah.`,
  revokeKeys: 'Cabut juga kunci API buatannya',
  revokeKeysHelp: (names: string) =>
    `Ia tahu kunci ini: ${names}. Setelah dicabut, server yang memakainya gagal sampai memakai kunci lain. Jika tidak, kunci tetap berlaku.`,
  noKeys: 'Tidak ada kunci aktif yang diketahui sebagai buatannya.',
  removeInvitedHelp: (email: string) =>
    `Undangan untuk ${email} tidak berlaku lagi. Alamat ini bisa diundang kembali.`,
  removeSelfHelp:
    'Anda menghapus diri sendiri: Anda langsung keluar, dan hanya pemilik lain yang bisa mengundang Anda kembali.',
  removed: (email: string) => `${email} sudah dihapus.`,
  lastOwner: 'Satu-satunya pemilik: jadikan orang lain pemilik lebih dulu.',
  needsFactor:
    'Hanya orang dengan langkah kedua yang boleh memberi peran ini, karena peran ini bisa mencairkan dana atau membuat kunci untuk mengembalikan dana.',
  setUpFactor: 'Aktifkan langkah kedua',
  needsVerified: 'Konfirmasi dulu alamat e-mail Anda: buka tautan di e-mail konfirmasi.',
};
