// Payments of a secret key: create, get, cancel. A handler decides nothing: it parses, sends the command
// and turns the actor's outcome into the answer of the contract.
import { newId, type PaymentId } from '#actors/core/ids.js';
import { partitionOf } from '#actors/core/partition.js';
import type { CreatePayment, PaymentCommand } from '#actors/core/payment/commands.js';
import { decide } from '#actors/core/payment/decide.js';
import { fingerprintOf } from '#actors/core/payment/create.js';
import { isRejection } from '#actors/core/payment/outcome.js';
import type { PaymentRequest } from '#actors/core/payment/state.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import { viewPayment } from '#actors/core/payment/view.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { chargeableMethod } from '#actors/core/payment-methods.js';
import type { RailName } from '#actors/core/rails/answers.js';
import type { Credential } from '#actors/core/api-key.js';
import type { CommandAnswer, Dispatch } from '../commands/dispatcher.js';
import { type Answer, type Refusal, refuse, reply } from '../http/answer.js';
import type { KeyRequest, NoParams } from '../http/request.js';
import { answerTo } from './command-answer.js';
import type { ApiParts } from './parts.js';
import { readState } from './read-state.js';
import { randomIdBytes } from './random-id-bytes.js';

/** Within this time a command is answered or its outcome is unknown (504). */
export const COMMAND_WAIT_MS = 10_000;

const NO_LIVE_CREATES = refuse('dependency_unavailable', {
  message: 'LIVE payments are not taken at the moment. Nothing was done; try again later.',
  retryAfterSeconds: 60,
});

const NOT_ASKED = refuse('dependency_unavailable');

type PaymentParams = { payment_id: PaymentId };

/** Whose payment it is to be. */
export type PaymentOwner = Pick<Credential, 'merchantId' | 'environment'>;

export interface PaymentOrder {
  readonly owner: PaymentOwner;
  readonly request: PaymentRequest;
  readonly idempotencyKey: string | undefined;
}

/** 201 created, 200 the same create again, 409 another body, 502 refused by the rail, 503, 504. */
export function createPayment(
  parts: ApiParts,
  { credential, idempotencyKey, body }: KeyRequest<NoParams, PaymentRequest>,
): Promise<Answer> {
  return placeOrder(parts, { owner: credential, request: body, idempotencyKey });
}

/**
 * A create. Whoever has no live key has passed the gate of LIVE in another way. Switches and rails are about new payments:
 * the repeat of one that is there is answered by it, whatever they say now.
 */
export async function placeOrder(parts: ApiParts, order: PaymentOrder): Promise<Answer> {
  const { owner, request, idempotencyKey } = order;
  const paymentId = idOf(parts, order);
  const switchedOff = owner.environment === 'LIVE' ? refuseSwitchedOff(parts, request) : undefined;
  if (switchedOff !== undefined) {
    const isThere = await isStored(parts, paymentId);
    if (isThere !== true) return isThere === undefined ? NOT_ASKED : switchedOff;
  }
  const rails = switchedOff === undefined ? await findRails(parts, owner, request) : [];
  if (rails === undefined) return NOT_ASKED;
  const command = toCommand(order, paymentId, rails);
  const { environment } = command;
  const answer = await parts.dispatcher.dispatch({
    paymentId,
    partition: partitionOf(paymentId, parts.partitions),
    text: encodeCommand(command),
    waitMs: environment === 'LIVE' ? parts.liveWaitMs : COMMAND_WAIT_MS,
    waitsAt: rails[0],
    recognize: (snapshot) =>
      recognizeCreate(decodeSnapshot(snapshot), command, {
        isKeyed: idempotencyKey !== undefined,
        baseUrl: parts.baseUrl,
      }),
  });
  return answerTo(answer, paymentId);
}

function idOf(parts: ApiParts, { owner, idempotencyKey }: PaymentOrder): PaymentId {
  return idempotencyKey === undefined
    ? newId('pay', randomIdBytes())
    : paymentIdOf(parts, owner, idempotencyKey);
}

/** undefined: the database could not be asked. */
export async function isStored(
  parts: Pick<ApiParts, 'readSnapshot' | 'onError'>,
  paymentId: PaymentId,
): Promise<boolean | undefined> {
  const state = await readState(parts, paymentId);
  return state === 'unavailable' ? undefined : state !== undefined;
}

