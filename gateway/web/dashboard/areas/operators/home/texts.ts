// Texts of the home of administrators.
import type { Translation } from '@dashboard/shared/text/language.js';

const en = {
  home: 'Waiting for you',
  all: 'Show all',
  kyc: 'Merchants to verify',
  kycEmpty: 'No merchant waits.',
  tasks: 'Open tasks',
  tasksEmpty: 'No task is open.',
  ages: { day: 'today', week: 'up to a week', older: 'older than a week' },
  approvals: 'Approvals to decide',
  approvalsEmpty: 'Nothing waits for approval.',
  own: 'proposed by you',
  money: 'To be paid by hand',
  moneyEmpty: 'No LIVE refund or payout waits.',
  refunds: 'Refunds',
  payouts: 'Payouts',
  switches: 'Stopped by a kill switch',
  switchesEmpty: 'Nothing is stopped.',
  rails: 'Rails that do not take payments',
  railsEmpty: 'All rails take payments.',
  suspense: 'Money in suspense',
  suspenseEmpty: 'No money is in suspense.',
  more: (count: string) => `${count} or more`,
} as const;

const id: Translation<typeof en> = {
  home: 'Menunggu Anda',
  all: 'Lihat semua',
  kyc: 'Merchant yang perlu diverifikasi',
  kycEmpty: 'Tidak ada merchant yang menunggu.',
  tasks: 'Tugas terbuka',
  tasksEmpty: 'Tidak ada tugas terbuka.',
  ages: { day: 'hari ini', week: 'sampai seminggu', older: 'lebih dari seminggu' },
  approvals: 'Persetujuan yang perlu diputuskan',
  approvalsEmpty: 'Tidak ada yang menunggu persetujuan.',
  own: 'usulan Anda',
  money: 'Dibayar manual',
  moneyEmpty: 'Tidak ada pengembalian dana atau pencairan LIVE yang menunggu.',
  refunds: 'Pengembalian dana',
  payouts: 'Pencairan',
  switches: 'Dihentikan sakelar darurat',
  switchesEmpty: 'Tidak ada yang dihentikan.',
  rails: 'Rail yang tidak menerima pembayaran',
  railsEmpty: 'Semua rail menerima pembayaran.',
  suspense: 'Dana tertahan',
  suspenseEmpty: 'Tidak ada dana tertahan.',
  more: (count: string) => `${count} atau lebih`,
};

export const HOME_TEXTS = { en, id };
