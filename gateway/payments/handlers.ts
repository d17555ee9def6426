// Payments of a secret key: create, get, cancel. A handler decides nothing: it parses, sends the command
// and turns the actor's outcome into the answer of the contract.
import { makeId, type PaymentId } from '#actors/core/ids.js';
import { partitionFor } from '#actors/core/partition.js';
import type { CreatePayment, PaymentCommand } from '#actors/core/payment/commands.js';
import { decide } from '#actors/core/payment/decide.js';
import { fingerprintRequest } from '#actors/core/payment/create.js';
import { isRejection } from '#actors/core/payment/outcome.js';
import type { PaymentRequest } from '#actors/core/payment/state.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import { viewPayment } from '#actors/core/payment/view.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { findChargeableMethod } from '#actors/core/payment-methods.js';
import type { RailName } from '#actors/core/rails/answers.js';
import type { Credential } from '#actors/core/api-key.js';
import type { CommandAnswer, Dispatch } from '../commands/dispatcher.js';
import { type Answer, type ApiError, buildApiError, reply } from '../routing/response.js';
import type { KeyRequest, NoParams } from '../routing/request.js';
import { buildCommandAnswer } from '../commands/command-answer.js';
import type { ApiDeps } from './api-deps.js';
import { readState } from './read-state.js';
import { generateIdBytes } from '../commands/random-id-bytes.js';

/** Within this time a command is answered or its outcome is unknown (504). */
export const COMMAND_WAIT_MS = 10_000;

const NO_LIVE_CREATES = buildApiError('dependency_unavailable', {
  message: 'LIVE payments are not taken at the moment. Nothing was done; try again later.',
  retryAfterSeconds: 60,
});

const NOT_SENT = buildApiError('dependency_unavailable');

type PaymentParams = { payment_id: PaymentId };

/** Whose payment it is to be. */
export type PaymentOwner = Pick<Credential, 'merchantId' | 'environment'>;

export interface PaymentSubmission {
  readonly owner: PaymentOwner;
  readonly request: PaymentRequest;
  readonly idempotencyKey: string | undefined;
}

/** 201 created, 200 the same create again, 409 another body, 502 refused by the rail, 503, 504. */
export function createPayment(
  parts: ApiDeps,
  { credential, idempotencyKey, body }: KeyRequest<NoParams, PaymentRequest>,
): Promise<Answer> {
  return submitPayment(parts, { owner: credential, request: body, idempotencyKey });
}

/**
 * A create. Whoever has no live key has passed the gate of LIVE in another way. Switches and rails are about new payments:
 * the repeat of one that is there is answered by it, whatever they say now.
 */
export async function submitPayment(parts: ApiDeps, order: PaymentSubmission): Promise<Answer> {
  const { owner, request, idempotencyKey } = order;
  const paymentId = choosePaymentId(parts, order);
  const switchedOff = owner.environment === 'LIVE' ? checkSwitches(parts, request) : undefined;
  if (switchedOff !== undefined) {
    const isThere = await isStored(parts, paymentId);
    if (isThere !== true) return isThere === undefined ? NOT_SENT : switchedOff;
  }
  const rails = switchedOff === undefined ? await findRails(parts, owner, request) : [];
  if (rails === undefined) return NOT_SENT;
  const command = buildCommand(order, paymentId, rails);
  const { environment } = command;
  const answer = await parts.dispatcher.dispatch({
    paymentId,
    partition: partitionFor(paymentId, parts.partitions),
    text: encodeCommand(command),
    waitMs: environment === 'LIVE' ? parts.liveReplyWaitMs : COMMAND_WAIT_MS,
    waitsAt: rails[0],
    recognize: (snapshot) =>
      readCreateAnswer(decodeSnapshot(snapshot), command, {
        isKeyed: idempotencyKey !== undefined,
        baseUrl: parts.baseUrl,
      }),
  });
  return buildCommandAnswer(answer, paymentId);
}

function choosePaymentId(parts: ApiDeps, { owner, idempotencyKey }: PaymentSubmission): PaymentId {
  return idempotencyKey === undefined
    ? makeId('pay', generateIdBytes())
    : derivePaymentId(parts, owner, idempotencyKey);
}

/** undefined: the database could not be asked. */
export async function isStored(
  parts: Pick<ApiDeps, 'readSnapshot' | 'onError'>,
  paymentId: PaymentId,
): Promise<boolean | undefined> {
  const state = await readState(parts, paymentId);
  return state === 'unavailable' ? undefined : state !== undefined;
}

