// The whole state machine of payouts as a grid: rows are situations, columns are commands, a cell
// is the code of the outcome and the events, in order.
import t from 'tap';
import type { PayoutCommand } from '#actors/core/payout/commands.js';
import { decidePayout, type PayoutOutcome } from '#actors/core/payout/decide.js';
import type { PayoutEvent } from '#actors/core/payout/events.js';
import { parseGrids } from '../parse-grid.js';
import * as s from './samples.js';

const MADE = [s.request()];
const SENT = [...MADE, s.SEND];
const DONE = [...SENT, s.COMPLETED];
const REFUSED = [...SENT, s.FAILED];

/** The commands that lead to each situation. */
const SITUATIONS = {
  none: [],
  pending: MADE,
  unsent: [...MADE, s.UNSENT],
  processing: SENT,
  accepted: [...SENT, s.PENDING],
  unresolved: [...SENT, s.UNRESOLVED],
  completed: DONE,
  failed: REFUSED,
  reversed: [...DONE, s.REVERSED],
  manual: [...MADE, s.BY_HAND],
  cancelled: [...MADE, s.CANCEL],
  manual_completed: [...MADE, s.BY_HAND, s.COMPLETE],
  manual_failed: [...MADE, s.BY_HAND, s.FAIL],
  completed_disputed: [...DONE, s.FAILED],
  failed_disputed: [...REFUSED, s.COMPLETED],
  corrected: [...REFUSED, s.COMPLETED, s.COMPLETE],
  reversed_by_hand: [...MADE, s.BY_HAND, s.COMPLETE, s.REVERSE],
  sent_back_by_hand: [...DONE, s.REVERSE],
  reversed_disputed: [...DONE, s.REVERSED, s.COMPLETED],
  refuted: [...DONE, s.FAILED, s.REVERSE],
} as const satisfies Record<string, readonly PayoutCommand[]>;
type Situation = keyof typeof SITUATIONS;

const COMMANDS = {
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
  leave_unsent: s.UNSENT,
  leave_unresolved: s.UNRESOLVED,
  complete: s.COMPLETE,
  complete_otherwise: { ...s.COMPLETE, externalReference: 'bank-9' },
  fail: s.FAIL,
  reverse: s.REVERSE,
  cancel: s.CANCEL,
  reverse_otherwise: { ...s.REVERSE, externalReference: 'bank-1' },
} as const satisfies Record<string, PayoutCommand>;
type CommandName = keyof typeof COMMANDS;

type Cell =
  | PayoutOutcome
  | `${PayoutOutcome} ${PayoutEvent['type']}`
  | `${PayoutOutcome} ${PayoutEvent['type']} ${PayoutEvent['type']}`;

/** `+` a second event. */
const LEGEND: Readonly<Record<string, Cell>> = {
  '.': 'unchanged',
  x: 'state_conflict',
  '-': 'payout_not_found',
  '=': 'replayed',
  conflict: 'idempotency_conflict',
  short: 'balance_insufficient',
  requested: 'created payout_requested',
  sent: 'done payout_sent',
  manual: 'done payout_made_manual',
  accepted: 'done payout_accepted',
  unresolved: 'done payout_left_unresolved',
  completed: 'done payout_completed',
  failed: 'done payout_failed',
  reversed: 'done payout_reversed',
  'comp+rev': 'done payout_completed payout_reversed',
  corrected: 'done payout_corrected',
  disputed: 'done payout_contradicted',
};

