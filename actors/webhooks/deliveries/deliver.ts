// One attempt to deliver an event: sign the stored bytes, post them, and turn the result into a row with the next step.
import { type DeliveryFailure, classifyStatus, isFinal } from '#actors/core/webhooks/failures.js';
import { findNextAttemptInMs, parseRetryAfter } from '#actors/core/webhooks/retry-schedule.js';
import { buildAttemptHeaders, signAttempt } from '#actors/core/webhooks/sign.js';
import type { Clock } from '#ops/runtime/clock.js';
import type { Poster, PostResult } from '#ops/net/post.js';
import type { Tracer } from '#ops/runtime/tracing/tracer.js';
import type { AttemptRow } from '#store/postgres/webhooks/record-attempts.js';
import type { DueDelivery } from '#store/postgres/webhooks/due-deliveries.js';
import { beginAttemptSpan, endAttemptSpan } from './attempt-span.js';
import type { LiveEndpoint } from './endpoint-cache.js';
import type { AttemptOutcome } from './lane.js';

export interface DeliverDeps {
  poster: Pick<Poster, 'post'>;
  brandHeader: string;
  scheduleS: readonly number[];
  random: () => number;
  clock: Clock;
  /** undefined: traces are off. */
  tracer?: Tracer | undefined;
}

type AttemptResult = Pick<AttemptRow, 'statusCode' | 'error' | 'excerpt' | 'signatures'> & {
  failure: DeliveryFailure | null;
  retryAfterMs: number | null;
};

/** Never rejects. Returns null when `mayBegin` withheld the request: nothing was sent. */
export async function deliver(
  deps: DeliverDeps,
  delivery: DueDelivery,
  endpoint: LiveEndpoint,
  mayBegin: () => boolean,
): Promise<AttemptRow | null> {
  const beganMs = deps.clock.monotonicMs();
  const result = await attempt(deps, delivery, endpoint, mayBegin);
  if (result === null) return null;
  const { retryAfterMs, ...row } = result;
  return {
    ...row,
    deliveryId: delivery.id,
    attempt: delivery.attempts + 1,
    beganMs,
    durationMs: Math.round(deps.clock.monotonicMs() - beganMs),
    ...planNextStep(deps, delivery, result.failure, retryAfterMs),
  };
}

async function attempt(
  { poster, brandHeader, clock, tracer }: DeliverDeps,
  delivery: DueDelivery,
  { url, isActive, secrets }: LiveEndpoint,
  mayBegin: () => boolean,
): Promise<AttemptResult | null> {
  if (!isActive) return buildFailedResult('endpoint_inactive', null);
  if (secrets === null) return buildFailedResult('secret_unreadable', null);
  const body = Buffer.from(delivery.body, 'utf8');
  const signed = { id: delivery.eventId, timestampS: Math.floor(clock.nowMs() / 1000), body };
  const signatures = signAttempt(secrets, signed, brandHeader);
  const { eventId, attempts } = delivery;
  const headers = buildAttemptHeaders(signatures, { eventId, attempt: attempts + 1 });
  const span = beginAttemptSpan(tracer, delivery, url);
  if (span !== undefined) headers['traceparent'] = span.traceparent;
  const request = { isBegun: false };
  const result = await poster.post(url, headers, body, () => {
    request.isBegun = mayBegin();
    return request.isBegun;
  });
  if (result.kind === 'withheld') return null;
  const classified = classifyPostResult(result, clock.nowMs());
  if (span !== undefined) endAttemptSpan(span, classified);
  return request.isBegun ? { ...classified, signatures } : classified;
}

function buildFailedResult(failure: DeliveryFailure, error: string | null): AttemptResult {
  return { failure, error, statusCode: null, excerpt: null, signatures: null, retryAfterMs: null };
}

function classifyPostResult(
  result: Exclude<PostResult, { kind: 'withheld' }>,
  nowMs: number,
): AttemptResult {
  if (result.kind === 'failed') return buildFailedResult(result.failure, result.error);
  const { status, headers, excerpt } = result;
  const failure = classifyStatus(status);
  const retryAfter = headers['retry-after'];
  const retryAfterMs = parseRetryAfter(
    typeof retryAfter === 'string' ? retryAfter : undefined,
    nowMs,
  );
  return { failure, error: null, statusCode: status, excerpt, signatures: null, retryAfterMs };
}

function planNextStep(
  { scheduleS, random }: DeliverDeps,
  { step }: DueDelivery,
  failure: DeliveryFailure | null,
  retryAfterMs: number | null,
): Pick<AttemptRow, 'status' | 'nextInMs'> {
  if (failure === null) return { status: 'delivered', nextInMs: null };
  const failures = step + 1;
  const nextInMs = isFinal(failure)
    ? null
    : findNextAttemptInMs({ scheduleS, failures, random: random(), retryAfterMs });
  return { status: nextInMs === null ? 'dead' : 'pending', nextInMs };
}

/** The result for the endpoint's lane. */
export function classifyOutcome(failure: DeliveryFailure | null): AttemptOutcome {
  switch (failure) {
    case null:
      return 'success';
    case 'http_429':
      return 'throttled';
    case 'endpoint_inactive':
      return 'inactive';
    case 'target_refused':
    case 'secret_unreadable':
      return 'unrelated';
    default:
      return 'failure';
  }
}
