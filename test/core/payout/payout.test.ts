// Postings, tasks, views and inquiries of a payout, and impossible events.
import t from 'tap';
import type { PayoutCommand } from '#actors/core/payout/commands.js';
import { decidePayout } from '#actors/core/payout/decide.js';
import { derivePayoutEffects } from '#actors/core/payout/effects.js';
import type { PayoutEvent } from '#actors/core/payout/events.js';
import { evolvePayout } from '#actors/core/payout/evolve.js';
import { findNextInquiryInMs } from '#actors/core/payout/schedule.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import { viewPayout } from '#actors/core/payout/view.js';
import * as s from './samples.js';

const HOUR_MS = 3_600_000;

function listEffects(...commands: readonly PayoutCommand[]) {
  let state: PayoutState | undefined;
  return s.tell(...commands).map((event) => {
    state = evolvePayout(state, event);
    return derivePayoutEffects(state, event);
  });
}

const moves = (...commands: readonly PayoutCommand[]) =>
  listEffects(...commands)
    .flatMap(({ postings }) => postings)
    .map(({ reason, debit, credit, amountMinor }) => [
      reason,
      debit.split(':').slice(0, 2).join(':').replace(s.MERCHANT_ID, 'm'),
      credit.split(':').slice(0, 2).join(':').replace(s.MERCHANT_ID, 'm'),
      amountMinor,
    ]);

t.test('each story of a payout makes its postings', (t) => {
  const reserved = ['payout_requested', 'merchant_available:m', 'payout_clearing:m', 40_000n];
  const sent = ['payout_completed', 'payout_clearing:m', 'rail_clearing:xendit', 40_000n];
  const returned = ['payout_failed', 'payout_clearing:m', 'merchant_available:m', 40_000n];
  const reversed = ['payout_reversed', 'rail_clearing:xendit', 'merchant_available:m', 40_000n];
  const byHand = ['payout_completed', 'payout_clearing:m', 'rail_clearing:manual', 40_000n];
  const made = s.request();
  t.strictSame(moves(made, s.SEND, s.PENDING, s.UNKNOWN), [reserved]);
  t.strictSame(moves(made, s.SEND, s.COMPLETED, s.COMPLETED), [reserved, sent]);
  t.strictSame(moves(made, s.SEND, s.FAILED, s.COMPLETED, s.REVERSED), [reserved, returned]);
  t.strictSame(moves(made, s.SEND, s.COMPLETED, s.REVERSED), [reserved, sent, reversed]);
  t.strictSame(moves(made, s.SEND, s.REVERSED), [reserved, sent, reversed]);
  t.strictSame(moves(made, s.BY_HAND, s.COMPLETE), [reserved, byHand]);
  t.strictSame(moves(made, s.BY_HAND, s.FAIL), [reserved, returned]);
  t.strictSame(moves(made, s.SEND, s.UNRESOLVED, s.COMPLETE), [reserved, sent]);
  const manualBack = ['payout_reversed', 'rail_clearing:manual', 'merchant_available:m', 40_000n];
  t.strictSame(moves(made, s.BY_HAND, s.COMPLETE, s.REVERSE), [reserved, byHand, manualBack]);
  const again = ['payout_corrected', 'merchant_available:m', 'rail_clearing:xendit', 40_000n];
  const refused = [made, s.SEND, s.FAILED, s.COMPLETED];
  t.strictSame(moves(...refused, s.COMPLETE), [reserved, returned, again]);
  t.strictSame(moves(...refused, s.COMPLETE, s.REVERSED), [reserved, returned, again, reversed]);
  t.end();
});

