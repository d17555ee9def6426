// Texts of the audit log.
import type { Translation } from '@dashboard/shared/text/language.js';

const en = {
  audit: 'Audit log',
  noEntries: 'No entries yet',
  noEntriesHelp: 'Requests of administrators and changes of what matters appear here.',
  at: 'Time',
  who: 'User',
  action: 'Action',
  change: 'Change',
  anyone: 'Anyone',
  anyAction: 'Any action',
  from: 'From',
  to: 'Until',
  ownEntries: (who: string) => `All entries of ${who}`,
  targetId: 'Id of the object',
  became: '→',
  removed: 'removed',
  all: 'All entries',
} as const;

const id: Translation<typeof en> = {
  audit: 'Log audit',
  noEntries: 'Belum ada catatan',
  noEntriesHelp: 'Permintaan administrator dan perubahan penting muncul di sini.',
  at: 'Waktu',
  who: 'Pengguna',
  action: 'Tindakan',
  change: 'Perubahan',
  anyone: 'Siapa saja',
  anyAction: 'Semua tindakan',
  from: 'Dari',
  to: 'Sampai',
  ownEntries: (who: string) => `Semua catatan ${who}`,
  targetId: 'ID objek',
  became: '→',
  removed: 'dihapus',
  all: 'Semua catatan',
};

export const AUDIT_TEXTS = { en, id };
