// Commands as a gateway encodes them, for payments of a partition that the test chooses; sent past every gateway,
// straight into the stream of the partition, signed as their process does.
import { randomBytes } from 'node:crypto';
import { type MerchantId, makeId, deriveOrderId, type PaymentId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import { partitionFor } from '#actors/core/partition.js';
import { isValidationError, parseCreateRequest } from '#actors/core/requests/create-payment.js';
import type { CommandSource } from '#actors/core/payment/commands.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { isCluster, type RedisClient } from '#store/redis/client.js';
import { sendFrames } from '#store/redis/commands.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import { subscribeReplies } from '#store/redis/replies.js';
import { COMMAND_KEYS, uniqueWord } from '../processes.js';
import type { TestScope } from '../servers.js';

/** An id whose payment belongs to `partition`. */
export function generatePaymentIdIn(partition: number, partitionCount: number): PaymentId {
  for (;;) {
    const id = makeId('pay', randomBytes(16));
    if (partitionFor(id, partitionCount) === partition) return id;
  }
}

/** A create in TEST. `reference` is not validated. */
export function encodeCreate(
  paymentId: PaymentId,
  merchantId: MerchantId,
  reference: string,
): string {
  const request = parseCreateRequest({ amount: '15000', currency: 'IDR' });
  if (isValidationError(request)) throw new Error(request.code);
  return encodeCommand({
    type: 'create',
    paymentId,
    merchantId,
    environment: 'TEST',
    request: { ...request, referenceId: reference },
    rails: [],
  });
}

export const encodeSimulate = (paymentId: PaymentId, outcome: 'paid' | 'failed'): string =>
  encodeCommand({ type: 'simulate', paymentId, outcome });

/** A settlement by the sandbox of the whole amount of `encodeCreate`. */
export const encodeSettle = (paymentId: PaymentId, railTransactionId: string): string =>
  encodeCommand({
    type: 'settle',
    paymentId,
    settlement: {
      rail: 'sandbox',
      railTransactionId,
      orderId: deriveOrderId(paymentId, 1),
      amountMinor: makeMinor(15_000n),
      currency: 'IDR',
      settledAtMs: null,
    },
  });

/** Appends an entry with any fields, also with fields that no gateway writes. */
export async function appendEntry(
  redis: RedisClient,
  partition: number,
  fields: readonly string[],
): Promise<void> {
  await redis.xadd(buildCommandsKey(partition), 'NOMKSTREAM', '*', ...fields);
}

/** Appends a command as a gateway signs it. No reply is wanted. */
export async function appendCommand(
  redis: RedisClient,
  partition: number,
  text: string,
): Promise<void> {
  const sender = { name: 'x', source: 'gateway', keys: COMMAND_KEYS.gateway } as const;
  await sendFrames(redis, sender, new Map([[partition, [{ correlation: '', text }]]]));
}

export interface RawSender {
  /** Appends one frame of these texts, and returns their outcomes in order when all have arrived. */
  readonly send: (
    partition: number,
    texts: readonly string[],
    source?: CommandSource,
  ) => Promise<string[]>;
}

export async function openRawSender(t: TestScope, redis: RedisClient): Promise<RawSender> {
  const name = uniqueWord('gw');
  if (isCluster(redis)) throw new Error('a raw sender needs one server');
  const subscribed = redis.duplicate();
  t.teardown(() => {
    subscribed.disconnect();
  });
  const outcomes = new Map<string, string>();
  await subscribeReplies(subscribed, name, ({ correlation, outcome }) => {
    outcomes.set(correlation, outcome);
    return true;
  });
  let sent = 0;
  return {
    send: async (partition, texts, source = 'gateway') => {
      const commands = texts.map((text) => ({ correlation: String((sent += 1)), text }));
      const correlations = commands.map(({ correlation }) => correlation);
      const sender = { name, source, keys: COMMAND_KEYS[source] };
      await sendFrames(redis, sender, new Map([[partition, commands]]));
      await waitUntil('all commands are answered', () =>
        correlations.every((correlation) => outcomes.has(correlation)),
      );
      return correlations.map((correlation) => outcomes.get(correlation) ?? '');
    },
  };
}
