// Every kind of task, as its matter can stand, by every action: what may be done, and the money it moves.
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import {
  ACTIONS_OF_KIND,
  type TaskKind,
  isTaskKind,
  TASK_ACTIONS,
} from '#actors/core/tasks/kinds.js';
import { describeUnknownOrder } from '#actors/core/tasks/unknown-order.js';
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
const FEES = 'fees:midtrans:LIVE:IDR';
const SUSPENSE = `suspense:${MERCHANT}:LIVE:IDR`;
const availableOf = (merchantId: string): string => `merchant_available:${merchantId}:LIVE:IDR`;

/** `action: debit > credit`; an action alone moves nothing. */
const TABLE: readonly (readonly [TaskKind, string, readonly string[]])[] = [
  [
    'settlement_suspended',
    'standing',
    [
      `assign: ${SUSPENSE} > ${availableOf(OTHER)}`,
      `credit: ${SUSPENSE} > ${availableOf(MERCHANT)}`,
      `return: ${SUSPENSE} > ${CLEARING}`,
    ],
  ],
  ['settlement_suspended', 'reversed', ['acknowledge']],
  ['settlement_unapplied', 'standing', ['acknowledge']],
  ['suspense_reversed', 'unspent', ['acknowledge']],
  [
    'suspense_reversed',
    'returned',
    [`match: ${CLEARING} > ${SUSPENSE}`, `write_off: ${FEES} > ${SUSPENSE}`],
  ],
  [
    'suspense_reversed',
    `credited:${HOLDER}`,
    [`debit: ${availableOf(HOLDER)} > ${SUSPENSE}`, `write_off: ${FEES} > ${SUSPENSE}`],
  ],
  ['reversal_unapplied', 'standing', ['acknowledge']],
  ['refund_manual_required', 'open', []],
  ['refund_manual_required', 'succeeded', ['acknowledge']],
  ['refund_manual_required', 'failed', ['acknowledge']],
  ['refund_unresolved', 'open', []],
  ['refund_unresolved', 'succeeded', ['acknowledge']],
  ['refund_unresolved', 'failed', ['acknowledge']],
  ['rail_difference', 'standing', ['acknowledge']],
  ['callback_contradicted', 'standing', ['acknowledge']],
  ['refund_on_reversed_payment', 'open', []],
  ['refund_on_reversed_payment', 'failed', ['acknowledge']],
  [
    'refund_on_reversed_payment',
    'succeeded',
    [`debit: ${availableOf(MERCHANT)} > ${SUSPENSE}`, `write_off: ${FEES} > ${SUSPENSE}`],
  ],
  [
    'refund_contradicted',
    'failed',
    [
      'acknowledge',
      `debit: ${availableOf(MERCHANT)} > ${CLEARING}`,
      `write_off: ${FEES} > ${CLEARING}`,
    ],
  ],
  ['attempt_unresolved', 'standing', ['acknowledge']],
  ['invoice_paid_twice', 'standing', ['acknowledge']],
  ['invoice_paid_void', 'standing', ['acknowledge']],
  ['payout_manual_required', 'standing', []],
  ['payout_unresolved', 'standing', []],
  ['payout_contradicted', 'completed', ['acknowledge']],
  ['payout_contradicted', 'failed', ['acknowledge', `write_off: ${FEES} > ${CLEARING}`]],
];

const matterOf = (kind: TaskKind, state: string): TaskContext => ({
  ...{ kind, state, environment: 'LIVE', merchantId: MERCHANT },
  money: { amountMinor: AMOUNT, currency: 'IDR', rail: 'midtrans' },
});

function waysFrom(matter: TaskContext): string[] {
  return TASK_ACTIONS.flatMap((action) => {
    const way = resolveAction(matter, action, OTHER);
    if (way === null) return [];
    if (way.posting === null) return [action];
    const { debit, credit, amountMinor, currency } = way.posting;
    t.same([amountMinor, currency], [AMOUNT, 'IDR'], 'the whole of it');
    return [`${action}: ${debit} > ${credit}`];
  }).sort();
}

t.test('the table', (t) => {
  for (const [kind, standing, ways] of TABLE) {
    t.same(waysFrom(matterOf(kind, standing)), [...ways].sort(), `${kind}, ${standing}`);
    const actions = ways.map((way) => way.split(':')[0] ?? '').sort();
    t.same(
      [...listAllowedActions(kind, standing)].sort(),
      actions,
      `${kind}, ${standing}: told alike`,
    );
    for (const action of actions) t.ok(ACTIONS_OF_KIND[kind].some((one) => one === action));
  }
  const kinds = new Set(TABLE.map(([kind]) => kind)).add('unknown_order');
  t.same([...kinds].sort(), Object.keys(ACTIONS_OF_KIND).sort(), 'every kind');
  t.end();
});

t.test('money of an order that nobody knows', (t) => {
  const matter = { ...matterOf('unknown_order', 'standing'), merchantId: null };
  const account = 'platform_suspense:LIVE:IDR';
  t.same(waysFrom(matter), [
    `assign: ${account} > ${availableOf(OTHER)}`,
    `return: ${account} > ${CLEARING}`,
  ]);
  const money = { amountMinor: AMOUNT, currency: 'IDR', settledAtMs: null };
  const named = { rail: 'midtrans', railTransactionId: 'tx-1', orderId: 'theirs' } as const;
  const settlement = { ...named, ...money };
  const order = describeUnknownOrder(settlement);
  t.match(order.taskId, /^task_[0-9a-z]{26}$/);
  t.match(order.posting, { debit: CLEARING, credit: account, amountMinor: AMOUNT });
  t.same(JSON.parse(order.details), {
    ...{ rail: 'midtrans', railTransactionId: 'tx-1', orderId: 'theirs' },
    ...{ amount: '15000', currency: 'IDR' },
  });
  t.equal(describeUnknownOrder({ ...settlement, orderId: 'other' }).taskId, order.taskId);
  t.not(describeUnknownOrder({ ...settlement, rail: 'xendit' }).taskId, order.taskId);
  t.end();
});

t.test('what is missing makes it impossible', (t) => {
  const matter = matterOf('settlement_suspended', 'standing');
  t.equal(resolveAction(matter, 'assign', null), null, 'nobody is named');
  t.equal(resolveAction({ ...matter, money: null }, 'credit', null), null, 'there is no money');
  t.equal(resolveAction({ ...matter, merchantId: null }, 'credit', null), null);
  t.equal(resolveAction(matter, 'credit', null)?.merchantId, MERCHANT, 'who was credited is told');
  t.ok(isTaskKind('unknown_order'));
  t.notOk(isTaskKind('a_kind_of_tomorrow'));
  t.throws(() => listAllowedActions('a_kind_of_tomorrow' as TaskKind, 'standing'));
  t.end();
});