t.test(
  'a payout that needs a person opens one task of each kind, or of each contradiction',
  (t) => {
    const tasks = (...commands: readonly PayoutCommand[]) =>
      listEffects(s.request(), ...commands).flatMap((effects) => effects.tasks);
    const id = (number: string) => `task_${s.PAYOUT_ID.slice(3)}0000${number}`;
    const details = { payoutId: s.PAYOUT_ID, amount: '40000', currency: 'IDR' };
    t.strictSame(tasks(s.BY_HAND, s.COMPLETE), [
      {
        id: id('00'),
        kind: 'payout_manual_required',
        details: { ...details, status: 'MANUAL_REQUIRED' },
      },
    ]);
    t.match(tasks(s.SEND, s.UNRESOLVED, s.UNRESOLVED), [
      {
        id: id('01'),
        kind: 'payout_unresolved',
        details: { status: 'PROCESSING', rail: 'xendit' },
      },
    ]);
    t.match(tasks(s.UNSENT, s.UNSENT, s.SEND, s.UNRESOLVED), [
      { id: id('03'), kind: 'payout_not_sent', details: { status: 'PENDING' } },
      { id: id('01'), kind: 'payout_unresolved', details: { status: 'PROCESSING' } },
    ]);
    t.equal(s.payoutAfter(s.request(), s.UNSENT, s.BY_HAND).isUnresolved, false);
    t.match(tasks(s.SEND, s.FAILED, s.COMPLETED, s.COMPLETED), [
      { kind: 'payout_contradicted', details: { status: 'FAILED', said: 'completed' } },
    ]);
    t.match(tasks(s.SEND, s.COMPLETED, s.FAILED, s.FAILED), [
      { kind: 'payout_contradicted', details: { status: 'COMPLETED', said: 'failed' } },
    ]);
    t.match(tasks(s.SEND, s.COMPLETED, s.REVERSED, s.COMPLETED, s.COMPLETED), [
      { kind: 'payout_contradicted', details: { status: 'REVERSED', said: 'completed' } },
    ]);
    t.strictSame(tasks(s.SEND, s.COMPLETED, s.REVERSED), []);
    t.end();
  },
);

t.test('a different word of the rail after a decision opens a task of its own', (t) => {
  const corrected = [s.request(), s.SEND, s.FAILED, s.COMPLETED, s.COMPLETE, s.FAILED, s.FAILED];
  const found = listEffects(...corrected).flatMap(({ tasks }) => tasks);
  t.match(found, [
    { id: `task_${s.PAYOUT_ID.slice(3)}000402`, details: { status: 'FAILED', said: 'completed' } },
    { id: `task_${s.PAYOUT_ID.slice(3)}000602`, details: { status: 'COMPLETED', said: 'failed' } },
  ]);
  t.equal(found.length, 2, 'the repeated word opens none');
  t.end();
});

t.test('a word against a loss that was written off opens a task, other words open none', (t) => {
  const decided = { contradictionClosedAtMs: s.START_MS };
  for (const story of [
    [s.SEND, s.FAILED, s.COMPLETED],
    [s.SEND, s.COMPLETED, s.REVERSED, s.COMPLETED],
  ]) {
    const disputed = s.payoutAfter(s.request(), ...story);
    const types = (state: PayoutState, command: PayoutCommand) =>
      decidePayout(state, command, 0).events.map(({ type }) => type);
    const confirmed = { ...disputed, ...decided };
    for (const word of [s.COMPLETED, s.FAILED, s.REVERSED, s.PENDING, s.UNKNOWN]) {
      t.strictSame(types(confirmed, word), [], 'acknowledged: the record is right');
    }
    const writtenOff = { ...confirmed, isWrittenOff: true };
    for (const word of [s.FAILED, s.REVERSED]) {
      t.strictSame(types(writtenOff, word), ['payout_contradicted']);
    }
    for (const word of [s.COMPLETED, s.PENDING, s.UNKNOWN])
      t.strictSame(types(writtenOff, word), []);
    const [event] = decidePayout(writtenOff, s.FAILED, 0).events;
    if (event === undefined) throw new Error('the word opens a task');
    const again = evolvePayout(writtenOff, event);
    t.match(again, { contradiction: 'failed', contradictionClosedAtMs: null });
    t.strictSame(types(again, s.REVERSED), [], 'one task at a time');
    t.equal(decidePayout(again, s.COMPLETE, 0).outcome, 'state_conflict', 'nobody pays twice');
  }
  t.end();
});