const GRIDS: readonly string[] = [
  // Requests, and steps of the rails process.
  `
                    request    request_other  request_too_much  send  make_manual  leave_unsent  leave_unresolved
none                requested  requested      short             -     -            -             -
pending             =          conflict       =                 sent  manual       unresolved    .
unsent              =          conflict       =                 sent  manual       .             .
processing          =          conflict       =                 .     .            .             unresolved
accepted            =          conflict       =                 .     .            .             unresolved
unresolved          =          conflict       =                 .     .            .             .
completed           =          conflict       =                 .     .            .             .
failed              =          conflict       =                 .     .            .             .
reversed            =          conflict       =                 .     .            .             .
manual              =          conflict       =                 .     .            .             .
cancelled           =          conflict       =                 .     .            .             .
manual_completed    =          conflict       =                 .     .            .             .
manual_failed       =          conflict       =                 .     .            .             .
completed_disputed  =          conflict       =                 .     .            .             .
failed_disputed     =          conflict       =                 .     .            .             .
corrected           =          conflict       =                 .     .            .             .
reversed_by_hand    =          conflict       =                 .     .            .             .
sent_back_by_hand   =          conflict       =                 .     .            .             .
reversed_disputed   =          conflict       =                 .     .            .             .
refuted             =          conflict       =                 .     .            .             .
`,
  // Answers of the rail.
  `
                    completed  pending   pending_without_id  reversed  failed    unknown
none                -          -         -                   -         -         -
pending             .          .         .                   .         .         .
unsent              .          .         .                   .         .         .
processing          completed  accepted  .                   comp+rev  failed    .
accepted            completed  .         .                   comp+rev  failed    .
unresolved          completed  accepted  .                   comp+rev  failed    .
completed           .          .         .                   reversed  disputed  .
failed              disputed   .         .                   .         .         .
reversed            disputed   .         .                   .         .         .
manual              .          .         .                   .         .         .
cancelled           .          .         .                   .         .         .
manual_completed    .          .         .                   .         .         .
manual_failed       .          .         .                   .         .         .
completed_disputed  .          .         .                   reversed  .         .
failed_disputed     .          .         .                   .         .         .
corrected           .          .         .                   reversed  disputed  .
reversed_by_hand    .          .         .                   .         .         .
sent_back_by_hand   .          .         .                   .         .         .
reversed_disputed   .          .         .                   .         .         .
refuted             disputed   .         .                   .         .         .
`,
  // Commands of an administrator.
  `
                    complete   complete_otherwise  fail    reverse   reverse_otherwise  cancel
none                -          -                   -       -         -         -
pending             x          x                   x       x         x         failed
unsent              x          x                   x       x         x         failed
processing          x          x                   x       x         x         x
accepted            x          x                   x       x         x         x
unresolved          completed  completed           failed  x         x         x
completed           x          x                   x       reversed  reversed  x
failed              x          x                   x       x         x         x
reversed            x          x                   x       x         x         x
manual              completed  completed           failed  x         x         x
cancelled           x          x                   x       x         x         .
manual_completed    .          x                   x       reversed  reversed  x
manual_failed       x          x                   .       x         x         x
completed_disputed  x          x                   x       reversed  reversed  x
failed_disputed     corrected  corrected           x       x         x         x
corrected           .          x                   x       reversed  reversed  x
reversed_by_hand    x          x                   x       .         x         x
sent_back_by_hand   x          x                   x       .         x         x
reversed_disputed   x          x                   x       x         x         x
refuted             x          x                   x       .         x         x
`,
];

const situations = Object.keys(SITUATIONS) as Situation[];
const commands = Object.keys(COMMANDS) as CommandName[];
const { grids, codes, readCell } = parseGrids(GRIDS);

t.test('the grids have a column per command, a row per situation and no unused code', (t) => {
  t.same(grids.flatMap(({ columns }) => columns).sort(), [...commands].sort());
  for (const { rows } of grids) t.same(rows, situations);
  t.same(codes, Object.keys(LEGEND).sort());
  t.end();
});

for (const command of commands) {
  t.test(`${command} in each situation has the outcome and the events of its cell`, (t) => {
    for (const situation of situations) {
      const before = s.tell(...SITUATIONS[situation]);
      const { outcome, events } = decidePayout(
        s.fold(before),
        COMMANDS[command],
        s.START_MS + 60_000,
      );
      const found = [outcome, ...events.map(({ type }) => type)].join(' ');
      t.equal(found, LEGEND[readCell(command, situation)], situation);
      t.doesNotThrow(() => s.fold([...before, ...events]));
    }
    t.end();
  });
}

t.test('the payout of each situation has the status that the situation names', (t) => {
  const statuses: Readonly<Record<Exclude<Situation, 'none'>, string>> = {
    pending: 'PENDING',
    unsent: 'PENDING',
    processing: 'PROCESSING',
    accepted: 'PROCESSING',
    unresolved: 'PROCESSING',
    completed: 'COMPLETED',
    failed: 'FAILED',
    reversed: 'REVERSED',
    manual: 'MANUAL_REQUIRED',
    cancelled: 'FAILED',
    manual_completed: 'COMPLETED',
    manual_failed: 'FAILED',
    completed_disputed: 'COMPLETED',
    failed_disputed: 'FAILED',
    corrected: 'COMPLETED',
    reversed_by_hand: 'REVERSED',
    sent_back_by_hand: 'REVERSED',
    reversed_disputed: 'REVERSED',
    refuted: 'REVERSED',
  };
  for (const [situation, status] of Object.entries(statuses)) {
    const story = SITUATIONS[situation as Situation];
    t.equal(s.payoutAfter(...story).status, status, situation);
  }
  t.end();
});
