// The banks to which payouts can go: the codes of the API and the names that people know. The rails translate the codes.
export const PAYOUT_BANKS = {
  BCA: 'Bank Central Asia (BCA)',
  BNI: 'Bank Negara Indonesia (BNI)',
  BRI: 'Bank Rakyat Indonesia (BRI)',
  MANDIRI: 'Bank Mandiri',
  PERMATA: 'Bank Permata',
  CIMB: 'Bank CIMB Niaga',
  BSI: 'Bank Syariah Indonesia (BSI)',
  BTN: 'Bank Tabungan Negara (BTN)',
  DANAMON: 'Bank Danamon',
  MAYBANK: 'Bank Maybank Indonesia',
  MEGA: 'Bank Mega',
  OCBC: 'Bank OCBC NISP',
  PANIN: 'Bank Panin',
  UOB: 'Bank UOB Indonesia',
} as const satisfies Readonly<Record<string, string>>;

export type BankCode = keyof typeof PAYOUT_BANKS;

export const BANK_CODES = Object.keys(PAYOUT_BANKS) as readonly BankCode[];

export function isPayoutBank(code: string): code is BankCode {
  return Object.hasOwn(PAYOUT_BANKS, code);
}

/** Completes "bank_code …". */
export const BANK_REQUIREMENT = `must be one of ${BANK_CODES.join(', ')} (GET /v1/payout-banks lists their names)`;
