// Payments of a secret key: create, get, cancel. A handler sends a command; the payment's actor decides; the handler
// turns the outcome into the answer of the contract.
import { makeId, type PaymentId } from '#actors/core/ids.js';
import type { CreatePayment, SentCommand } from '#actors/core/payment/commands.js';
import { MAX_ATTEMPTS } from '#actors/core/payment/attempts.js';
import { MAX_REFUNDS } from '#actors/core/payment/refunds.js';
import { decide } from '#actors/core/payment/state-machine.js';
import { isRejection } from '#actors/core/payment/outcome.js';
import { isOfTenant, type PaymentRequest, type PaymentState } from '#actors/core/payment/state.js';
import { cutAnswer, formatPayment, isSnapshotOf } from '#actors/core/payment/wire/answer.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { findChargeableMethod } from '#actors/core/payment-methods.js';
import { findTestOnlyParam } from '#actors/core/requests/create-payment.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { CommandAnswer, Dispatch } from '#gateway/commands/dispatcher.js';
import { findErrorCode } from '#gateway/routing/errors.js';
import {
  type Answer,
  type ApiErrorDetails,
  buildApiError,
  IDEMPOTENT_REPLAYED,
  reply,
} from '#gateway/routing/response.js';
import type { KeyRequest, NoParams } from '#gateway/routing/request.js';
import type { Tenant, TenantRequest } from '#gateway/lists/listing.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import type { Charge, ChargeAdmission } from '#gateway/commands/read-availability.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';

/** After this time the outcome of a TEST command is unknown: 504. */
export const COMMAND_WAIT_MS = 10_000;

type PaymentParams = { payment_id: PaymentId };

export interface PaymentSubmission {
  readonly tenant: Tenant;
  readonly request: PaymentRequest;
  readonly idempotencyKey: string | undefined;
}

/** 201 created, 200 repeated create, 409 another body, 502 rejected by the rail, 503, 504. */
export function createPayment(
  deps: ApiDeps,
  { credential, idempotencyKey, body }: KeyRequest<NoParams, PaymentRequest>,
): Promise<Answer> {
  const param = credential.environment === 'LIVE' ? findTestOnlyParam(body) : null;
  if (param !== null) return Promise.resolve(buildApiError('url_invalid', { param }));
  return submitPayment(deps, { tenant: credential, request: body, idempotencyKey });
}

/**
 * Creates a payment for a key, a payment link or an invoice. The LIVE gate, the availability of rails and their longest
 * expiry apply to new payments only: the repeat of a stored create returns its payment.
 */
export async function submitPayment(deps: ApiDeps, submission: PaymentSubmission): Promise<Answer> {
  const { tenant, request, idempotencyKey } = submission;
  const paymentId =
    idempotencyKey === undefined
      ? makeId('pay', generateIdBytes())
      : derivePaymentId(deps, tenant, idempotencyKey);
  const { paymentMethod: requested, amountMinor, expiresInS } = request;
  const method = findChargeableMethod(requested);
  const charge = { requested, method, amountMinor, expiresInS };
  const { refusal, rails } = await admitCharge(deps, tenant, charge);
  if (refusal !== null && !(await isStored(deps, paymentId))) return refusal;
  const command = buildCommand(submission, paymentId, rails);
  const answer = await deps.dispatcher.dispatch({
    paymentId,
    text: encodeCommand(command),
    waitMs: tenant.environment === 'LIVE' ? deps.liveReplyWaitMs : COMMAND_WAIT_MS,
    waitsAt: rails[0],
    recognize: (snapshot) =>
      readCreateAnswer(decodeSnapshot(snapshot), command, {
        isKeyed: idempotencyKey !== undefined,
        baseUrl: deps.baseUrl,
      }),
  });
  return buildCommandAnswer(answer, paymentId);
}

export async function isStored(
  deps: Pick<ApiDeps, 'readSnapshot'>,
  paymentId: PaymentId,
): Promise<boolean> {
  return (await deps.readSnapshot(paymentId)) !== undefined;
}

/** The same idempotency key of a tenant always gives the same payment id. */
export function derivePaymentId(
  { deriveIdBytes }: Pick<ApiDeps, 'deriveIdBytes'>,
  { merchantId, environment }: Tenant,
  idempotencyKey: string,
): PaymentId {
  return makeId('pay', deriveIdBytes({ merchantId, environment, kind: 'payment', idempotencyKey }));
}

const TEST_ADMISSION: ChargeAdmission = { refusal: null, rails: [] };

/** TEST is charged in the sandbox, which takes every charge. LIVE passes the LIVE gate, and needs a rail. */
export function admitCharge(
  { railAvailability }: Pick<ApiDeps, 'railAvailability'>,
  { merchantId, environment }: Tenant,
  charge: Omit<Charge, 'merchantId'>,
): ChargeAdmission | Promise<ChargeAdmission> {
  return environment === 'TEST'
    ? TEST_ADMISSION
    : railAvailability.admit({ merchantId, ...charge });
}

function buildCommand(
  { tenant, request }: PaymentSubmission,
  paymentId: PaymentId,
  rails: readonly RailName[],
): CreatePayment {
  const { merchantId, environment } = tenant;
  return { type: 'create', paymentId, merchantId, environment, request, rails };
}

/**
 * The answer to a create whose reply was lost, from the stored payment: the state machine decides the same create
 * again. With a key it is unknown whether this request was the first; without a key it must have been.
 */
