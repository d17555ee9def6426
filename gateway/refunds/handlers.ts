// A refund is asked for: the idempotency key is claimed, then the command goes to the payment's actor.
import { makeId, type RefundId } from '#actors/core/ids.js';
import { partitionFor } from '#actors/core/partition.js';
import type { RefundPayment } from '#actors/core/payment/commands.js';
import { findRefund, type PaymentState, type Refund } from '#actors/core/payment/state.js';
import { viewRefund } from '#actors/core/payment/view.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { fingerprintRefund, type RefundRequest } from '#actors/core/requests/create-refund.js';
import {
  claimKey,
  digestKey,
  type KeyClaim,
  releaseKey,
} from '#store/postgres/payments/claim-key.js';
import type { CommandAnswer } from '../commands/dispatcher.js';
import { type Answer, buildApiError } from '../routing/response.js';
import type { KeyRequest, NoParams } from '../routing/request.js';
import { buildCommandAnswer } from '../commands/command-answer.js';
import type { ApiDeps } from '../payments/api-deps.js';
import { COMMAND_WAIT_MS } from '../payments/handlers.js';
import { generateIdBytes } from '../commands/random-id-bytes.js';

/** `objectId` is the refund's. */
type RefundClaim = KeyClaim & { readonly objectId: RefundId };

/** 201 created, 200 the same refund again, 409, 503, 504; 404 for a payment of another merchant. */
export async function createRefund(
  parts: ApiDeps,
  request: KeyRequest<NoParams, RefundRequest>,
): Promise<Answer> {
  const claim = buildClaim(parts, request);
  if (claim !== null) {
    const claimed = await claimKey(parts.lists, claim);
    if (claimed === 'conflict') return buildApiError('idempotency_conflict');
  }
  const command = buildCommand(request, claim);
  const answer = await send(parts, command, claim);
  if (answer.kind === 'not_accepted' && claim !== null) await releaseClaim(parts, claim);
  return buildCommandAnswer(answer, command.paymentId);
}

/** null: the request has no key. */
function buildClaim(
  parts: ApiDeps,
  { credential, idempotencyKey, body }: KeyRequest<NoParams, RefundRequest>,
): RefundClaim | null {
  if (idempotencyKey === undefined) return null;
  const { merchantId, environment } = credential;
  const scope = { merchantId, environment, kind: 'refund', idempotencyKey } as const;
  const objectId = makeId('ref', parts.deriveIdBytes(scope));
  const fingerprint = fingerprintRefund(body);
  const key = digestKey(idempotencyKey);
  return { merchantId, environment, kind: 'refund', key, fingerprint, objectId };
}

function buildCommand(
  { credential, body }: KeyRequest<NoParams, RefundRequest>,
  claim: RefundClaim | null,
): RefundPayment {
  const { merchantId, environment } = credential;
  const refundId = claim?.objectId ?? makeId('ref', generateIdBytes());
  return { type: 'refund', refundId, merchantId, environment, ...body };
}

function send(
  parts: ApiDeps,
  command: RefundPayment,
  claim: RefundClaim | null,
): Promise<CommandAnswer> {
  return parts.dispatcher.dispatch({
    paymentId: command.paymentId,
    partition: partitionFor(command.paymentId, parts.partitions),
    text: encodeCommand(command),
    waitMs: command.environment === 'LIVE' ? parts.liveReplyWaitMs : COMMAND_WAIT_MS,
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
async function releaseClaim(parts: ApiDeps, claim: KeyClaim): Promise<void> {
  await releaseKey(parts.lists, claim).catch(parts.onError);
}