/** The id that the payment of an idempotency key has, for ever. */
export function paymentIdOf(
  { deriveIdBytes }: Pick<ApiParts, 'deriveIdBytes'>,
  { merchantId, environment }: PaymentOwner,
  idempotencyKey: string,
): PaymentId {
  return newId('pay', deriveIdBytes({ merchantId, environment, kind: 'payment', idempotencyKey }));
}

/** What operators do not let be taken now; undefined: it is. */
function refuseSwitchedOff(
  { isSwitchedOn }: ApiParts,
  { paymentMethod }: PaymentRequest,
): Refusal | undefined {
  if (!isSwitchedOn('live_creates')) return NO_LIVE_CREATES;
  if (paymentMethod === null || isSwitchedOn(`method:${paymentMethod}`)) return undefined;
  return refuse('payment_method_unavailable', { param: 'payment_method' });
}

/** None for TEST, and while no method is chosen; undefined: the database could not be asked. */
async function findRails(
  { live, onError }: ApiParts,
  { merchantId, environment }: PaymentOwner,
  { paymentMethod, amountMinor }: PaymentRequest,
): Promise<readonly RailName[] | undefined> {
  const method = chargeableMethod(paymentMethod);
  if (method === null || environment === 'TEST') return [];
  try {
    return await live.railsFor({ merchantId, method, amountMinor });
  } catch (error) {
    onError(error);
    return undefined;
  }
}

function toCommand(
  { owner, request }: PaymentOrder,
  paymentId: PaymentId,
  rails: readonly RailName[],
): CreatePayment {
  const { merchantId, environment } = owner;
  const fingerprint = fingerprintOf(request);
  return { type: 'create', paymentId, merchantId, environment, request, fingerprint, rails };
}

/**
 * A create whose reply was lost: the state machine says what the same create would be answered now. With a
 * key, nobody can tell any more whether it was the first; without one, it must have been.
 */
function recognizeCreate(
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
  parts: ApiParts,
  request: KeyRequest<PaymentParams>,
): Promise<Answer> {
  const { credential, params } = request;
  const state = await readState(parts, params.payment_id);
  if (state === 'unavailable') return refuse('dependency_unavailable');
  const isOwn =
    state?.merchantId === credential.merchantId && state.environment === credential.environment;
  return isOwn
    ? reply(200, JSON.stringify(viewPayment(state, parts.baseUrl)))
    : refuse('payment_not_found');
}

/** 200 cancelled (now or before), 409 in any other status, 504 when the rail has not said. */
export async function cancelPayment(
  parts: ApiParts,
  request: KeyRequest<PaymentParams>,
): Promise<Answer> {
  const { merchantId, environment } = request.credential;
  const paymentId = request.params.payment_id;
  const readBody = (state: PaymentState): string | undefined => {
    const isOwn = state.merchantId === merchantId && state.environment === environment;
    if (!isOwn || state.status !== 'cancelled') return undefined;
    return JSON.stringify(viewPayment(state, parts.baseUrl));
  };
  const wait = environment === 'LIVE' ? { waitMs: parts.liveWaitMs, waitsAt: 'live' } : {};
  const command = { type: 'cancel', paymentId, merchantId, environment } as const;
  return sendCommand(parts, command, readBody, wait);
}

/**
 * Sends a command on an existing payment. `readBody` recognizes from the stored state that it took
 * effect, when no reply came: the body, or undefined.
 */
export async function sendCommand(
  parts: Pick<ApiParts, 'dispatcher' | 'partitions'>,
  command: PaymentCommand,
  readBody: (state: PaymentState) => string | undefined,
  wait: Pick<Partial<Dispatch>, 'waitMs' | 'waitsAt'> = {},
): Promise<Answer> {
  const answer = await parts.dispatcher.dispatch({
    paymentId: command.paymentId,
    partition: partitionOf(command.paymentId, parts.partitions),
    text: encodeCommand(command),
    waitMs: COMMAND_WAIT_MS,
    ...wait,
    recognize: (snapshot) => {
      const body = readBody(decodeSnapshot(snapshot));
      return body === undefined ? undefined : { kind: 'reply', outcome: 'unchanged', body };
    },
  });
  return answerTo(answer, command.paymentId);
}
