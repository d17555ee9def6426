// Arbitrary commands on one payment, with few ids so that commands refer to the same objects.
import fc from 'fast-check';
import { type Environment, deriveOrderId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import { CLOSE_PURPOSES } from '#actors/core/statuses.js';
import type {
  ChargeAnswer,
  CloseAnswer,
  Instructions,
  RefundAnswer,
  Settlement,
} from '#actors/core/rails/answers.js';
import {
  ACCEPTED,
  AMOUNT,
  cancel,
  chargeAnswered,
  choose,
  closeAnswered,
  create,
  endRefund,
  MERCHANT_ID,
  OTHER_MERCHANT_ID,
  ORDER_1,
  ORDER_2,
  PAYMENT_ID,
  recordRefund,
  refund,
  REFUND_1,
  REFUND_2,
  REFUND_3,
  refundAnswered,
  REFUSED,
  reverse,
  settle,
  UNKNOWN,
} from '../samples.js';

/** Objects with a prototype, so that they equal decoded ones. */
const record = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record<T>(fields, { noNullPrototype: true });

const DAY_MS = 86_400_000;

const rail = fc.constantFrom('midtrans' as const, 'xendit' as const, 'sandbox' as const);
const rails = fc.array(rail, { maxLength: 3 });
const merchantId = fc.oneof(
  { weight: 9, arbitrary: fc.constant(MERCHANT_ID) },
  { weight: 1, arbitrary: fc.constant(OTHER_MERCHANT_ID) },
);
const orderId = fc
  .oneof({ weight: 5, arbitrary: fc.constant(1) }, { weight: 2, arbitrary: fc.nat({ max: 4 }) })
  .map((number) => deriveOrderId(PAYMENT_ID, number));
const refundId = fc.constantFrom(REFUND_1, REFUND_2, REFUND_3);
const method = fc.constantFrom('QRIS' as const, 'VA_BCA' as const, 'VA_BNI' as const);
const amount = fc.oneof(
  { weight: 6, arbitrary: fc.constant(AMOUNT) },
  { weight: 1, arbitrary: fc.bigInt(0n, 200_000n).map(makeMinor) },
);
const text = fc.option(fc.string({ maxLength: 8 }));

export const settlement: fc.Arbitrary<Settlement> = record({
  rail: fc.oneof({ weight: 6, arbitrary: fc.constant('midtrans' as const) }, rail),
  railTransactionId: fc.constantFrom('tx-1', 'tx-2', 'tx-3'),
  orderId,
  amountMinor: amount,
  currency: fc.oneof({ weight: 9, arbitrary: fc.constant('IDR') }, fc.constant('USD')),
  settledAtMs: fc.option(fc.integer({ min: 0, max: 4_000_000_000_000 })),
});

const instructions: fc.Arbitrary<Instructions> = fc.oneof(
  record({ kind: fc.constant('qr' as const), payload: fc.string() }),
  record({
    kind: fc.constant('virtual_account' as const),
    number: fc.string(),
    billerCode: fc.option(fc.string()),
  }),
);

const word = <T extends string>(...words: readonly T[]) =>
  fc.constantFrom(...words).map((result) => ({ result }));

const chargeAnswer: fc.Arbitrary<ChargeAnswer> = fc.oneof(
  record({
    result: fc.constant('accepted' as const),
    railReference: text,
    instructions: fc.option(instructions),
  }),
  word('refused', 'unknown'),
);

const closeAnswer: fc.Arbitrary<CloseAnswer> = fc.oneof(
  record({ result: fc.constant('settled' as const), settlement }),
  { weight: 3, arbitrary: word('closed', 'refused', 'unknown') },
);

const refundAnswer: fc.Arbitrary<RefundAnswer> = fc.oneof(
  record({
    result: fc.constantFrom('succeeded' as const, 'pending' as const),
    railReference: text,
  }),
  word('failed', 'manual_required', 'unknown'),
);

/** Includes the magic amounts of the sandbox. */
const createCommand = (environment: fc.Arbitrary<Environment>) =>
  record({
    environment,
    rails: fc.oneof({ weight: 5, arbitrary: fc.constant(['midtrans', 'xendit'] as const) }, rails),
    paymentMethod: fc.oneof(fc.constant(null), fc.constant('VA' as const), method),
    amountMinor: fc.oneof(
      { weight: 6, arbitrary: fc.constant(AMOUNT) },
      fc.bigInt(10_090n, 10_097n).map(makeMinor),
    ),
    description: text,
    metadata: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2, noNullPrototype: true }),
    expiresInS: fc.option(fc.integer({ min: 60, max: 604_800 })),
  }).map(({ environment, rails, ...request }) => create(environment, request, rails));

const SUCCEEDED = { result: 'succeeded', railReference: null } as const;
const paymentId = fc.constant(PAYMENT_ID);
const type = <T extends PaymentCommand['type']>(name: T) => fc.constant(name);

