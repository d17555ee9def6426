// The end of a LIVE refund by hand needs a stored row of one administrator, or of two above the limit.
import t from 'tap';
import { explainUnstoredEnd, type StoredRefundEnd } from '#actors/core/approvals/refund-end.js';
import { makeId } from '#actors/core/ids.js';
import { paymentAfter, tell } from '#test/support/given-when-then.js';
import { SITUATIONS } from '../payment/matrix/situations.js';
import * as p from '../payment/samples.js';

const LIMIT = p.AMOUNT;
const LIVE = paymentAfter(SITUATIONS.refund_manual);
const TEST = paymentAfter(
  tell(p.create('TEST'), p.simulate('paid'), p.refund(null, { environment: 'TEST' })),
);
const END = {
  ...({ type: 'complete_refund', paymentId: p.PAYMENT_ID, refundId: p.REFUND_1 } as const),
  externalReference: 'bank-77',
};
const ROW: StoredRefundEnd = {
  ...END,
  ...({ environment: 'LIVE', amountMinor: p.AMOUNT, persons: 1, movedBy: null } as const),
};

t.test('an end is allowed by one person up to the limit, and by two above it', (t) => {
  t.equal(explainUnstoredEnd(END, LIVE, [ROW], LIMIT), undefined);
  t.match(explainUnstoredEnd(END, LIVE, [ROW], LIMIT - 1n), /above the APPROVAL_LIMIT/);
  const approved = [ROW, { ...ROW, persons: 2 }] as const;
  t.equal(explainUnstoredEnd(END, LIVE, approved, LIMIT - 1n), undefined);
  t.equal(explainUnstoredEnd(END, TEST, [], 0n), undefined, 'TEST moves no money');
  t.end();
});

t.test('a row of anything else allows nothing', (t) => {
  const others: readonly Partial<StoredRefundEnd>[] = [
    { type: 'fail_refund' },
    { paymentId: makeId('pay', new Uint8Array(16)) },
    { refundId: p.REFUND_2 },
    { externalReference: 'bank-78' },
    { environment: 'TEST' },
    { amountMinor: p.AMOUNT - 1n },
  ];
  for (const persons of [1, 2] as const) {
    const rows = others.map((changes) => ({ ...ROW, persons, ...changes }));
    t.match(explainUnstoredEnd(END, LIVE, rows, LIMIT), /no administrator has stored/);
  }
  t.match(
    explainUnstoredEnd(END, LIVE, [], LIMIT),
    /no administrator has stored "complete_refund"/,
  );
  t.match(explainUnstoredEnd(END, undefined, [ROW], LIMIT), /has no refund/);
  const unknown = { ...END, refundId: p.REFUND_2 };
  t.match(explainUnstoredEnd(unknown, LIVE, [ROW], LIMIT), /has no refund/);
  t.end();
});

t.test('no row allows an end after a task has moved the money', (t) => {
  for (const persons of [1, 2] as const) {
    const row = { ...ROW, persons, movedBy: 'task_1' };
    t.match(explainUnstoredEnd(END, LIVE, [row], LIMIT), 'the task task_1 has moved the money');
  }
  t.end();
});
