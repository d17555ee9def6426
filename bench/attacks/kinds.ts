// The attacks, and the harmless traffic that each is compared with. Every request is sent at a fixed rate by another
// thread (attacker.ts), by a client address of the attacker's own.
export const ATTACKS = [
  'nothing',
  'uploads',
  'csv',
  'logins',
  'invitations',
  'checkout',
  'dns',
  'logo',
  'qr',
] as const;
export type Attack = (typeof ATTACKS)[number];

export interface AttackPlan {
  readonly purpose: string;
  readonly perSecond: number;
  /** So long the service works off what waits when the attack ends. */
  readonly settlesMs: number;
}

export const PLANS: Readonly<Record<Attack, AttackPlan>> = {
  nothing: {
    purpose: 'harmless reads once more: the noise of this table',
    perSecond: 40,
    settlesMs: 300,
  },
  uploads: { purpose: 'KYC uploads of 8 MiB, eight at a time', perSecond: 8, settlesMs: 1_000 },
  csv: { purpose: 'CSV readers that stop reading', perSecond: 8, settlesMs: 1_000 },
  logins: {
    purpose: 'logins with wrong passwords, from many addresses',
    perSecond: 40,
    settlesMs: 14_000,
  },
  invitations: { purpose: 'a loop of invitations and removals', perSecond: 40, settlesMs: 1_000 },
  checkout: {
    purpose: 'the status of payments that do not exist',
    perSecond: 200,
    settlesMs: 1_000,
  },
  dns: {
    purpose: 'webhook endpoints whose name server is silent',
    perSecond: 40,
    settlesMs: 1_000,
  },
  logo: { purpose: 'uploads of logos that are no pictures', perSecond: 19, settlesMs: 2_000 },
  qr: { purpose: 'pictures of QR codes, from six addresses', perSecond: 200, settlesMs: 2_000 },
};

/** The orders for the attacker's thread, which then takes an attack at a time. */
export interface Orders {
  readonly perSecond: number;
  readonly port: number;
  /** A session of an owner whose merchant has nothing to do with the healthy traffic. */
  readonly token: string;
  readonly key: string;
  /** Payments of the attacker, with QR codes. */
  readonly paymentIds: readonly string[];
}

/** The number of answers by status; 0: the connection broke. */
export type Answered = Readonly<Record<number, number>>;