const laterCommand = (environment: fc.Arbitrary<Environment>) =>
  fc.oneof(
    createCommand(environment),
    record({ type: type('choose_method'), paymentId, method, rails }),
    record({
      type: type('simulate'),
      paymentId,
      outcome: fc.constantFrom('paid' as const, 'failed' as const),
    }),
    record({ type: type('cancel'), paymentId, merchantId, environment }),
    record({
      type: type('record_refund'),
      paymentId,
      refundId,
      origin: fc.constantFrom('rail' as const, 'chargeback' as const),
      amountMinor: fc.constantFrom(20_000n, 150_000n).map(makeMinor),
      externalReference: fc.constantFrom('a', 'b'),
    }),
    record({ type: type('settle'), paymentId, settlement }),
    record({ type: type('disown_settlement'), paymentId, settlement }),
    record({
      type: type('fail'),
      paymentId,
      orderId,
      failureCode: fc.constantFrom('declined' as const, 'expired' as const),
    }),
    record({
      type: type('reverse'),
      paymentId,
      rail,
      railTransactionId: fc.constantFrom('tx-1', 'tx-2', 'tx-9'),
    }),
    record({ type: type('expire'), paymentId }),
    record({ type: type('release_hold'), paymentId }),
    {
      weight: 3,
      arbitrary: record({
        type: type('charge_answered'),
        paymentId,
        orderId,
        answer: chargeAnswer,
      }),
    },
    {
      weight: 2,
      arbitrary: record({
        type: type('close_answered'),
        paymentId,
        orderId,
        purpose: fc.constantFrom(...CLOSE_PURPOSES),
        answer: closeAnswer,
      }),
    },
    {
      weight: 3,
      arbitrary: record({
        type: type('refund'),
        paymentId,
        merchantId,
        environment,
        refundId,
        amountMinor: fc.option(fc.bigInt(0n, 160_000n).map(makeMinor)),
        reason: text,
        referenceId: text,
      }),
    },
    {
      weight: 3,
      arbitrary: record({
        type: type('refund_answered'),
        paymentId,
        refundId,
        answer: refundAnswer,
      }),
    },
    record({
      type: type('complete_refund'),
      paymentId,
      refundId,
      externalReference: fc.constantFrom('a', 'b'),
    }),
    record({ type: type('erase'), paymentId, withReference: fc.boolean() }),
    record({
      type: type('fail_refund'),
      paymentId,
      refundId,
      externalReference: fc.constantFrom('a', 'b'),
    }),
  ) satisfies fc.Arbitrary<PaymentCommand>;

const anyEnvironment = fc.constantFrom('TEST' as const, 'LIVE' as const);
export const anyCommand: fc.Arbitrary<PaymentCommand> = laterCommand(anyEnvironment);

export interface TimedCommand {
  readonly command: PaymentCommand;
  readonly waitMs: number;
}

const waitMs = fc.oneof(
  { weight: 9, arbitrary: fc.nat({ max: 5000 }) },
  fc.constantFrom(60_000, 120_000, 3_600_000, 3 * DAY_MS),
);

/** Openings that reach states which independent random commands would seldom reach. */
function openings(environment: Environment): readonly (readonly PaymentCommand[])[] {
  const rail = environment === 'TEST' ? 'sandbox' : 'midtrans';
  const accepted = [choose('VA_BCA'), chargeAnswered(ACCEPTED)];
  const orderId = environment === 'TEST' ? ORDER_2 : ORDER_1;
  const paid = [...accepted, settle('tx-1', { rail, orderId })];
  const second = settle('tx-2', { rail, orderId });
  const refunding = [...paid, refund(40_000n, { environment })];
  const again = refund(50_000n, { environment, refundId: REFUND_2 });
  const failed = [...refunding, refundAnswered({ result: 'failed' })];
  const disputed = [...failed, refundAnswered(SUCCEEDED)];
  return [
    [],
    accepted,
    [choose('VA_BCA'), chargeAnswered(UNKNOWN)],
    [choose('VA_BCA'), chargeAnswered(REFUSED)],
    [...accepted, cancel(environment)],
    [...accepted, cancel(environment), closeAnswered(REFUSED)],
    [...accepted, cancel(environment), closeAnswered(UNKNOWN)],
    [...accepted, choose('VA_BNI')],
    [...accepted, choose('VA_BNI'), closeAnswered(REFUSED, 'switch')],
    paid,
    [...paid, second],
    [...paid, reverse('tx-1', rail)],
    [...refunding, again],
    [
      ...paid,
      recordRefund(30_000n),
      recordRefund(20_000n, { refundId: REFUND_2, origin: 'chargeback' }),
    ],
    [...refunding, again, reverse('tx-1', rail)],
    failed,
    disputed,
    [...disputed, endRefund('complete_refund')],
    [...disputed, endRefund('fail_refund')],
    [...refunding, refundAnswered({ result: 'manual_required' })],
  ];
}

/** A create, an opening, then arbitrary commands. */
export const story: fc.Arbitrary<readonly TimedCommand[]> = anyEnvironment.chain((environment) => {
  const same = fc.oneof(
    { weight: 19, arbitrary: fc.constant(environment) },
    { weight: 1, arbitrary: anyEnvironment },
  );
  const opening = fc.constantFrom(...openings(environment));
  const later = fc.array(record({ command: laterCommand(same), waitMs }), {
    maxLength: 40,
    size: 'max',
  });
  return fc
    .tuple(createCommand(fc.constant(environment)), opening, later)
    .map(([first, next, rest]) => [
      ...[first, ...next].map((command) => ({ command, waitMs: 10 })),
      ...rest,
    ]);
});
