// Payments, refunds and payouts of one merchant in any order, with repeats and late answers: no money is made or lost,
// no payout overdraws, nothing is refunded twice, no hold ends early, and the ledger verifies. A failure prints its seed
// and the shortest failing sequence.
import fc from 'fast-check';
import t from 'tap';
import { makeId, deriveOrderId, type PaymentId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import type { LaterCommand } from '#actors/core/payout/commands.js';
import * as p from '#test/core/payment/samples.js';
import * as s from '#test/core/payout/samples.js';
import { LedgerWorld, type Step } from './ledger-world.js';

const RUNS = 1_500;
const STEPS = 90;
const DAY_MS = 86_400_000;

const idAt = <Prefix extends 'pay' | 'po' | 'ref'>(prefix: Prefix, number: number) =>
  makeId(prefix, Buffer.alloc(16, number + 1));
const paymentIds = [0, 1, 2].map((number) => idAt('pay', number));
const payoutIds = [0, 1].map((number) => idAt('po', number));
const refundIds = [0, 1, 2].map((number) => idAt('ref', number));

const paymentId = fc.constantFrom(...paymentIds);
const payoutId = fc.constantFrom(...payoutIds);
const refundId = fc.constantFrom(...refundIds);
const share = fc.bigInt({ min: 1n, max: p.AMOUNT + 1n }).map(makeMinor);
const reference = fc.constantFrom('bank-1', 'bank-2');

const payment = (command: fc.Arbitrary<PaymentCommand>): fc.Arbitrary<Step> =>
  command.map((made) => ({ kind: 'payment', command: made }));

/** Of its first order, mostly in its amount; a second transaction, and one of an order that it does not know. */
const settle = fc
  .record({
    paymentId,
    transaction: fc.constantFrom('a', 'a', 'a', 'b'),
    attempt: fc.constantFrom(1, 1, 1, 1, 9),
    amountMinor: fc.oneof({ weight: 8, arbitrary: fc.constant(p.AMOUNT) }, share),
  })
  .map(({ paymentId: id, transaction, attempt, amountMinor }) =>
    settlementOf(id, transaction, attempt, amountMinor),
  );

function settlementOf(id: PaymentId, transaction: string, attempt: number, amountMinor = p.AMOUNT) {
  const orderId = deriveOrderId(id, attempt);
  const changes = { orderId, amountMinor };
  return { ...p.settle(`${transaction}-${id}`, changes), paymentId: id };
}

const refundStep = fc.record({ paymentId, refundId, amount: fc.option(share) }).map((made) => ({
  ...p.refund(made.amount, { refundId: made.refundId }),
  paymentId: made.paymentId,
}));

const refundAnswer = fc
  .record({
    paymentId,
    refundId,
    result: fc.constantFrom('succeeded', 'failed', 'pending', 'manual_required', 'unknown'),
  })
  .map(
    ({ paymentId: id, refundId: refund, result }) =>
      ({
        ...p.refundAnswered({ result, railReference: null }, refund),
        paymentId: id,
      }) as const,
  );

const refundByHand = fc
  .record({
    type: fc.constantFrom('complete_refund' as const, 'fail_refund' as const),
    paymentId,
    refundId,
    externalReference: reference,
  })
  .map((command) => command satisfies PaymentCommand);

const reversal = fc
  .record({ paymentId, transaction: fc.constantFrom('a', 'a', 'b') })
  .map(({ paymentId: id, transaction }) => ({
    ...p.reverse(`${transaction}-${id}`),
    paymentId: id,
  }));

const plain = fc
  .record({
    type: fc.constantFrom('expire' as const, 'release_hold' as const, 'release_hold' as const),
    paymentId,
  })
  .map((command) => command satisfies PaymentCommand);

const payoutRequest: fc.Arbitrary<Step> = fc
  .record({ payoutId, amountMinor: share })
  .map(({ payoutId: id, amountMinor }) => {
    const request = { ...s.REQUEST, amountMinor };
    const of = { merchantId: p.MERCHANT_ID, payoutId: id, request };
    return { kind: 'request', command: s.request({ ...of, fingerprint: String(amountMinor) }) };
  });

const payoutCommand: fc.Arbitrary<Step> = fc
  .record({
    payoutId,
    command: fc.oneof(
      { weight: 3, arbitrary: fc.constant<LaterCommand>(s.SEND) },
      fc.constantFrom<LaterCommand>(
        s.BY_HAND,
        ...[s.COMPLETED, s.COMPLETED, s.FAILED, s.FAILED],
        ...[s.PENDING, s.REVERSED, s.UNKNOWN, s.UNRESOLVED],
      ),
      fc
        .record({
          type: fc.constantFrom('complete' as const, 'fail' as const, 'reverse' as const),
          externalReference: reference,
        })
        .map((command): LaterCommand => command),
    ),
  })
  .map((made) => ({ kind: 'payout', ...made }));

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: payment(settle) },
  { weight: 4, arbitrary: payment(refundStep) },
  { weight: 4, arbitrary: payment(refundAnswer) },
  { weight: 2, arbitrary: payment(refundByHand) },
  { weight: 1, arbitrary: payment(reversal) },
  { weight: 2, arbitrary: payment(plain) },
  { weight: 4, arbitrary: payoutRequest },
  { weight: 7, arbitrary: payoutCommand },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('again' as const), back: fc.nat(20) }) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(1_000, DAY_MS, 3 * DAY_MS)
      .map((ms) => ({ kind: 'wait', ms }) as const),
  },
);

