// Creates a refund: claims the idempotency key in Postgres, then sends the command to the payment's actor.
import { makeId, type RefundId } from '#actors/core/ids.js';
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
} from '#store/postgres/payments/claim-refund-key.js';
import type { CommandAnswer } from '#gateway/commands/dispatcher.js';
import { type Answer, buildApiError } from '#gateway/routing/response.js';
import type { NoParams } from '#gateway/routing/request.js';
import type { Tenant, TenantRequest } from '#gateway/lists/listing.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import { buildCommandAnswer, COMMAND_WAIT_MS } from '../payments/handlers.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';

type RefundClaim = KeyClaim & { readonly objectId: RefundId };
type RefundDeps = Pick<
  ApiDeps,
  'deriveIdBytes' | 'dispatcher' | 'lists' | 'liveReplyWaitMs' | 'onError'
>;

export interface RefundSubmission {
  readonly tenant: Tenant;
  readonly request: RefundRequest;
  readonly idempotencyKey: string | undefined;
}

/** 201 created, 200 repeated, 409, 503, 504; another merchant's payment returns 404. */
export function createRefund(
  deps: ApiDeps,
  { credential, body, idempotencyKey }: TenantRequest<NoParams, RefundRequest>,
): Promise<Answer> {
  return submitRefund(deps, { tenant: credential, request: body, idempotencyKey });
}

/** Refunds a payment of `tenant`, for its key or for an administrator. */
export async function submitRefund(
  deps: RefundDeps,
  submission: RefundSubmission,
): Promise<Answer> {
  const claim = buildClaim(deps, submission);
  if (claim !== null) {
    const claimed = await claimKey(deps.lists, claim);
    if (claimed === 'conflict') return buildApiError('idempotency_conflict');
  }
  const command = buildCommand(submission, claim);
  const answer = await send(deps, command, claim);
  if (answer.kind === 'not_accepted' && claim !== null) await releaseClaim(deps, claim);
  return buildCommandAnswer(answer, command.paymentId, 'paid');
}

/** Returns null when the request has no key. */
function buildClaim(
  deps: RefundDeps,
  { tenant, idempotencyKey, request }: RefundSubmission,
): RefundClaim | null {
  if (idempotencyKey === undefined) return null;
  const { merchantId, environment } = tenant;
  const scope = { merchantId, environment, kind: 'refund', idempotencyKey } as const;
  const objectId = makeId('ref', deps.deriveIdBytes(scope));
  const fingerprint = fingerprintRefund(request);
  const key = digestKey(idempotencyKey);
  return { merchantId, environment, kind: 'refund', key, fingerprint, objectId };
}

function buildCommand(
  { tenant, request }: RefundSubmission,
  claim: RefundClaim | null,
): RefundPayment {
  const { merchantId, environment } = tenant;
  const refundId = claim?.objectId ?? makeId('ref', generateIdBytes());
  return { type: 'refund', refundId, merchantId, environment, ...request };
}

function send(
  deps: RefundDeps,
  command: RefundPayment,
  claim: RefundClaim | null,
): Promise<CommandAnswer> {
  return deps.dispatcher.dispatch({
    paymentId: command.paymentId,
    text: encodeCommand(command),
    waitMs: command.environment === 'LIVE' ? deps.liveReplyWaitMs : COMMAND_WAIT_MS,
    waitsAt: command.environment === 'LIVE' ? 'live' : undefined,
    recognize: (snapshot) => {
      const body = readRefund(decodeSnapshot(snapshot), command);
      // With a key it is unknown whether this request was the first; without a key it must have been.
      const outcome = claim === null ? 'created' : 'replayed';
      return body === undefined ? undefined : { kind: 'reply', outcome, body };
    },
  });
}

/** The stored refund, unless its rail has not answered yet. */
function readRefund(state: PaymentState, command: RefundPayment): string | undefined {
  const { merchantId, environment, refundId } = command;
  const isOwn = state.merchantId === merchantId && state.environment === environment;
  const refund = isOwn ? findRefund(state, refundId) : undefined;
  return refund === undefined || isAwaited(refund)
    ? undefined
    : JSON.stringify(viewRefund(state, refund));
}

const isAwaited = (refund: Refund): boolean => refund.status === 'asked' && !refund.isLeftPending;

/** The stream did not accept the command, so the key may be used again. If the release fails, the key keeps this body. */
async function releaseClaim(deps: RefundDeps, claim: KeyClaim): Promise<void> {
  await releaseKey(deps.lists, claim).catch(deps.onError);
}
