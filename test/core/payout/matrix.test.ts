// The whole state machine of payouts: for each question and each situation the outcome, then the events. Source:
// the API contract, section 2, and the design, sections 4 and 5.
import t from 'tap';
import type { PayoutCommand } from '#actors/core/payout/commands.js';
import { decidePayout } from '#actors/core/payout/decide.js';
import * as s from './samples.js';

const MADE = [s.request()];
const SENT = [...MADE, s.SEND];
const DONE = [...SENT, s.COMPLETED];
const REFUSED = [...SENT, s.FAILED];

/** The commands that lead there. */
const SITUATIONS = {
  none: [],
  pending: MADE,
  processing: SENT,
  accepted: [...SENT, s.PENDING],
  unresolved: [...SENT, s.UNRESOLVED],
  completed: DONE,
  failed: REFUSED,
  reversed: [...DONE, s.REVERSED],
  manual: [...MADE, s.BY_HAND],
  manual_completed: [...MADE, s.BY_HAND, s.COMPLETE],
  manual_failed: [...MADE, s.BY_HAND, s.FAIL],
  completed_disputed: [...DONE, s.FAILED],
  failed_disputed: [...REFUSED, s.COMPLETED],
  corrected: [...REFUSED, s.COMPLETED, s.COMPLETE],
  reversed_by_hand: [...MADE, s.BY_HAND, s.COMPLETE, s.REVERSE],
} as const satisfies Record<string, readonly PayoutCommand[]>;
type Situation = keyof typeof SITUATIONS;

const QUESTIONS = {
  request: s.request(),
  request_other: s.request({ fingerprint: '1:b' }),
  request_too_much: s.request({ availableMinor: 39_999n }),
  send: s.SEND,
  make_manual: s.BY_HAND,
  completed: s.COMPLETED,
  pending: s.PENDING,
  pending_without_id: s.answer({ result: 'pending', railReference: null }),
  reversed: s.REVERSED,
  failed: s.FAILED,
  unknown: s.UNKNOWN,
  leave_unresolved: s.UNRESOLVED,
  complete: s.COMPLETE,
  complete_otherwise: { ...s.COMPLETE, externalReference: 'bank-9' },
  fail: s.FAIL,
  reverse: s.REVERSE,
  reverse_otherwise: { ...s.REVERSE, externalReference: 'bank-1' },
} as const satisfies Record<string, PayoutCommand>;
type Question = keyof typeof QUESTIONS;

/** What is not named is the rest; of no payout there is none. */
function row(rest: string, cells: Partial<Record<Situation, string>>): Record<Situation, string> {
  const names = Object.keys(SITUATIONS) as Situation[];
  const preset = (name: Situation) => (name === 'none' ? 'payout_not_found' : rest);
  return Object.fromEntries(names.map((name) => [name, cells[name] ?? preset(name)])) as Record<
    Situation,
    string
  >;
}

const completed = 'done payout_completed';
const failed = 'done payout_failed';
const both = 'done payout_completed payout_reversed';
const reversed = 'done payout_reversed';
const corrected = 'done payout_corrected';
const contradicted = 'done payout_contradicted';

const MATRIX: Record<Question, Record<Situation, string>> = {
  request: row('replayed', { none: 'created payout_requested' }),
  request_other: row('idempotency_conflict', { none: 'created payout_requested' }),
  request_too_much: row('replayed', { none: 'balance_insufficient' }),
  send: row('unchanged', { pending: 'done payout_sent' }),
  make_manual: row('unchanged', { pending: 'done payout_made_manual' }),
  completed: row('unchanged', {
    ...{ processing: completed, accepted: completed, unresolved: completed },
    failed: contradicted,
  }),
  pending: row('unchanged', {
    ...{ processing: 'done payout_accepted', unresolved: 'done payout_accepted' },
  }),
  pending_without_id: row('unchanged', {}),
  reversed: row('unchanged', {
    ...{ processing: both, accepted: both, unresolved: both },
    ...{ completed: reversed, completed_disputed: reversed, corrected: reversed },
  }),
  failed: row('unchanged', {
    ...{ processing: failed, accepted: failed, unresolved: failed },
    completed: contradicted,
  }),
  unknown: row('unchanged', {}),
  leave_unresolved: row('unchanged', {
    ...{ processing: 'done payout_left_unresolved', accepted: 'done payout_left_unresolved' },
  }),
  complete: row('state_conflict', {
    ...{ manual: completed, unresolved: completed },
    ...{ manual_completed: 'unchanged', failed_disputed: corrected, corrected: 'unchanged' },
  }),
  complete_otherwise: row('state_conflict', {
    ...{ manual: completed, unresolved: completed, failed_disputed: corrected },
  }),
  fail: row('state_conflict', {
    ...{ manual: failed, unresolved: failed },
    manual_failed: 'unchanged',
  }),
  reverse: row('state_conflict', {
    ...{ completed: reversed, manual_completed: reversed, completed_disputed: reversed },
    ...{ corrected: reversed, reversed_by_hand: 'unchanged' },
  }),
  reverse_otherwise: row('state_conflict', {
    ...{ completed: reversed, manual_completed: reversed, completed_disputed: reversed },
    corrected: reversed,
  }),
};

for (const question of Object.keys(QUESTIONS) as Question[]) {
  t.test(question, (t) => {
    for (const situation of Object.keys(SITUATIONS) as Situation[]) {
      const state = s.fold(s.tell(...SITUATIONS[situation]));
      const { outcome, events } = decidePayout(state, QUESTIONS[question], s.START_MS + 60_000);
      const cell = [outcome, ...events.map(({ type }) => type)].join(' ');
      t.equal(cell, MATRIX[question][situation], `${question} in ${situation}`);
      t.doesNotThrow(() => s.fold([...s.tell(...SITUATIONS[situation]), ...events]));
    }
    t.end();
  });
}

t.test('each situation has the status of its name', (t) => {
  const statuses: Readonly<Record<Exclude<Situation, 'none'>, string>> = {
    pending: 'PENDING',
    processing: 'PROCESSING',
    accepted: 'PROCESSING',
    unresolved: 'PROCESSING',
    completed: 'COMPLETED',
    failed: 'FAILED',
    reversed: 'REVERSED',
    manual: 'MANUAL_REQUIRED',
    manual_completed: 'COMPLETED',
    manual_failed: 'FAILED',
    completed_disputed: 'COMPLETED',
    failed_disputed: 'FAILED',
    corrected: 'COMPLETED',
    reversed_by_hand: 'REVERSED',
  };
  for (const [situation, status] of Object.entries(statuses)) {
    const story = SITUATIONS[situation as Situation];
    t.equal(s.payoutAfter(...story).status, status, situation);
  }
  t.end();
});