function readCreateAnswer(
  state: PaymentState,
  command: CreatePayment,
  { isKeyed, baseUrl }: { isKeyed: boolean; baseUrl: string },
): CommandAnswer | undefined {
  const { outcome } = decide(state, command, state.createdAtMs);
  if (outcome === 'waiting') return undefined;
  if (isRejection(outcome)) return { kind: 'reply', outcome, body: '' };
  const body = formatPayment(state, baseUrl);
  return { kind: 'reply', outcome: isKeyed ? outcome : 'created', body };
}

/** 200; another merchant's or the other environment's id returns 404. */
export async function getPayment(
  deps: ApiDeps,
  { credential, params }: TenantRequest<PaymentParams>,
): Promise<Answer> {
  const snapshot = await deps.readSnapshot(params.payment_id);
  return snapshot === undefined || !isSnapshotOf(snapshot, credential)
    ? buildApiError('payment_not_found')
    : reply(200, cutAnswer(snapshot, deps.baseUrl));
}

/** 200 cancelled, now or before; 409 in any other status; 504 until the rail has confirmed. */
export async function cancelPayment(
  deps: ApiDeps,
  request: TenantRequest<PaymentParams>,
): Promise<Answer> {
  const { merchantId, environment } = request.credential;
  const paymentId = request.params.payment_id;
  const readBody = (state: PaymentState): string | undefined =>
    isOfTenant(state, request.credential) && state.status === 'cancelled'
      ? formatPayment(state, deps.baseUrl)
      : undefined;
  const wait = environment === 'LIVE' ? { waitMs: deps.liveReplyWaitMs, waitsAt: 'live' } : {};
  const command = { type: 'cancel', paymentId, merchantId, environment } as const;
  return sendCommand(deps, command, readBody, wait);
}

/**
 * Sends a command to an existing payment. When no reply arrives, `readBody` looks for the command's effect in the
 * stored payment: it returns the body of the answer, or undefined when the command has had no effect yet.
 */
export async function sendCommand(
  deps: Pick<ApiDeps, 'dispatcher'>,
  command: SentCommand,
  readBody: (state: PaymentState) => string | undefined,
  wait: Pick<Partial<Dispatch>, 'waitMs' | 'waitsAt'> = {},
): Promise<Answer> {
  const answer = await deps.dispatcher.dispatch({
    paymentId: command.paymentId,
    text: encodeCommand(command),
    waitMs: COMMAND_WAIT_MS,
    ...wait,
    recognize: (snapshot) => {
      const body = readBody(decodeSnapshot(snapshot));
      return body === undefined ? undefined : { kind: 'reply', outcome: 'unchanged', body };
    },
  });
  return buildCommandAnswer(answer, command.paymentId, REQUIRED_STATUSES[command.type]);
}

/** The status that a command of a merchant or of its customer needs. */
const REQUIRED_STATUSES: Readonly<Partial<Record<SentCommand['type'], string>>> = {
  cancel: 'pending',
  choose_method: 'pending',
  simulate: 'pending',
};

const REPLAYED_HEADERS = [IDEMPOTENT_REPLAYED] as const;

/** `paymentId` is part of the errors that ask the merchant to look the payment up: 502 and 504. */
export function buildCommandAnswer(
  answer: CommandAnswer,
  paymentId: PaymentId,
  requiredStatus?: string,
): Answer {
  switch (answer.kind) {
    case 'not_accepted':
      return buildApiError(answer.code);
    case 'unanswered':
      return buildApiError('outcome_unknown', { paymentId });
    case 'reply':
      return buildReplyAnswer(answer, paymentId, requiredStatus);
  }
}

function buildReplyAnswer(
  { outcome, body }: Extract<CommandAnswer, { kind: 'reply' }>,
  paymentId: PaymentId,
  requiredStatus: string | undefined,
): Answer {
  switch (outcome) {
    case 'created':
      return reply(201, body);
    case 'replayed':
      return reply(200, body, REPLAYED_HEADERS);
    case 'done':
    case 'unchanged':
      return reply(200, body);
    case 'state_conflict':
      return buildApiError('state_conflict', {
        currentStatus: body,
        ...(requiredStatus === undefined ? {} : { requiredStatus }),
      });
    case 'refund_exceeds_payment':
      return buildApiError(outcome, describeRefundable(body));
    case 'attempt_limit_reached':
    case 'refund_limit_reached':
      return buildApiError(findErrorCode(outcome), { message: LIMIT_MESSAGES[outcome] });
    case 'payment_processing_failed':
    case 'outcome_unknown':
      return buildApiError(outcome, { paymentId });
    default:
      return isRejection(outcome)
        ? buildApiError(findErrorCode(outcome))
        : buildApiError('internal_error');
  }
}

const LIMIT_MESSAGES = {
  attempt_limit_reached: `The payment was charged ${MAX_ATTEMPTS} times, the most that is allowed. Create a new payment.`,
  refund_limit_reached: `The payment has ${MAX_REFUNDS} refunds, the most that are allowed.`,
} as const;

/** `left` is the refundable amount; a payments process of an older version sends the status instead. */
function describeRefundable(left: string): ApiErrorDetails {
  if (!/^[0-9]+$/.test(left)) return {};
  const message =
    left === '0'
      ? 'Nothing is left to refund: open and completed refunds make up the whole payment.'
      : `amount must be at most ${left}, the refundable_amount of the payment.`;
  return { message, param: 'amount' };
}
