// Commands that act only as a row of Postgres says: approved corrections, and ends of LIVE refunds by hand. A gateway signs
// them, but its signature is not enough. The rows are read before the batch and not within its commit: an approval that was
// approved and a stored end change only when the state of their payment has refused them, which it then does here too. A task
// moves the money of a refund only while no end of it is approved or claimed.
import {
  type ApprovedCorrection,
  buildApprovedCommand,
} from '../core/approvals/approved-command.js';
import {
  explainUnstoredEnd,
  type RefundEnd,
  type StoredRefundEnd,
} from '../core/approvals/refund-end.js';
import type { BookApproval, PaymentCommand, SentCommand } from '../core/payment/commands.js';
import type { PaymentState } from '../core/payment/state.js';
import { decodeSnapshot } from '../core/payment/wire/snapshot.js';
import type { PaymentStore } from './ports.js';

export type CommandNeedingRow = BookApproval | RefundEnd;

/** A command of a batch. */
export interface UndecidedCommand {
  /** Set: the command acts only as a row of Postgres says. */
  readonly stored: CommandNeedingRow | undefined;
  /** undefined: the row is not loaded yet. */
  command: PaymentCommand | undefined;
  quarantineReason: string | undefined;
}

export interface StoredDecisionsDeps {
  readonly store: Pick<PaymentStore, 'loadApprovals' | 'loadRefundEnds' | 'loadSnapshots'>;
  /** LIVE refunds above it need two administrators. */
  readonly approvalLimitMinor: bigint;
}

export function needsStoredDecision(sent: SentCommand): sent is CommandNeedingRow {
  return (
    sent.type === 'book_approval' || sent.type === 'complete_refund' || sent.type === 'fail_refund'
  );
}

/** Sets the commands that their rows allow, and marks the others for quarantine. Rejects when Postgres does not answer. */
export async function loadStoredDecisions(
  deps: StoredDecisionsDeps,
  commands: readonly UndecidedCommand[],
): Promise<void> {
  const waiting = commands.flatMap((item) => {
    const { stored, command, quarantineReason } = item;
    const isWaiting = command === undefined && quarantineReason === undefined;
    return isWaiting && stored !== undefined ? [{ item, stored }] : [];
  });
  if (waiting.length === 0) return;
  const build = await loadRows(
    deps,
    waiting.map(({ stored }) => stored),
  );
  for (const { item, stored } of waiting) {
    try {
      item.command = build(stored);
    } catch (error) {
      item.quarantineReason = String(error);
    }
  }
}

/** Returns a function that builds the command, or throws the reason why no row allows it. */
async function loadRows(
  { store, approvalLimitMinor }: StoredDecisionsDeps,
  waiting: readonly CommandNeedingRow[],
): Promise<(stored: CommandNeedingRow) => PaymentCommand> {
  const [bookings, ends]: [BookApproval[], RefundEnd[]] = [[], []];
  for (const one of waiting) {
    if (one.type === 'book_approval') bookings.push(one);
    else ends.push(one);
  }
  const approvals = await loadApprovals(store, bookings);
  const rows = ends.length === 0 ? [] : await store.loadRefundEnds(ends);
  const snapshots = await loadSnapshots(store, ends);
  return (stored) => {
    if (stored.type === 'book_approval') {
      return buildFromApproval(stored, approvals.get(stored.approvalId));
    }
    const snapshot = snapshots.get(stored.paymentId);
    const state = snapshot === undefined ? undefined : decodeSnapshot(snapshot);
    return checkEnd(stored, { state, rows, limitMinor: approvalLimitMinor });
  };
}

async function loadApprovals(
  store: StoredDecisionsDeps['store'],
  bookings: readonly BookApproval[],
): Promise<Map<string, ApprovedCorrection>> {
  if (bookings.length === 0) return new Map();
  const found = await store.loadApprovals(bookings.map(({ approvalId }) => approvalId));
  return new Map(found.map((one) => [one.id, one]));
}

async function loadSnapshots(
  store: StoredDecisionsDeps['store'],
  ends: readonly RefundEnd[],
): Promise<Map<string, string>> {
  if (ends.length === 0) return new Map();
  return store.loadSnapshots([...new Set(ends.map(({ paymentId }) => paymentId))]);
}

function buildFromApproval(
  { approvalId, paymentId }: BookApproval,
  approval: ApprovedCorrection | undefined,
): PaymentCommand {
  if (approval?.paymentId !== paymentId) {
    throw new Error(`the payment ${paymentId} has no approval ${approvalId}`);
  }
  return buildApprovedCommand(approval);
}

interface KnownEnds {
  readonly state: PaymentState | undefined;
  readonly rows: readonly StoredRefundEnd[];
  readonly limitMinor: bigint;
}

function checkEnd(end: RefundEnd, { state, rows, limitMinor }: KnownEnds): RefundEnd {
  const fault = explainUnstoredEnd(end, state, rows, limitMinor);
  if (fault !== undefined) throw new Error(fault);
  return end;
}
