// Texts of the person's passkeys.
import type { Translation } from '@dashboard/shared/text/language.js';

const en = {
  title: 'Passkeys',
  help: 'Confirm with your fingerprint, your face, the PIN of your device or a security key instead of typing a code. A passkey works on this site only, so nobody can trick you out of it.',
  unsupported:
    'This browser cannot use passkeys. Use a current browser, on an address that begins with https.',
  none: 'No passkeys yet.',
  add: 'Add a passkey',
  addHelp: 'Your browser asks where to keep the passkey. Your other sessions end.',
  name: 'Name',
  nameHelp: 'So that you can tell your passkeys apart. Only you see it.',
  nameExample: 'Office laptop',
  addedNotice: 'The passkey is added.',
  place: 'Kept',
  synced: 'Synced between devices',
  oneDevice: 'On one device',
  added: 'Added',
  lastUsed: 'Last used',
  action: 'Actions',
  rename: 'Rename',
  renameNamed: (name: string) => `Rename ${name}`,
  remove: 'Remove',
  removeNamed: (name: string) => `Remove ${name}`,
  removeHelp:
    'You can no longer sign in with it. Your other sessions end. Delete it on your device too.',
  removeLastHelp:
    'Sign-in will need only your password, and your recovery codes stop working. Your other sessions end. Actions with real money will not be possible.',
  removed: 'The passkey is removed.',
} as const;

const id: Translation<typeof en> = {
  title: 'Passkey',
  help: 'Konfirmasi dengan sidik jari, wajah, PIN perangkat, atau kunci keamanan, tanpa mengetik kode. Passkey hanya berfungsi di situs ini, jadi tidak bisa dicuri lewat situs tiruan.',
  unsupported:
    'Peramban ini tidak bisa memakai passkey. Gunakan peramban terbaru, di alamat yang diawali https.',
  none: 'Belum ada passkey.',
  add: 'Tambah passkey',
  addHelp: 'Peramban akan menanyakan tempat menyimpan passkey. Sesi Anda yang lain berakhir.',
  name: 'Nama',
  nameHelp: 'Untuk membedakan passkey Anda. Hanya Anda yang melihatnya.',
  nameExample: 'Laptop kantor',
  addedNotice: 'Passkey sudah ditambahkan.',
  place: 'Disimpan',
  synced: 'Disinkronkan antarperangkat',
  oneDevice: 'Di satu perangkat',
  added: 'Ditambahkan',
  lastUsed: 'Terakhir dipakai',
  action: 'Tindakan',
  rename: 'Ganti nama',
  renameNamed: (name: string) => `Ganti nama ${name}`,
  remove: 'Hapus',
  removeNamed: (name: string) => `Hapus ${name}`,
  removeHelp:
    'Passkey ini tidak bisa lagi dipakai untuk masuk. Sesi Anda yang lain berakhir. Hapus juga di perangkat Anda.',
  removeLastHelp:
    'Masuk hanya akan memerlukan kata sandi, dan kode pemulihan tidak berlaku lagi. Sesi Anda yang lain berakhir. Tindakan dengan uang sungguhan tidak bisa dilakukan.',
  removed: 'Passkey sudah dihapus.',
};

export const PASSKEY_TEXTS = { en, id };
export type PasskeyTexts = typeof en | typeof id;
