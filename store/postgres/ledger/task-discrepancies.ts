// Checks that an operator task has exactly the postings of its opening and its resolution, and that the state of its
// subject allows the action that closed it. Both are computed anew from the task's row, not by the code that wrote them.
import type { StoredPosting } from './posting-discrepancies.js';

export interface AuditedTask {
  readonly kind: string;
  readonly status: string;
  readonly action: string | null;
  /** The current state of its subject. */
  readonly state: string;
  readonly details: Readonly<Record<string, string>>;
  /** The merchant of the payment; null: the task names no payment. */
  readonly merchantId: string | null;
  readonly environment: string | null;
  readonly targetMerchant: string | null;
  readonly postings: readonly (StoredPosting & { readonly version: number })[];
}

/** The final state of a task's subject after an action: no later event leaves it. */
const CLOSED_STATES: Readonly<Record<string, RegExp>> = {
  'settlement_suspended acknowledge': /^reversed$/,
  'suspense_reversed acknowledge': /^unspent$/,
  'suspense_reversed debit': /^credited:/,
  'suspense_reversed match': /^returned$/,
  'suspense_reversed write_off': /^(credited:|returned$)/,
  'refund_manual_required acknowledge': /^(succeeded|failed)$/,
  'refund_unresolved acknowledge': /^(succeeded|failed)$/,
  'refund_on_reversed_payment acknowledge': /^failed$/,
  'refund_on_reversed_payment debit': /^succeeded$/,
  'refund_on_reversed_payment write_off': /^succeeded$/,
  'refund_contradicted debit': /^failed$/,
  'refund_contradicted write_off': /^failed$/,
  'rail_difference book': /^bookable$/,
  'payout_contradicted write_off': /^written_off$/,
};

/** Of a posting that an earlier version made with the rail's account in place of the bank's. */
const CORRECTION = 'moved_to_manual';

const HOLDING_MONEY = new Set(['settlement_suspended', 'suspense_reversed', 'unknown_order']);

/** Returns one sentence per discrepancy; empty: the task is sound. */
export function findTaskDiscrepancies(task: AuditedTask): readonly string[] {
  const wanted = listExpectedPostings(task);
  const found = task.postings.map(({ version, ...posting }) => formatPosting(version, posting));
  const faults = [
    ...found.filter((line) => !wanted.includes(line)).map((line) => `${line} must not be`),
    ...wanted.filter((line) => !found.includes(line)).map((line) => `${line} is missing`),
  ];
  if (task.status === 'resolved' && task.action === null && HOLDING_MONEY.has(task.kind)) {
    faults.push('it was closed, and its money moved nowhere');
  }
  const closed = CLOSED_STATES[`${task.kind} ${task.action ?? ''}`];
  if (closed?.test(task.state) === false) {
    faults.push(`it was closed by ${task.action ?? ''}, but its subject is ${task.state}`);
  }
  return faults;
}

function formatPosting(version: number, posting: StoredPosting): string {
  const { reason, debit, credit, amountMinor, currency } = posting;
  return `${version}: ${reason} of ${amountMinor} ${currency} from ${debit} to ${credit}`;
}

function listExpectedPostings(task: AuditedTask): readonly string[] {
  const { kind, details, merchantId } = task;
  const environment = task.environment ?? 'LIVE';
  const end = `${environment}:${details['currency'] ?? '?'}`;
  const clearing = `rail_clearing:${details['rail'] ?? '?'}:${end}`;
  const suspense =
    merchantId === null ? `platform_suspense:${end}` : `suspense:${merchantId}:${end}`;
  const line = (version: number, reason: string, debit: string, credit: string): string =>
    `${version}: ${reason} of ${details['amount'] ?? '?'} ${details['currency'] ?? '?'} from ${debit} to ${credit}`;

  const opening = kind === 'unknown_order' ? [line(1, 'order_unknown', clearing, suspense)] : [];
  const about = /^(refund|payout)_contradicted$/.test(kind) ? clearing : suspense;
  const bank = `rail_clearing:manual:${end}`;
  const target = `merchant_available:${task.targetMerchant ?? '?'}:${end}`;
  const legs: Readonly<Record<string, readonly [string, string, string]>> = {
    credit: ['suspense_credited', about, target],
    assign: ['suspense_assigned', about, target],
    return: ['suspense_returned', about, bank],
    match: ['return_matched', bank, about],
    debit: ['merchant_debited', target, about],
    write_off: ['loss_written_off', `fees:${details['rail'] ?? '?'}:${end}`, about],
  };
  const leg = legs[task.action ?? ''];
  if (leg === undefined) return opening;
  const isCorrected = task.postings.some(({ reason }) => reason === CORRECTION);
  if (!isCorrected) return [...opening, line(2, ...leg)];
  const [reason, ...accounts] = leg;
  const [debit, credit] = accounts.map((account) => (account === bank ? clearing : account));
  // The correction turns the rail's account into the bank's on the side where it was posted.
  const [from, to] = reason === 'return_matched' ? [bank, clearing] : [clearing, bank];
  return [...opening, line(2, reason, debit ?? '?', credit ?? '?'), line(2, CORRECTION, from, to)];
}
