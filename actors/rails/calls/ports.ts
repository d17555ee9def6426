// The stores of the loops that the simulator drives: calls and status inquiries, pending commands, due payments, callbacks,
// overdue refunds.
// The simulator replaces them; the functions here open the real ones.
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { PayoutId } from '#actors/core/ids.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  createDueTurns,
  type DuePayment,
  loadDue,
  postponeDue,
  type PostponedPayment,
} from '#store/postgres/payments/due-payments.js';
import { expediteInquiry } from '#store/postgres/payouts/due-payouts.js';
import {
  type NewCallback,
  storeCallback,
  type StoredCallback,
} from '#store/postgres/rails/callbacks.js';
import { type CallQueue, claimCalls, type ClaimedCall } from '#store/postgres/rails/claim-calls.js';
import {
  claimInquiries,
  type ClaimedInquiry,
  type InquiryClaim,
  type RecordedInquiry,
  recordInquiries,
} from '#store/postgres/rails/inquiries.js';
import {
  loadOverdueRefunds,
  openRefundTask,
  type OverdueRefund,
  type RefundTask,
} from '#store/postgres/rails/overdue-refunds.js';
import {
  deletePendingCommands,
  loadPendingCommands,
  type PendingCommand,
} from '#store/postgres/rails/pending-commands.js';
import { pauseAvailability } from '#store/postgres/rails/rail-availability.js';
import {
  beginRefund,
  type CallAnswer,
  type CallClaim,
  recordAnswers,
  recordUnknown,
  recordUnsent,
  repeatRefund,
  repeatUnbegunRefund,
  type UnknownCall,
  type UnsentCall,
} from '#store/postgres/rails/record-answers.js';

/** Calls to rails, their answers, and status inquiries. The functions of store/postgres/rails describe each. */
export interface CallStore {
  claimCalls: (queue: CallQueue, limit: number, answerMs: number) => Promise<ClaimedCall[]>;
  beginRefund: (claim: CallClaim) => Promise<boolean>;
  recordAnswers: (answers: readonly CallAnswer[]) => Promise<boolean[]>;
  recordUnsent: (call: UnsentCall) => Promise<void>;
  recordUnknown: (call: UnknownCall) => Promise<void>;
  repeatRefund: (callId: string, keyMs: number) => Promise<boolean>;
  repeatUnbegunRefund: (callId: string, givenUpMs: number) => Promise<boolean>;
  claimInquiries: (claim: InquiryClaim) => Promise<ClaimedInquiry[]>;
  recordInquiries: (results: readonly RecordedInquiry[]) => Promise<boolean[]>;
  pauseAvailability: (rail: RailName, restMs: number) => Promise<void>;
}

export interface PendingCommandStore {
  loadPendingCommands: (after: string, limit: number, ageMs: number) => Promise<PendingCommand[]>;
  deletePendingCommands: (ids: readonly string[]) => Promise<void>;
}

export interface DuePaymentStore {
  loadDue: (limit: number, underWay: readonly string[]) => Promise<DuePayment[]>;
  postponeDue: (postponed: readonly PostponedPayment[]) => Promise<void>;
}

export interface CallbackStore {
  storeCallback: (callback: NewCallback, inquireInMs: number) => Promise<StoredCallback>;
  expeditePayout: (rail: RailName, id: PayoutId) => Promise<unknown>;
}

export interface OverdueRefundStore {
  loadOverdueRefunds: (afterMs: number, limit: number) => Promise<OverdueRefund[]>;
  openRefundTask: (task: RefundTask) => Promise<void>;
}

export function openCallStore(sql: Postgres): CallStore {
  return {
    claimCalls: (queue, limit, answerMs) => claimCalls(sql, queue, limit, answerMs),
    beginRefund: (claim) => beginRefund(sql, claim),
    recordAnswers: (answers) => recordAnswers(sql, answers),
    recordUnsent: (call) => recordUnsent(sql, call),
    recordUnknown: (call) => recordUnknown(sql, call),
    repeatRefund: (callId, keyMs) => repeatRefund(sql, callId, keyMs),
    repeatUnbegunRefund: (callId, givenUpMs) => repeatUnbegunRefund(sql, callId, givenUpMs),
    claimInquiries: (claim) => claimInquiries(sql, claim),
    recordInquiries: (results) => recordInquiries(sql, results),
    pauseAvailability: (rail, restMs) => pauseAvailability(sql, rail, restMs),
  };
}

export function openPendingCommands(sql: Postgres): PendingCommandStore {
  return {
    loadPendingCommands: (after, limit, ageMs) => loadPendingCommands(sql, after, limit, ageMs),
    deletePendingCommands: (ids) => deletePendingCommands(sql, ids),
  };
}

export function openDuePayments(sql: Postgres): DuePaymentStore {
  const turns = createDueTurns();
  return {
    loadDue: (limit, underWay) => loadDue(sql, turns, limit, underWay),
    postponeDue: (postponed) => postponeDue(sql, postponed),
  };
}

export function openCallbackStore(sql: Postgres): CallbackStore {
  return {
    storeCallback: (callback, inquireInMs) => storeCallback(sql, callback, inquireInMs),
    expeditePayout: (rail, id) => expediteInquiry(sql, rail, id),
  };
}

export function openOverdueRefunds(sql: Postgres): OverdueRefundStore {
  return {
    loadOverdueRefunds: (afterMs, limit) => loadOverdueRefunds(sql, afterMs, limit),
    openRefundTask: (task) => openRefundTask(sql, task),
  };
}
