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
  actorId: 'Id of the user',
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
  actorId: 'ID pengguna',
  targetId: 'ID objek',
  became: '→',
  removed: 'dihapus',
  all: 'Semua catatan',
};

export const AUDIT_TEXTS = { en, id };
