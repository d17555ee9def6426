// Each cell of the grid, checked against `decide`; then the rules that hold in every situation.
import t from 'tap';
import { decide } from '#actors/core/payment/state-machine.js';
import type { PaymentStatus } from '#actors/core/statuses.js';
import { given, paymentAfter, START_MS } from '#test/support/given-when-then.js';
import { parseGrids } from '#test/core/parse-grid.js';
import { cancel, create, OTHER_MERCHANT_ID, refund } from '../samples.js';
import { GRIDS, LEGEND } from './grid.js';
import { COMMANDS, type CommandName, type Situation, SITUATIONS } from './situations.js';

const situations = Object.keys(SITUATIONS) as Situation[];
const existing = situations.filter((situation) => situation !== 'none');
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
      const { outcome, events } = given(SITUATIONS[situation]).when(COMMANDS[command](situation));
      const found = [outcome, ...events.map((event) => event.type)].join(' ');
      t.equal(found, LEGEND[readCell(command, situation)], situation);
    }
    t.end();
  });
}

const STATUSES: Readonly<Record<Exclude<Situation, 'none'>, PaymentStatus>> = {
  t_pending: 'pending',
  t_paid: 'paid',
  t_failed: 'failed',
  t_cancelled: 'cancelled',
  t_refunded: 'refunded',
  unchosen: 'pending',
  creating: 'creating',
  creating_cancel: 'creating',
  creating_expiry: 'creating',
  charging: 'pending',
  open: 'pending',
  cancel_asked: 'pending',
  expiry_asked: 'pending',
  switch_asked: 'pending',
  paid: 'paid',
  refund_asked: 'paid',
  refund_manual: 'paid',
  refunded: 'refunded',
  failed: 'failed',
  cancelled: 'cancelled',
  reversed: 'failed',
};

t.test('the payment of each situation has the status that the situation names', (t) => {
  for (const [situation, status] of Object.entries(STATUSES)) {
    t.equal(paymentAfter(SITUATIONS[situation as Situation]).status, status, situation);
  }
  t.end();
});

t.test('a command of another merchant or environment is answered payment_not_found', (t) => {
  for (const situation of existing) {
    const state = paymentAfter(SITUATIONS[situation]);
    const { environment } = state;
    const other = environment === 'TEST' ? 'LIVE' : 'TEST';
    const foreign = [
      cancel(environment, OTHER_MERCHANT_ID),
      cancel(other),
      refund(null, { environment, merchantId: OTHER_MERCHANT_ID }),
      refund(null, { environment: other }),
    ];
    for (const command of foreign) {
      t.same(
        decide(state, command, START_MS),
        { events: [], outcome: 'payment_not_found' },
        `${command.type} in ${situation}`,
      );
    }
  }
  t.end();
});

t.test('a create with another body, merchant or environment is an idempotency_conflict', (t) => {
  for (const situation of existing) {
    const state = paymentAfter(SITUATIONS[situation]);
    const { environment, request } = state;
    const same = { ...create(environment), request };
    const others = [
      create(environment, { description: 'Three shirts' }),
      { ...same, merchantId: OTHER_MERCHANT_ID },
      { ...same, environment: environment === 'TEST' ? ('LIVE' as const) : ('TEST' as const) },
    ];
    for (const command of others) {
      const decision = decide(state, command, START_MS);
      t.same(decision, { events: [], outcome: 'idempotency_conflict' }, situation);
    }
  }
  t.end();
});