/** Each payment is made and taken by its rail; with two of three it begins paid and free. */
function opening(id: PaymentId, isPaid: boolean): readonly Step[] {
  const create = { ...p.create('LIVE', { paymentMethod: 'QRIS' }), paymentId: id };
  const answered = { ...p.chargeAnswered(p.ACCEPTED, deriveOrderId(id, 1)), paymentId: id };
  const made = [create, answered].map((command) => ({ kind: 'payment', command }) as const);
  if (!isPaid) return made;
  return [
    ...made,
    { kind: 'payment', command: settlementOf(id, 'a', 1) },
    { kind: 'wait', ms: 3 * DAY_MS },
    { kind: 'payment', command: { type: 'release_hold', paymentId: id } },
  ];
}

/** Ways into the depth, which commands drawn one by one would seldom find. */
const payoutOpening = fc
  .constantFrom<readonly LaterCommand[]>(
    [],
    [s.SEND],
    [s.SEND, s.FAILED, s.COMPLETED],
    [s.SEND, s.COMPLETED, s.FAILED],
    [s.BY_HAND],
    [s.SEND, s.UNRESOLVED],
  )
  .map((commands): readonly Step[] => {
    const [id = s.PAYOUT_ID] = payoutIds;
    const command = s.request({ merchantId: p.MERCHANT_ID, payoutId: id });
    const later = commands.map((one) => ({ kind: 'payout', payoutId: id, command: one }) as const);
    return [{ kind: 'request', command }, ...later];
  });

/** A refund that failed and that its rail reports as made. */
const refundOpening = fc.boolean().map((isDisputed): readonly Step[] => {
  const [id, refund] = [paymentIds[0], refundIds[0]];
  if (!isDisputed || id === undefined || refund === undefined) return [];
  const answers = [
    p.refundAnswered({ result: 'failed' }, refund),
    p.refundAnswered({ result: 'succeeded', railReference: null }, refund),
  ];
  const commands = [p.refund(p.AMOUNT, { refundId: refund }), ...answers];
  return commands.map((command) => ({ kind: 'payment', command: { ...command, paymentId: id } }));
});

const EXPECTED = [
  ...['payment_paid', 'payment_reversed', 'hold_released', 'settlement_suspended'],
  ...['suspense_reversed', 'refund_succeeded', 'refund_failed', 'refund_made_manual'],
  ...['refund_contradicted', 'refund_corrected', 'refund_failure_confirmed'],
  ...['payout_requested', 'payout_completed', 'payout_failed', 'payout_reversed'],
  ...['payout_contradicted', 'payout_corrected', 'payout_made_manual', 'payout_left_unresolved'],
];

t.test('payments, refunds and payouts in any order keep every rule of the ledger', (t) => {
  const seen = new Map<string, number>();
  let steps = 0;
  fc.assert(
    fc.property(
      payoutOpening,
      refundOpening,
      fc.array(step, { maxLength: STEPS, size: 'max' }),
      (first, disputed, story) => {
        const world = new LedgerWorld();
        const paid = paymentIds.flatMap((id, index) => opening(id, index < 2));
        const all = [...paid, ...first, ...disputed, ...story];
        for (const one of all) world.take(one);
        world.verify();
        steps += all.length;
        for (const [type, count] of world.happened) seen.set(type, (seen.get(type) ?? 0) + count);
      },
    ),
    { numRuns: RUNS },
  );
  t.comment(`${steps} steps`, Object.fromEntries(seen));
  t.ok(steps > RUNS * 20, 'long stories');
  for (const type of EXPECTED) t.ok((seen.get(type) ?? 0) > 10, `${type} happened`);
  t.end();
});
