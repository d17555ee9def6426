// A refund is asked for: the idempotency key is claimed, then the command goes to the payment's actor.
import { newId, type RefundId } from '#actors/core/ids.js';
import { partitionOf } from '#actors/core/partition.js';
import type { RefundPayment } from '#actors/core/payment/commands.js';
import { findRefund, type PaymentState, type Refund } from '#actors/core/payment/state.js';
import { viewRefund } from '#actors/core/payment/view.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { refundFingerprintOf, type RefundRequest } from '#actors/core/requests/create-refund.js';
import {
  claimKey,
  digestOfKey,
  type KeyClaim,
  releaseKey,
} from '#store/postgres/payments/claim-key.js';
import type { CommandAnswer } from '../commands/dispatcher.js';
import { type Answer, refuse } from '../routing/response.js';
import type { KeyRequest, NoParams } from '../routing/request.js';
import { askStore } from '../routing/ask-store.js';
import { answerTo } from '../commands/command-answer.js';
import type { ApiParts } from '../payments/deps.js';
import { COMMAND_WAIT_MS } from '../payments/handlers.js';
import { randomIdBytes } from '../commands/random-id-bytes.js';

/** `objectId` is the refund's. */
type RefundClaim = KeyClaim & { readonly objectId: RefundId };

/** 201 created, 200 the same refund again, 409, 503, 504; 404 for a payment of another merchant. */
export async function createRefund(
  parts: ApiParts,
  request: KeyRequest<NoParams, RefundRequest>,
): Promise<Answer> {
  const claim = claimOf(parts, request);
  if (claim !== null) {
    const claimed = await askStore(parts, async (sql) => ({ result: await claimKey(sql, claim) }));
    if (claimed === undefined) return refuse('dependency_unavailable');
    if (claimed.result === 'conflict') return refuse('idempotency_conflict');
  }
  const command = toCommand(request, claim);
  const answer = await send(parts, command, claim);
  if (answer.kind === 'refused' && claim !== null) await release(parts, claim);
  return answerTo(answer, command.paymentId);
}

/** null: the request has no key. */
function claimOf(
  parts: ApiParts,
  { credential, idempotencyKey, body }: KeyRequest<NoParams, RefundRequest>,
): RefundClaim | null {
  if (idempotencyKey === undefined) return null;
  const { merchantId, environment } = credential;
  const scope = { merchantId, environment, kind: 'refund', idempotencyKey } as const;
  const objectId = newId('ref', parts.deriveIdBytes(scope));
  const fingerprint = refundFingerprintOf(body);
  const key = digestOfKey(idempotencyKey);
  return { merchantId, environment, kind: 'refund', key, fingerprint, objectId };
}

function toCommand(
  { credential, body }: KeyRequest<NoParams, RefundRequest>,
  claim: RefundClaim | null,
): RefundPayment {
  const { merchantId, environment } = credential;
  const refundId = claim?.objectId ?? newId('ref', randomIdBytes());
  return { type: 'refund', refundId, merchantId, environment, ...body };
}

function send(
  parts: ApiParts,
  command: RefundPayment,
  claim: RefundClaim | null,
): Promise<CommandAnswer> {
  return parts.dispatcher.dispatch({
    paymentId: command.paymentId,
    partition: partitionOf(command.paymentId, parts.partitions),
    text: encodeCommand(command),
    waitMs: command.environment === 'LIVE' ? parts.liveWaitMs : COMMAND_WAIT_MS,
    waitsAt: command.environment === 'LIVE' ? 'live' : undefined,
    recognize: (snapshot) => {
      const body = readRefund(decodeSnapshot(snapshot), command);
      // Whether it was the first of its key, nobody can tell any more; without a key it was.
      const outcome = claim === null ? 'created' : 'replayed';
      return body === undefined ? undefined : { kind: 'reply', outcome, body };
    },
  });
}

/** The refund as it is stored, once its sender would be told: not while the rail is asked. */
function readRefund(state: PaymentState, command: RefundPayment): string | undefined {
  const { merchantId, environment, refundId } = command;
  const isOwn = state.merchantId === merchantId && state.environment === environment;
  const refund = isOwn ? findRefund(state, refundId) : undefined;
  return refund === undefined || isAwaited(refund)
    ? undefined
    : JSON.stringify(viewRefund(state, refund));
}

const isAwaited = (refund: Refund): boolean => refund.status === 'asked' && !refund.isLeftPending;

/** Nothing was accepted, so the key is not used up. When that fails the key stays with this body. */
async function release(parts: ApiParts, claim: KeyClaim): Promise<void> {
  await askStore(parts, async (sql) => ({ done: await releaseKey(sql, claim) }));
}
