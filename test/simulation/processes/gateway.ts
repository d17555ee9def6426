// A gateway of the simulated world: the real dispatcher and the real handlers of payments, on models of Redis and
// Postgres. Its health check is left out, so that it accepts commands in the worst moments.
import { createIdDeriver, makeId, type PaymentId, type RefundId } from '#actors/core/ids.js';
import { partitionFor } from '#actors/core/partition.js';
import { findRefund, hasReached } from '#actors/core/payment/state.js';
import { viewRefund, viewSandbox } from '#actors/core/payment/view.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { isValidationError, parseCreateRequest } from '#actors/core/requests/create-payment.js';
import type { AmountMinor } from '#actors/core/money.js';
import { Dispatcher } from '#gateway/commands/dispatcher.js';
import type { Tenant } from '#gateway/lists/listing.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import {
  buildCommandAnswer,
  cancelPayment,
  COMMAND_WAIT_MS,
  getPayment,
  sendCommand,
  submitPayment,
} from '#gateway/money/payments/handlers.js';
import { ERRORS } from '#gateway/routing/errors.js';
import type { Answer } from '#gateway/routing/response.js';
import { sendFrames } from '#store/redis/commands.js';
import { subscribeReplies } from '#store/redis/replies.js';
import type { Operation, Result } from '#test/support/load/history.js';
import { COMMAND_KEYS } from '#test/support/processes.js';
import { createRedisClient } from '../redis/client.js';
import { RedisConnection } from '../redis/network.js';
import type { SimProcess } from '../world/sim-process.js';
import { followPartitionCount } from './operator.js';
import type { Stage } from './payments.js';

export const TENANT = {
  merchantId: makeId('mer', Buffer.alloc(16, 1)),
  environment: 'TEST',
} as const;
const deriveIdBytes = createIdDeriver(Buffer.alloc(32, 7));
/** Longer than a call to a rail takes in the simulated world. */
const LIVE_WAIT_MS = 12_000;

/** Beside what the invariants of histories know. */
export type RichOperation =
  | { readonly kind: 'choose_method'; readonly paymentId: PaymentId }
  | {
      readonly kind: 'refund';
      readonly paymentId: PaymentId;
      readonly refundId: RefundId;
      /** Absent: all that is left. */
      readonly amountMinor?: AmountMinor;
    };

type RefundOperation = Extract<RichOperation, { kind: 'refund' }>;

export interface Gateway {
  readonly process: SimProcess;
  /** Never resolves when the gateway dies. */
  readonly call: (operation: Operation | RichOperation) => Promise<Result>;
}

export const derivePaymentId = (idempotencyKey: string, tenant: Tenant = TENANT): PaymentId =>
  makeId('pay', deriveIdBytes({ ...tenant, kind: 'payment', idempotencyKey }));

export const deriveRefundId = (idempotencyKey: string, tenant: Tenant = TENANT): RefundId =>
  makeId('ref', deriveIdBytes({ ...tenant, kind: 'refund', idempotencyKey }));

export function startGateway(stage: Stage, process: SimProcess): Gateway {
  const deps = openDeps(stage, process);
  const call = answerAlways(process, (operation: Operation | RichOperation) =>
    handle(deps, operation),
  );
  return { process, call };
}

/** The transport answers 503 when a handler throws because a store does not answer. */
export function answerAlways<Sent>(
  process: SimProcess,
  handleSent: (operation: Sent) => Promise<Answer>,
): (operation: Sent) => Promise<Result> {
  return async (operation) => {
    try {
      return readResult(await handleSent(operation));
    } catch (error) {
      process.log.warn({ err: error }, 'a handler failed');
      return { kind: 'answer', status: 503, text: '{}', body: {}, isReplayed: false };
    }
  };
}