/** The id that the payment of an idempotency key has, for ever. */
export function derivePaymentId(
  { deriveIdBytes }: Pick<ApiDeps, 'deriveIdBytes'>,
  { merchantId, environment }: PaymentOwner,
  idempotencyKey: string,
): PaymentId {
  return makeId('pay', deriveIdBytes({ merchantId, environment, kind: 'payment', idempotencyKey }));
}

/** What operators do not let be taken now; undefined: it is. */
function checkSwitches(
  { isSwitchedOn }: ApiDeps,
  { paymentMethod }: PaymentRequest,
): ApiError | undefined {
  if (!isSwitchedOn('live_creates')) return NO_LIVE_CREATES;
  if (paymentMethod === null || isSwitchedOn(`method:${paymentMethod}`)) return undefined;
  return buildApiError('payment_method_unavailable', { param: 'payment_method' });
}

/** None for TEST, and while no method is chosen; undefined: the database could not be asked. */
async function findRails(
  { railAvailability, onError }: ApiDeps,
  { merchantId, environment }: PaymentOwner,
  { paymentMethod, amountMinor }: PaymentRequest,
): Promise<readonly RailName[] | undefined> {
  const method = findChargeableMethod(paymentMethod);
  if (method === null || environment === 'TEST') return [];
  try {
    return await railAvailability.findRails({ merchantId, method, amountMinor });
  } catch (error) {
    onError(error);
    return undefined;
  }
}

function buildCommand(
  { owner, request }: PaymentSubmission,
  paymentId: PaymentId,
  rails: readonly RailName[],
): CreatePayment {
  const { merchantId, environment } = owner;
  const fingerprint = fingerprintRequest(request);
  return { type: 'create', paymentId, merchantId, environment, request, fingerprint, rails };
}

/**
 * A create whose reply was lost: the state machine says what the same create would be answered now. With a
 * key, nobody can tell any more whether it was the first; without one, it must have been.
 */
function readCreateAnswer(
  state: PaymentState,
  command: CreatePayment,
  { isKeyed, baseUrl }: { isKeyed: boolean; baseUrl: string },
): CommandAnswer | undefined {
  const { outcome } = decide(state, command, state.createdAtMs);
  if (outcome === 'waiting') return undefined;
  if (isRejection(outcome)) return { kind: 'reply', outcome, body: '' };
  const body = JSON.stringify(viewPayment(state, baseUrl));
  return { kind: 'reply', outcome: isKeyed ? outcome : 'created', body };
}

/** 200 with the payment; 404 for one of another merchant or of the other environment. */
export async function getPayment(
  parts: ApiDeps,
  request: KeyRequest<PaymentParams>,
): Promise<Answer> {
  const { credential, params } = request;
  const state = await readState(parts, params.payment_id);
  if (state === 'unavailable') return buildApiError('dependency_unavailable');
  const isOwn =
    state?.merchantId === credential.merchantId && state.environment === credential.environment;
  return isOwn
    ? reply(200, JSON.stringify(viewPayment(state, parts.baseUrl)))
    : buildApiError('payment_not_found');
}

/** 200 cancelled (now or before), 409 in any other status, 504 when the rail has not said. */
export async function cancelPayment(
  parts: ApiDeps,
  request: KeyRequest<PaymentParams>,
): Promise<Answer> {
  const { merchantId, environment } = request.credential;
  const paymentId = request.params.payment_id;
  const readBody = (state: PaymentState): string | undefined => {
    const isOwn = state.merchantId === merchantId && state.environment === environment;
    if (!isOwn || state.status !== 'cancelled') return undefined;
    return JSON.stringify(viewPayment(state, parts.baseUrl));
  };
  const wait = environment === 'LIVE' ? { waitMs: parts.liveReplyWaitMs, waitsAt: 'live' } : {};
  const command = { type: 'cancel', paymentId, merchantId, environment } as const;
  return sendCommand(parts, command, readBody, wait);
}

/**
 * Sends a command on an existing payment. `readBody` recognizes from the stored state that it took
 * effect, when no reply came: the body, or undefined.
 */
export async function sendCommand(
  parts: Pick<ApiDeps, 'dispatcher' | 'partitions'>,
  command: PaymentCommand,
  readBody: (state: PaymentState) => string | undefined,
  wait: Pick<Partial<Dispatch>, 'waitMs' | 'waitsAt'> = {},
): Promise<Answer> {
  const answer = await parts.dispatcher.dispatch({
    paymentId: command.paymentId,
    partition: partitionFor(command.paymentId, parts.partitions),
    text: encodeCommand(command),
    waitMs: COMMAND_WAIT_MS,
    ...wait,
    recognize: (snapshot) => {
      const body = readBody(decodeSnapshot(snapshot));
      return body === undefined ? undefined : { kind: 'reply', outcome: 'unchanged', body };
    },
  });
  return buildCommandAnswer(answer, command.paymentId);
}