t.test('a payout is shown with all fields, without its rail', (t) => {
  t.strictSame(viewPayout(s.payoutAfter(s.request(), s.SEND, s.COMPLETED, s.REVERSED)), {
    id: s.PAYOUT_ID,
    object: 'payout',
    environment: 'LIVE',
    status: 'REVERSED',
    amount: '40000',
    currency: 'IDR',
    bank_code: 'BCA',
    account_number: '1234567890',
    account_holder: 'Budi Santoso',
    reference_id: 'gaji-1',
    description: null,
    failure_code: null,
    created_at: '2026-08-02T10:15:30.123Z',
    completed_at: '2026-08-02T10:15:32.123Z',
    failed_at: null,
    reversed_at: '2026-08-02T10:15:33.123Z',
  });
  const failed = s.payoutAfter(s.request(), s.SEND, s.FAILED);
  t.match(viewPayout(failed), { failure_code: 'rejected_by_bank', failed_at: String });
  const byHand = s.payoutAfter(s.request(), s.BY_HAND, s.FAIL);
  t.match(viewPayout(byHand), { failure_code: 'processing_failed' });
  t.equal(byHand.externalReference, 'bank-8');
  const corrected = s.payoutAfter(s.request(), s.SEND, s.FAILED, s.COMPLETED, s.COMPLETE);
  const whole = { status: 'COMPLETED', failure_code: null, failed_at: null, completed_at: String };
  t.match(viewPayout(corrected), whole, 'a corrected failure is not shown');
  t.equal(
    decidePayout({ ...corrected, status: 'FAILED' }, s.COMPLETE, 0).outcome,
    'state_conflict',
  );
  t.end();
});

t.test('the rail’s reference is kept when a later answer has none', (t) => {
  t.equal(s.payoutAfter(s.request(), s.SEND, s.PENDING).railReference, 'disb-1');
  const silent = s.answer({ result: 'completed', railReference: null });
  t.equal(s.payoutAfter(s.request(), s.SEND, s.PENDING, silent).railReference, 'disb-1');
  t.end();
});

t.test('status inquiries follow the steps, then the ages after completion', (t) => {
  const stepsMs = [30_000, 60_000];
  const next = (state: PayoutState, inquiries: number, afterMs = 0): number | null =>
    findNextInquiryInMs(state, { nowMs: s.START_MS + afterMs, inquiries, stepsMs });
  const sent = s.payoutAfter(s.request(), s.SEND);
  t.strictSame([next(sent, 0), next(sent, 1), next(sent, 9)], [30_000, 60_000, 60_000]);
  t.equal(findNextInquiryInMs(sent, { nowMs: 0, inquiries: 0, stepsMs: [] }), HOUR_MS);
  const completed = s.payoutAfter(s.request(), s.SEND, s.COMPLETED);
  const age = (hours: number) => 2_000 + hours * HOUR_MS;
  t.equal(next(completed, 0, age(0)), HOUR_MS);
  t.equal(next(completed, 0, age(1)), 5 * HOUR_MS);
  t.equal(next(completed, 0, age(30)), 18 * HOUR_MS);
  t.equal(next(completed, 0, age(168)), null, 'none after a week');
  const sandbox = s.payoutAfter(
    s.request({ environment: 'TEST' }),
    { type: 'send', rail: 'sandbox' },
    s.COMPLETED,
  );
  t.equal(next(sandbox, 0), null, 'the sandbox sends nothing back');
  t.equal(next(s.payoutAfter(s.request(), s.BY_HAND, s.COMPLETE), 0), null);
  const failedByHand = s.payoutAfter(s.request(), s.SEND, s.UNRESOLVED, s.FAIL);
  t.equal(next(failedByHand, 0, 3_000), HOUR_MS, 'its rail may have paid');
  t.equal(next(failedByHand, 0, 3_000 + 168 * HOUR_MS), null, 'none after a week');
  t.equal(next(s.payoutAfter(s.request(), s.SEND, s.FAILED), 0), null, 'the rail said so');
  t.equal(next(s.payoutAfter(s.request(), s.BY_HAND, s.FAIL), 0), null, 'no rail was asked');
  t.equal(next(s.payoutAfter(s.request()), 0), null);
  t.equal(next({ ...completed, completedAtMs: null }, 0), null);
  t.end();
});