export function openDeps(stage: Stage, process: SimProcess): ApiDeps {
  const redis = createRedisClient(new RedisConnection(stage.redis, process));
  const subscriber = createRedisClient(new RedisConnection(stage.redis, process));
  const { name, clock } = process;
  const sender = { name, source: 'gateway', keys: COMMAND_KEYS.gateway } as const;
  const loadSnapshots = (ids: readonly string[]): Promise<Map<string, string>> =>
    stage.postgres.run(process, {
      ...{ name: 'load snapshots', isWrite: false },
      work: ({ payments }) =>
        new Map(ids.flatMap((id) => payments.get(id) ?? []).map((row) => [row.id, row.snapshot])),
    });
  const onError = (error: unknown): void => {
    process.log.warn({ err: error }, 'dispatch');
  };
  const countPartitions = followPartitionCount(stage, process);
  const dispatcher = new Dispatcher({
    ...{ clock, loadSnapshots, onError },
    findPartition: (paymentId) => partitionFor(paymentId, countPartitions()),
    send: (frames) => sendFrames(redis, sender, frames),
    findRejection: () => undefined,
  });
  void subscribeReplies(subscriber, name, (reply) => dispatcher.accept(reply));
  return {
    ...{ dispatcher, deriveIdBytes, onError },
    ...{ baseUrl: 'https://kasir.test', liveReplyWaitMs: LIVE_WAIT_MS },
    readSnapshot: async (id: string) => (await loadSnapshots([id])).get(id),
  } as unknown as ApiDeps;
}

function handle(deps: ApiDeps, operation: Operation | RichOperation): Promise<Answer> {
  switch (operation.kind) {
    case 'create': {
      const { amount, reference, key } = operation;
      const request = parseCreateRequest({ amount, currency: 'IDR' });
      if (isValidationError(request)) throw new Error(request.code);
      // Not validated, so that a reference can hold what Postgres refuses.
      const referring = { ...request, referenceId: reference };
      const idempotencyKey = key ?? undefined;
      return submitPayment(deps, { tenant: TENANT, request: referring, idempotencyKey });
    }
    case 'get':
      return getPayment(deps, buildRequest(TENANT, operation.paymentId));
    case 'cancel':
      return cancelPayment(deps, buildRequest(TENANT, operation.paymentId));
    case 'simulate': {
      const { outcome } = operation;
      const paymentId = operation.paymentId as PaymentId;
      return sendCommand(deps, { type: 'simulate', paymentId, outcome }, (state) =>
        hasReached(state, outcome) ? JSON.stringify(viewSandbox(state)) : undefined,
      );
    }
    case 'choose_method': {
      const { paymentId } = operation;
      const command = { type: 'choose_method', paymentId, method: 'QRIS', rails: [] } as const;
      return sendCommand(deps, command, () => undefined);
    }
    case 'refund':
      return refund(deps, TENANT, operation);
  }
}

export async function refund(
  { dispatcher }: ApiDeps,
  tenant: Tenant,
  { paymentId, refundId, amountMinor }: Omit<RefundOperation, 'kind'>,
): Promise<Answer> {
  const text = encodeCommand({
    ...{ type: 'refund', paymentId, refundId, ...tenant },
    ...{ amountMinor: amountMinor ?? null, reason: null, referenceId: null },
  });
  const answer = await dispatcher.dispatch({
    ...{ paymentId, text, waitMs: COMMAND_WAIT_MS },
    recognize: (snapshot) => {
      const state = decodeSnapshot(snapshot);
      const found = findRefund(state, refundId);
      if (found === undefined) return undefined;
      return { kind: 'reply', outcome: 'replayed', body: JSON.stringify(viewRefund(state, found)) };
    },
  });
  return buildCommandAnswer(answer, paymentId);
}

export const buildRequest = (tenant: Tenant, paymentId: string) =>
  ({ credential: tenant, params: { payment_id: paymentId } }) as unknown as Parameters<
    typeof getPayment
  >[1];

function readResult(answer: Answer): Result {
  if (answer.code !== null) {
    const { status } = ERRORS[answer.code];
    const body = { error: { code: answer.code } };
    return { kind: 'answer', status, text: JSON.stringify(body), body, isReplayed: false };
  }
  const text = String(answer.body);
  const isReplayed = answer.headers.some(([name]) => name === 'Idempotent-Replayed');
  const body = JSON.parse(text) as Record<string, unknown>;
  return { kind: 'answer', status: answer.status, text, body, isReplayed };
}
