// Converts between a payout's state and its row.
import type { Environment, MerchantId, PayoutId } from '#actors/core/ids.js';
import { type Currency, makeMinor } from '#actors/core/money.js';
import type { PayoutEffects } from '#actors/core/payout/effects.js';
import type { PayoutEvent } from '#actors/core/payout/events.js';
import type { PayoutWebhook } from '#actors/core/payout/webhooks.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import type {
  PayoutContradiction,
  PayoutFailureCode,
  PayoutStatus,
} from '#actors/core/statuses.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { Postgres } from '../client.js';

/** The columns of the payout's state. */
export interface PayoutRow {
  readonly id: PayoutId;
  readonly merchant_id: MerchantId;
  readonly environment: Environment;
  readonly status: PayoutStatus;
  readonly amount: string;
  readonly currency: Currency;
  readonly bank_code: string;
  readonly account_number: string;
  readonly account_holder: string;
  readonly reference_id: string | null;
  readonly description: string | null;
  readonly fingerprint: string;
  readonly version: number;
  readonly rail: RailName | null;
  readonly rail_reference: string | null;
  readonly external_reference: string | null;
  readonly failure_code: PayoutFailureCode | null;
  readonly is_unresolved: boolean;
  readonly contradiction: PayoutContradiction | null;
  readonly contradiction_closed_at: Date | null;
  readonly is_written_off: boolean;
  readonly reversal_reference: string | null;
  readonly created_at: Date;
  readonly sent_at: Date | null;
  readonly completed_at: Date | null;
  readonly failed_at: Date | null;
  readonly reversed_at: Date | null;
  readonly corrected_at: Date | null;
}

export function selectPayout(sql: Postgres) {
  return sql`
    select id, merchant_id, environment, status, amount, currency, bank_code, account_number,
           account_holder, reference_id, description, fingerprint, version, rail, rail_reference,
           external_reference, failure_code, is_unresolved, contradiction, created_at, sent_at,
           completed_at, failed_at, reversed_at, contradiction_closed_at, is_written_off, reversal_reference,
           corrected_at, look_ups, called_back_at from payouts`;
}

export function buildPayoutState(row: PayoutRow): PayoutState {
  return {
    id: row.id,
    version: row.version,
    merchantId: row.merchant_id,
    environment: row.environment,
    request: {
      amountMinor: makeMinor(BigInt(row.amount)),
      currency: row.currency,
      bankCode: row.bank_code,
      accountNumber: row.account_number,
      accountHolder: row.account_holder,
      referenceId: row.reference_id,
      description: row.description,
    },
    fingerprint: row.fingerprint,
    status: row.status,
    rail: row.rail,
    railReference: row.rail_reference,
    externalReference: row.external_reference,
    failureCode: row.failure_code,
    isUnresolved: row.is_unresolved,
    contradiction: row.contradiction,
    contradictionClosedAtMs: readMs(row.contradiction_closed_at),
    isWrittenOff: row.is_written_off,
    reversalReference: row.reversal_reference,
    createdAtMs: row.created_at.getTime(),
    sentAtMs: readMs(row.sent_at),
    completedAtMs: readMs(row.completed_at),
    failedAtMs: readMs(row.failed_at),
    reversedAtMs: readMs(row.reversed_at),
    correctedAtMs: readMs(row.corrected_at),
  };
}

const readMs = (time: Date | null): number | null => time?.getTime() ?? null;
const buildTime = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

function buildRow(state: PayoutState): PayoutRow {
  const { request } = state;
  return {
    id: state.id,
    merchant_id: state.merchantId,
    environment: state.environment,
    status: state.status,
    amount: request.amountMinor.toString(),
    currency: request.currency,
    bank_code: request.bankCode,
    account_number: request.accountNumber,
    account_holder: request.accountHolder,
    reference_id: request.referenceId,
    description: request.description,
    fingerprint: state.fingerprint,
    version: state.version,
    rail: state.rail,
    rail_reference: state.railReference,
    external_reference: state.externalReference,
    failure_code: state.failureCode,
    is_unresolved: state.isUnresolved,
    contradiction: state.contradiction,
    contradiction_closed_at: buildTime(state.contradictionClosedAtMs),
    is_written_off: state.isWrittenOff,
    reversal_reference: state.reversalReference,
    created_at: new Date(state.createdAtMs),
    sent_at: buildTime(state.sentAtMs),
    completed_at: buildTime(state.completedAtMs),
    failed_at: buildTime(state.failedAtMs),
    reversed_at: buildTime(state.reversedAtMs),
    corrected_at: buildTime(state.correctedAtMs),
  };
}

/** One event of a transition with what follows from it. */
export interface PayoutStep {
  readonly event: PayoutEvent;
  readonly effects: PayoutEffects;
  readonly webhook: PayoutWebhook | null;
}

/** The parameters of the SQL functions, as JSON texts. */
export function writeTransition(state: PayoutState, steps: readonly PayoutStep[]) {
  const events = steps.map(({ event, webhook }) => {
    const { type, version, atMs } = event;
    const sent = {
      event_id: webhook?.eventId,
      webhook: webhook?.type,
      envelope: webhook?.envelope,
    };
    return { type, version, at: new Date(atMs), event: JSON.stringify(describe(event)), ...sent };
  });
  const postings = steps.flatMap(({ event, effects }) =>
    effects.postings.map(({ amountMinor, ...posting }, index) => {
      const amount = amountMinor.toString();
      return { ...posting, amount, index, version: event.version, at: new Date(event.atMs) };
    }),
  );
  const tasks = steps.flatMap(({ effects }) =>
    effects.tasks.map(({ id, kind, details }) => ({ id, kind, details: JSON.stringify(details) })),
  );
  return {
    row: JSON.stringify(buildRow(state)),
    events: JSON.stringify(events),
    postings: JSON.stringify(postings),
    tasks: JSON.stringify(tasks),
  };
}

const IN_COLUMNS = ['type', 'payoutId', 'version', 'atMs'];

/** The fields of an event that are in no column. The row holds everything of a request. */
function describe(event: PayoutEvent): object {
  if (event.type === 'payout_requested') return {};
  return Object.fromEntries(Object.entries(event).filter(([name]) => !IN_COLUMNS.includes(name)));
}