t.test('a callback leads to further inquiries within the hour', (t) => {
  const next = (state: PayoutState, ageMs: number, stepsMs: readonly number[] = []) =>
    findNextInquiryInMs(state, {
      ...{ nowMs: s.START_MS + ageMs, inquiries: 0, stepsMs },
      calledBackAtMs: s.START_MS,
    });
  const failed = s.payoutAfter(s.request(), s.SEND, s.FAILED);
  t.strictSame(
    [0, 2_000, 59_999, 600_000, 3_600_000].map((ageMs) => next(failed, ageMs)),
    [2_000, 8_000, 1, 3_000_000, null],
  );
  const sent = s.payoutAfter(s.request(), s.SEND);
  t.equal(next(sent, 2_000, [30_000]), 8_000, 'the earlier of both schedules');
  t.equal(next(sent, 2_000, [5_000]), 5_000);
  t.equal(next(sent, 3_600_000, [30_000]), 30_000);
  t.end();
});

t.test('a contradiction is closed by the correction, or earlier by a person', (t) => {
  const open = s.payoutAfter(s.request(), s.SEND, s.COMPLETED, s.FAILED);
  const closedAtMs = (state: PayoutState): number | null => {
    const { events } = decidePayout(state, s.REVERSE, s.START_MS + 60_000);
    const [event] = events as [PayoutEvent];
    return evolvePayout(state, event).contradictionClosedAtMs;
  };
  t.equal(closedAtMs(open), s.START_MS + 60_000, 'by the correction');
  t.equal(closedAtMs({ ...open, contradictionClosedAtMs: 7 }), 7, 'or earlier by a person');
  t.equal(closedAtMs(s.payoutAfter(s.request(), s.SEND, s.COMPLETED)), null, 'no contradiction');
  t.end();
});

t.test('an answer to a payout that is not processing has no effect', (t) => {
  const sent = s.payoutAfter(s.request(), s.SEND);
  for (const status of ['PENDING', 'MANUAL_REQUIRED'] as const) {
    t.equal(decidePayout({ ...sent, status }, s.COMPLETED, 0).outcome, 'unchanged', status);
  }
  t.end();
});

t.test('an event out of order or a value outside its union throws', (t) => {
  const events = s.tell(s.request(), s.SEND);
  const [first, second] = events as [PayoutEvent, PayoutEvent];
  const state = evolvePayout(undefined, first);
  t.throws(() => evolvePayout(undefined, second), /does not follow version 0/);
  t.throws(() => evolvePayout(undefined, { ...first, version: 2 }), /does not follow/);
  t.throws(() => evolvePayout(state, first), /does not follow version 1/);
  t.throws(() => evolvePayout(state, { ...first, version: 2 }), /does not follow version 1/);
  t.throws(() => evolvePayout(evolvePayout(state, second), second), /does not follow version 2/);
  const strange = { type: 'strange', payoutId: s.PAYOUT_ID, version: 2, atMs: 0 } as never;
  t.throws(() => evolvePayout(state, strange), /impossible/);
  t.throws(() => derivePayoutEffects(state, strange), /impossible/);
  t.throws(() => decidePayout(state, { type: 'strange' } as never, 0), /impossible/);
  const sent = s.payoutAfter(s.request(), s.SEND);
  t.throws(() => decidePayout(sent, s.answer({ result: 'strange' } as never), 0), /impossible/);
  const failed = s.payoutAfter(s.request(), s.SEND, s.FAILED);
  t.throws(() => decidePayout(failed, s.answer({ result: 'strange' } as never), 0), /impossible/);
  const odd = { ...sent, status: 'ODD' } as never;
  t.throws(() => decidePayout(odd, s.UNKNOWN, 0), /impossible/);
  t.end();
});
