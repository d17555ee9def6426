// Every kind of task in every state: its allowed actions, and the money that each action moves.
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import {
  ACTIONS_OF_KIND,
  type TaskKind,
  isTaskKind,
  TASK_ACTIONS,
} from '#actors/core/tasks/kinds.js';
import {
  resolveAction,
  type TaskContext,
  listAllowedActions,
} from '#actors/core/tasks/allowed-actions.js';

const MERCHANT = makeId('mer', Buffer.alloc(16, 1));
const OTHER = makeId('mer', Buffer.alloc(16, 2));
const HOLDER = makeId('mer', Buffer.alloc(16, 3));
const AMOUNT = makeMinor(15_000n);
const CLEARING = 'rail_clearing:midtrans:LIVE:IDR';
const BANK = 'rail_clearing:manual:LIVE:IDR';
const FEES = 'fees:midtrans:LIVE:IDR';
const SUSPENSE = `suspense:${MERCHANT}:LIVE:IDR`;
const nameAvailable = (merchantId: string): string => `merchant_available:${merchantId}:LIVE:IDR`;

/** `action: debit > credit`; an action without accounts moves no money. */
const TABLE: readonly (readonly [TaskKind, string, readonly string[]])[] = [
  [
    'settlement_suspended',
    'standing',
    [
      `assign: ${SUSPENSE} > ${nameAvailable(OTHER)}`,
      `credit: ${SUSPENSE} > ${nameAvailable(MERCHANT)}`,
      `return: ${SUSPENSE} > ${BANK}`,
    ],
  ],
  ['settlement_suspended', 'reversed', ['acknowledge']],
  ['settlement_unapplied', 'standing', ['acknowledge']],
  ['suspense_reversed', 'unspent', ['acknowledge']],
  [
    'suspense_reversed',
    'returned',
    [`match: ${BANK} > ${SUSPENSE}`, `write_off: ${FEES} > ${SUSPENSE}`],
  ],
  [
    'suspense_reversed',
    `credited:${HOLDER}`,
    [`debit: ${nameAvailable(HOLDER)} > ${SUSPENSE}`, `write_off: ${FEES} > ${SUSPENSE}`],
  ],
  ['reversal_unapplied', 'standing', ['acknowledge']],
  ['refund_manual_required', 'open', []],
  ['refund_manual_required', 'succeeded', ['acknowledge']],
  ['refund_manual_required', 'failed', ['acknowledge']],
  ['refund_unresolved', 'open', []],
  ['refund_unresolved', 'succeeded', ['acknowledge']],
  ['refund_unresolved', 'failed', ['acknowledge']],
  ['rail_difference', 'standing', ['acknowledge']],
  ['rail_difference', 'bookable', ['acknowledge', 'book']],
  ['callback_contradicted', 'standing', ['acknowledge']],
  ['callback_unconfirmed', 'standing', ['acknowledge']],
  ['instructions_unusable', 'standing', ['acknowledge']],
  ['unknown_order_unresolved', 'standing', ['acknowledge']],
  ['refund_on_reversed_payment', 'open', []],
  ['refund_on_reversed_payment', 'failed', ['acknowledge']],
  [
    'refund_on_reversed_payment',
    'succeeded',
    [`debit: ${nameAvailable(MERCHANT)} > ${SUSPENSE}`, `write_off: ${FEES} > ${SUSPENSE}`],
  ],
  [
    'refund_contradicted',
    'failed',
    [`debit: ${nameAvailable(MERCHANT)} > ${CLEARING}`, `write_off: ${FEES} > ${CLEARING}`],
  ],
  ['refund_contradicted', 'ending', []],
  ['refund_contradicted', 'succeeded', ['acknowledge']],
  ['attempt_unresolved', 'standing', ['acknowledge']],
  ['invoice_paid_twice', 'standing', ['acknowledge']],
  ['invoice_paid_void', 'standing', ['acknowledge']],
  ['balance_negative', 'standing', ['acknowledge']],
  ['payout_manual_required', 'standing', []],
  ['payout_unresolved', 'standing', []],
  ['payout_not_sent', 'standing', []],
  ['payout_contradicted', 'completed', ['acknowledge']],
  ['payout_contradicted', 'failed', ['acknowledge', `write_off: ${FEES} > ${CLEARING}`]],
  ['payout_contradicted', 'written_off', ['acknowledge']],
  ['payout_contradicted', 'reversed', ['acknowledge', `write_off: ${FEES} > ${CLEARING}`]],
];

const buildContext = (kind: TaskKind, state: string): TaskContext => ({
  ...{ kind, state, environment: 'LIVE', merchantId: MERCHANT },
  money: { amountMinor: AMOUNT, currency: 'IDR', rail: 'midtrans' },
});

function listResolved(context: TaskContext): string[] {
  return TASK_ACTIONS.flatMap((action) => {
    const resolved = resolveAction(context, action, OTHER);
    if (resolved === null) return [];
    if (resolved.posting === null) return [action];
    const { debit, credit, amountMinor, currency } = resolved.posting;
    t.same([amountMinor, currency], [AMOUNT, 'IDR'], 'the whole amount');
    return [`${action}: ${debit} > ${credit}`];
  }).sort();
}

t.test('each task in each state allows its actions, with their postings', (t) => {
  for (const [kind, state, actionsAndPostings] of TABLE) {
    t.same(
      listResolved(buildContext(kind, state)),
      [...actionsAndPostings].sort(),
      `${kind}, ${state}`,
    );
    const actions = actionsAndPostings.map((text) => text.split(':')[0] ?? '').sort();
    t.same(
      [...listAllowedActions(kind, state)].sort(),
      actions,
      `${kind}, ${state}: the list agrees`,
    );
    for (const action of actions) t.ok(ACTIONS_OF_KIND[kind].some((one) => one === action));
  }
  const kinds = new Set(TABLE.map(([kind]) => kind)).add('unknown_order');
  t.same([...kinds].sort(), Object.keys(ACTIONS_OF_KIND).sort(), 'every kind has a row');
  t.end();
});

t.test('a task of an unknown order allows assign and return from platform suspense', (t) => {
  const context = { ...buildContext('unknown_order', 'standing'), merchantId: null };
  const account = 'platform_suspense:LIVE:IDR';
  t.same(listResolved(context), [
    `assign: ${account} > ${nameAvailable(OTHER)}`,
    `return: ${account} > ${BANK}`,
  ]);
  t.end();
});

t.test('an action without its money or its assignee is not resolved', (t) => {
  const context = buildContext('settlement_suspended', 'standing');
  t.equal(resolveAction(context, 'assign', null), null, 'no assignee');
  t.equal(resolveAction({ ...context, money: null }, 'credit', null), null, 'no money');
  t.equal(resolveAction({ ...context, merchantId: null }, 'credit', null), null);
  t.equal(resolveAction(context, 'credit', null)?.merchantId, MERCHANT, 'the credited merchant');
  t.ok(isTaskKind('unknown_order'));
  t.notOk(isTaskKind('a_kind_of_tomorrow'));
  t.throws(() => listAllowedActions('a_kind_of_tomorrow' as TaskKind, 'standing'));
  t.end();
});
