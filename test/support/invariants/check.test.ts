// The checker is checked: a good run passes, and for each invariant there is a run that breaks it.
import t from 'tap';
import type { Answered, Entry, Operation } from '../load/history.js';
import { checkInvariants, INVARIANTS } from './check.js';
import type { Evidence } from './evidence.js';

const ID = 'pay_0000000000000000000000000a';
const CREATE: Operation = { kind: 'create', key: 'k1', reference: 'r1', amount: '20001' };
const GET: Operation = { kind: 'get', paymentId: ID };
const SIMULATE: Operation = { kind: 'simulate', paymentId: ID, outcome: 'paid' };
const PENDING = { id: ID, status: 'pending', amount: '20001', paid_at: null };
const PAID = { ...PENDING, status: 'paid', paid_at: '2026-01-01T00:00:00.000Z' };
const CONFLICT = { error: { code: 'idempotency_conflict' } };
const STATE_CONFLICT = { error: { code: 'state_conflict' } };

function entry(operation: Operation, startMs: number, status: number, body: object): Answered {
  const text = JSON.stringify(body);
  const isReplayed = operation.kind === 'create' && status === 200;
  const result = { kind: 'answer', status, text, body: { ...body }, isReplayed } as const;
  return { operation, attempt: 1, gateway: 'g', startMs, endMs: startMs + 5, result };
}

const goodHistory = (): Entry[] => [
  entry(CREATE, 0, 201, PENDING),
  entry(CREATE, 10, 200, PENDING),
  entry({ ...CREATE, amount: '5' }, 11, 409, CONFLICT),
  entry(GET, 20, 200, PENDING),
  entry(SIMULATE, 30, 200, { id: ID, status: 'paid' }),
  entry({ kind: 'cancel', paymentId: ID }, 40, 409, STATE_CONFLICT),
  entry(GET, 50, 200, PAID),
];

function goodRun(): Evidence {
  return {
    history: goodHistory(),
    tables: {
      payments: [
        {
          id: ID,
          environment: 'TEST',
          status: 'paid',
          amount: '20001',
          reference_id: 'r1',
          version: 2,
        },
      ],
      events: [{ payment_id: ID, version: 2, type: 'payment_paid', envelope: '{"id":"evt_1"}' }],
      postings: [
        {
          cause_id: ID,
          version: 2,
          debit: 'rail_clearing:sandbox:TEST:IDR',
          credit: 'merchant_available:mer_1:TEST:IDR',
          amount: '20001',
          reason: 'payment_paid',
        },
      ],
      balances: [
        { account: 'rail_clearing:sandbox:TEST:IDR', amount: '-20001' },
        { account: 'merchant_available:mer_1:TEST:IDR', amount: '20001' },
      ],
      railTransactions: [{ rail: 'sandbox', transaction_id: 't1', payment_id: ID }],
      quarantined: [],
    },
    samples: [
      { id: 0, epoch: 1n, ms: 9n, seq: 3n },
      { id: 0, epoch: 1n, ms: 10n, seq: 0n },
    ],
    expectedQuarantined: 0,
  };
}

type Breakage = (run: Evidence, history: Entry[]) => void;
const after =
  (...entries: Entry[]): Breakage =>
  (_run, history) => {
    history.push(...entries);
  };
const firstOf = <Row>(rows: readonly Row[]): Row => rows[0] as Row;

const BREAKAGES: Readonly<Record<string, readonly Breakage[]>> = {
  'nothing is answered with an internal error': [after(entry(GET, 60, 500, {}))],
  'every answered create is readable and unchanged': [
    (_run, history) => void history.splice(3),
    after(entry(GET, 60, 404, {})),
    after(entry(GET, 60, 200, { ...PAID, amount: '7' })),
  ],
  'a key has one 201 at most, equal bodies, and 409 for another body': [
    after(entry(CREATE, 60, 201, PENDING)),
    after(entry(CREATE, 60, 200, { ...PENDING, id: 'pay_0000000000000000000000000b' })),
    after(entry(CREATE, 60, 409, CONFLICT)),
    after(entry({ ...CREATE, amount: '5' }, 60, 200, PENDING)),
    after(entry(CREATE, 60, 400, {})),
  ],
  'a payment in one status is always shown the same': [
    after(entry(GET, 60, 200, { ...PAID, paid_at: '2026-01-01T00:00:00.001Z' })),
  ],
  'writes are read': [after(entry(GET, 60, 200, PENDING)), after(entry(GET, 60, 404, {}))],
  'the history of each payment is linearizable': [
    after(entry(GET, 60, 200, PENDING)),
    after(entry(GET, 60, 404, {})),
    after(entry(GET, 60, 200, { ...PENDING, status: 'cancelled' })),
    (_run, history) => void history.splice(4, 1),
  ],
  'one payment per key': [
    ({ tables }) => void tables.payments.push({ ...firstOf(tables.payments), id: 'pay_x' }),
  ],
  'no transition outside the table, versions without a gap': [
    ({ tables }) => void tables.events.pop(),
    ({ tables }) => void tables.events.push({ ...firstOf(tables.events), version: 3 }),
    ({ tables }) => (firstOf(tables.payments).status = 'failed'),
    ({ tables }) => (firstOf(tables.events).version = 1),
    ({ tables }) => void tables.payments.pop(),
  ],
  'one payment_paid per accepted settlement': [
    ({ tables }) => void tables.railTransactions.pop(),
    ({ tables }) => void tables.events.push({ ...firstOf(tables.events) }),
  ],
  'each transition has one event': [
    ({ tables }) => (firstOf(tables.events).envelope = null),
    ({ tables }) => void tables.events.push({ ...firstOf(tables.events) }),
  ],
  'postings match the paid payments': [
    ({ tables }) => void tables.postings.pop(),
    ({ tables }) => void tables.postings.push(firstOf(tables.postings)),
    ({ tables }) => (firstOf(tables.postings).amount = '1'),
    ({ tables }) => (firstOf(tables.payments).status = 'pending'),
  ],
  'balances are the sums of their postings': [
    ({ tables }) => (firstOf(tables.balances).amount = '-20000'),
    ({ tables }) => void tables.balances.pop(),
    ({ tables }) => (firstOf(tables.postings).credit = 'merchant_available:mer_1:LIVE:IDR'),
  ],
  'positions only rise, epochs never fall': [
    ({ samples }) => (firstOf(samples).ms = 11n),
    ({ samples }) => (firstOf(samples).epoch = 2n),
  ],
  'only provoked commands are quarantined': [
    ({ tables }) => void tables.quarantined.push({ partition: 1, command: '{}', error: 'x' }),
  ],
};

t.strictSame(checkInvariants(goodRun()), {}, 'a good run breaks nothing');

for (const name of Object.keys(INVARIANTS)) {
  const breakages = BREAKAGES[name] ?? [];
  t.ok(breakages.length > 0, `there is a run that breaks: ${name}`);
  breakages.forEach((breakIt, index) => {
    const run = goodRun();
    breakIt(run, run.history as Entry[]);
    t.hasProp(checkInvariants(run), name, `run ${index} is caught by: ${name}`);
  });
}
