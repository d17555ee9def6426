// Texts of the dialog with the shortcuts.
import type { Translation } from '@dashboard/shared/text/language.js';

const en = {
  title: 'Keyboard shortcuts',
  everywhere: 'Everywhere',
  keys: [
    { keys: '/', meaning: 'Search' },
    { keys: 'Ctrl K', meaning: 'Search, from a field too (⌘ K on a Mac)' },
    { keys: '?', meaning: 'Show these shortcuts' },
    { keys: 'Esc', meaning: 'Close a dialog' },
  ],
  views: 'Open a view: one key after the other',
  isOn: 'Shortcuts of single characters',
  isOnHelp: 'Turn them off if you control the computer by voice. Ctrl K always works.',
};

const id: Translation<typeof en> = {
  title: 'Pintasan keyboard',
  everywhere: 'Di mana saja',
  keys: [
    { keys: '/', meaning: 'Cari' },
    { keys: 'Ctrl K', meaning: 'Cari, juga dari kolom isian (⌘ K di Mac)' },
    { keys: '?', meaning: 'Tampilkan pintasan ini' },
    { keys: 'Esc', meaning: 'Tutup dialog' },
  ],
  views: 'Buka halaman: tekan kedua tombol berurutan',
  isOn: 'Pintasan satu karakter',
  isOnHelp: 'Nonaktifkan jika Anda mengendalikan komputer dengan suara. Ctrl K tetap berfungsi.',
};

export const SHORTCUT_TEXTS = { en, id };
