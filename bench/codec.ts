// What do the texts of commands and snapshots cost? It prints the CPU of one call in µs and the bytes of each text. The
// control is JSON.stringify and JSON.parse alone, on the same object: the rest is our checks and conversions.
//
// Readable names and compiled schemas against the one-letter keys and hand-written readers before them (medians, rounds
// in turn, a busy machine with 2 cores; TEST, creates as create.ts sends them, the others from the tests' samples):
//
//                   encode         decode         bytes
//   create command  1.3 → 1.4 µs   2.2 → 1.8 µs   237 → 351
//   created         2.5 → 3.2 µs   4.4 → 4.3 µs   373 → 565 (830 with the whole answer)
//   paid            3.9 → 6.0 µs   7.3 → 6.9 µs   704 → 1130
//   refunded twice  5.7 → 7.4 µs  10.7 → 9.9 µs   958 → 1502
//
// Times of creation and expiry are formatted once a batch (view.ts), which takes another 1 µs off the answer. Tried and
// left out: Type.Transform decodes in 10 times the time of a check and BigInt(); objects built by spreading one into
// another cost a create command 4.6 µs more; a replacer for JSON.stringify costs a snapshot 1.9 µs more.
import type { PaymentCommand } from '../actors/core/payment/commands.js';
import { decide, evolve } from '../actors/core/payment/state-machine.js';
import type { PaymentState } from '../actors/core/payment/state.js';
import { decodeCommand, encodeCommand } from '../actors/core/payment/wire/command.js';
import { decodeSnapshot, encodeSnapshot } from '../actors/core/payment/wire/snapshot.js';
import { randomBytes } from 'node:crypto';
import { decodeFrame, encodeFrame } from '../store/redis/frames.js';
import { makeId, deriveOrderId } from '../actors/core/ids.js';
import { makeMinor } from '../actors/core/money.js';
import { median } from './figures/statistics.js';

const ROUNDS = 60;
const WARM_UP_ROUNDS = 10;
const CALLS = 2_000;
const NOW_MS = Date.UTC(2026, 7, 2, 10, 15, 30, 123);

const idBytes = (last: number) => Uint8Array.from({ length: 16 }, (_, i) => (i === 15 ? last : i));
const paymentId = makeId('pay', idBytes(1));
const merchantId = makeId('mer', idBytes(2));

/** As create.ts sends it. */
const CREATE: PaymentCommand = {
  type: 'create',
  paymentId,
  merchantId,
  environment: 'LIVE',
  request: {
    amountMinor: makeMinor(150_000n),
    currency: 'IDR',
    description: 'Order of the benchmark',
    referenceId: 'ref-abcdefgh-000000001',
    paymentMethod: 'QRIS',
    customerName: 'Budi Santoso',
    customerEmail: null,
    customerPhone: null,
    successUrl: null,
    cancelUrl: null,
    metadata: {},
    expiresInS: null,
  },
  rails: ['midtrans'],
};
const orderId = deriveOrderId(paymentId, 1);
const PAY: readonly PaymentCommand[] = [
  {
    type: 'charge_answered',
    paymentId,
    orderId,
    answer: {
      result: 'accepted',
      railReference: 'b1946ac9-2f4e-4d7a-9c55-0e2f6a4d1c3b',
      instructions: { kind: 'qr', payload: '0002010102122667'.repeat(12) },
    },
  },
  {
    type: 'settle',
    paymentId,
    settlement: {
      rail: 'midtrans',
      railTransactionId: 'b1946ac9-2f4e-4d7a-9c55-0e2f6a4d1c3b',
      orderId,
      amountMinor: makeMinor(150_000n),
      currency: 'IDR',
      settledAtMs: NOW_MS,
    },
  },
];

function listRefund(last: number): readonly PaymentCommand[] {
  const refundId = makeId('ref', idBytes(last));
  return [
    {
      type: 'refund',
      paymentId,
      merchantId,
      environment: 'LIVE',
      refundId,
      amountMinor: makeMinor(50_000n),
      reason: 'wrong size',
      referenceId: null,
    },
    {
      type: 'refund_answered',
      paymentId,
      refundId,
      answer: { result: 'succeeded', railReference: 'refund-1' },
    },
  ];
}

function fold(...commands: readonly PaymentCommand[]): PaymentState {
  let state: PaymentState | undefined;
  for (const command of commands) {
    for (const event of decide(state, command, NOW_MS).events) state = evolve(state, event);
  }
  if (state === undefined) throw new Error('no command creates a payment');
  return state;
}

interface Case {
  readonly name: string;
  readonly text: string;
  readonly run: Readonly<Record<Measure, () => unknown>>;
}
const MEASURES = ['encode', 'stringify', 'decode', 'parse'] as const;
type Measure = (typeof MEASURES)[number];

function defineCase<T>(
  name: string,
  value: T,
  encode: (value: T) => string,
  decode: (text: string) => T,
): Case {
  const text = encode(value);
  const parsed: unknown = JSON.parse(text);
  return {
    name,
    text,
    run: {
      encode: () => encode(value),
      stringify: () => JSON.stringify(parsed),
      decode: () => decode(text),
      parse: (): unknown => JSON.parse(text),
    },
  };
}

const defineSnapshot = (name: string, state: PaymentState) =>
  defineCase(name, state, encodeSnapshot, decodeSnapshot);

const SENDER = {
  name: 'gw-1-abcdefgh',
  source: 'gateway',
  keys: [{ key: randomBytes(32) }],
} as const;
const KEYS = { gateway: SENDER.keys, rails: [], webhooks: [] };

/** The control is the joined text without a MAC. */
function defineFrame(count: number): Case {
  const commands = Array.from({ length: count }, (_, at) => ({
    ...{ correlation: `${at}.abc`, text: encodeCommand(CREATE) },
  }));
  const fields = encodeFrame(SENDER, 1, commands);
  const join = () =>
    commands.flatMap(({ correlation, text }) => [correlation, text]).join('\u001f');
  return {
    name: `frame of ${count}`,
    text: fields.join(''),
    run: {
      encode: () => encodeFrame(SENDER, 1, commands),
      stringify: join,
      decode: () => decodeFrame(1, '1-1', fields, KEYS),
      parse: join,
    },
  };
}

const CASES: readonly Case[] = [
  defineFrame(1),
  defineFrame(16),
  defineCase('create command', CREATE, encodeCommand, decodeCommand),
  defineSnapshot('created', fold(CREATE)),
  defineSnapshot('paid', fold(CREATE, ...PAY)),
  defineSnapshot('refunded twice', fold(CREATE, ...PAY, ...listRefund(3), ...listRefund(4))),
];

/** CPU of one call in µs; other processes of the machine do not count. */
function measureUs(call: () => unknown): number {
  const before = process.cpuUsage();
  for (let n = 0; n < CALLS; n += 1) call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

/** Medians over rounds in which the measures take turns. */
function measureCase({ run }: Case): string {
  const rounds = Array.from({ length: WARM_UP_ROUNDS + ROUNDS }, () =>
    MEASURES.map((measure) => measureUs(run[measure])),
  ).slice(WARM_UP_ROUNDS);
  return MEASURES.map((_, at) => median(rounds.map((round) => round[at] ?? NaN)).toFixed(1))
    .map((us) => us.padStart(10))
    .join('');
}

console.log(`${''.padEnd(16)}${[...MEASURES, 'bytes'].map((head) => head.padStart(10)).join('')}`);
for (const one of CASES) {
  const bytes = String(Buffer.byteLength(one.text)).padStart(10);
  console.log(`${one.name.padEnd(16)}${measureCase(one)}${bytes}`);
}
