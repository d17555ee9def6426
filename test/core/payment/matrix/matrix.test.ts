import t from 'tap';
import { decide } from '#actors/core/payment/decide.js';
import { given, paymentAfter, START_MS } from '#test/support/given-when-then.js';
import { MATRIX } from './matrix-table.js';
import { cancel, create, OTHER_MERCHANT_ID, refund } from '../samples.js';
import { type Question, QUESTIONS, type Situation, SITUATIONS } from './situations.js';

const situations = Object.keys(SITUATIONS) as Situation[];
const questions = Object.keys(QUESTIONS) as Question[];

for (const question of questions) {
  t.test(question, (t) => {
    for (const situation of situations) {
      const { outcome, events } = given(SITUATIONS[situation]).when(QUESTIONS[question](situation));
      const cell = [outcome, ...events.map((event) => event.type)].join(' ');
      t.equal(cell, MATRIX[question][situation], `${question} in ${situation}`);
    }
    t.end();
  });
}

t.test('the table has a row for each question and a cell for each situation', (t) => {
  t.same(Object.keys(MATRIX), questions);
  for (const question of questions) t.same(Object.keys(MATRIX[question]), situations);
  t.end();
});

t.test('every situation is told with the status that its name says', (t) => {
  const status = (situation: Situation) => paymentAfter(SITUATIONS[situation]).status;
  for (const situation of ['t_pending', 'unchosen', 'charging', 'open', 'cancel_asked'] as const) {
    t.equal(status(situation), 'pending', situation);
  }
  for (const situation of ['creating', 'creating_cancel', 'creating_expiry'] as const) {
    t.equal(status(situation), 'creating', situation);
  }
  t.equal(status('expiry_asked'), 'pending');
  t.equal(status('switch_asked'), 'pending');
  for (const situation of ['paid', 't_paid', 'refund_asked', 'refund_manual'] as const) {
    t.equal(status(situation), 'paid', situation);
  }
  t.equal(status('t_refunded'), 'refunded');
  t.equal(status('refunded'), 'refunded');
  for (const situation of ['failed', 't_failed', 'reversed'] as const) {
    t.equal(status(situation), 'failed', situation);
  }
  t.equal(status('t_cancelled'), 'cancelled');
  t.equal(status('cancelled'), 'cancelled');
  t.end();
});

t.test('what is asked in the name of another merchant or environment does not exist', (t) => {
  for (const situation of situations.filter((name) => name !== 'none')) {
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
      const decision = decide(state, command, START_MS);
      t.same(
        decision,
        { events: [], outcome: 'payment_not_found' },
        `${command.type} ${situation}`,
      );
    }
  }
  t.end();
});

t.test(
  'a create with another body, merchant or environment is a conflict in every situation',
  (t) => {
    for (const situation of situations.filter((name) => name !== 'none')) {
      const state = paymentAfter(SITUATIONS[situation]);
      const { environment } = state;
      const same = {
        ...create(environment),
        request: state.request,
        fingerprint: state.fingerprint,
      };
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
  },
);
