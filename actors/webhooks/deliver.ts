// One attempt: the headers are made and signed now, the bytes are those that were stored, and whatever comes
// of it becomes a row and a next step.
import { type DeliveryFailure, failureOfStatus, isFinal } from '../core/webhooks/failures.js';
import { nextAttemptInMs, parseRetryAfter } from '../core/webhooks/retry.js';
import { signedHeaders } from '../core/webhooks/sign.js';
import type { Poster, PostResult } from '#ops/net/post.js';
import type { AttemptRow } from '#store/postgres/webhooks/record-attempts.js';
import type { DueDelivery } from '#store/postgres/webhooks/due-deliveries.js';
import type { LiveEndpoint } from './endpoint-cache.js';
import type { Outcome } from './lanes/lane.js';

export interface DeliverParts {
  poster: Pick<Poster, 'post'>;
  brandHeader: string;
  scheduleS: readonly number[];
  random: () => number;
  nowMs: () => number;
}

type Tried = Pick<AttemptRow, 'statusCode' | 'error' | 'excerpt'> & {
  failure: DeliveryFailure | null;
  retryAfterMs: number | null;
};

/** Makes one attempt; null: it was withheld, nothing has been sent. Never rejects. */
export async function deliver(
  parts: DeliverParts,
  delivery: DueDelivery,
  endpoint: LiveEndpoint,
  mayBegin: () => boolean,
): Promise<AttemptRow | null> {
  const startedAtMs = parts.nowMs();
  const began = performance.now();
  const tried = await attempt(parts, delivery, endpoint, { startedAtMs, mayBegin });
  if (tried === null) return null;
  const { retryAfterMs, ...row } = tried;
  return {
    ...row,
    deliveryId: delivery.id,
    attempt: delivery.attempts + 1,
    startedAtMs,
    durationMs: Math.round(performance.now() - began),
    ...nextStep(parts, delivery, tried.failure, retryAfterMs),
  };
}

async function attempt(
  { poster, brandHeader, nowMs }: DeliverParts,
  delivery: DueDelivery,
  { url, isActive, secrets }: LiveEndpoint,
  { startedAtMs, mayBegin }: { startedAtMs: number; mayBegin: () => boolean },
): Promise<Tried | null> {
  if (!isActive) return failed('endpoint_inactive', null);
  if (secrets === null) return failed('secret_unreadable', null);
  const body = Buffer.from(delivery.body, 'utf8');
  const signed = { id: delivery.eventId, timestampS: Math.floor(startedAtMs / 1000), body };
  const headers = signedHeaders(secrets, signed, { brandHeader, attempt: delivery.attempts + 1 });
  const result = await poster.post(url, headers, body, mayBegin);
  return result.kind === 'withheld' ? null : judge(result, nowMs());
}

function failed(failure: DeliveryFailure, error: string | null): Tried {
  return { failure, error, statusCode: null, excerpt: null, retryAfterMs: null };
}

function judge(result: Exclude<PostResult, { kind: 'withheld' }>, nowMs: number): Tried {
  if (result.kind === 'failed') return failed(result.failure, result.error);
  const { status, headers, excerpt } = result;
  const failure = failureOfStatus(status);
  const retryAfter = headers['retry-after'];
  const retryAfterMs = parseRetryAfter(
    typeof retryAfter === 'string' ? retryAfter : undefined,
    nowMs,
  );
  return { failure, error: null, statusCode: status, excerpt, retryAfterMs };
}

function nextStep(
  { scheduleS, random }: DeliverParts,
  { step }: DueDelivery,
  failure: DeliveryFailure | null,
  retryAfterMs: number | null,
): Pick<AttemptRow, 'status' | 'nextInMs'> {
  if (failure === null) return { status: 'delivered', nextInMs: null };
  const failures = step + 1;
  const nextInMs = isFinal(failure)
    ? null
    : nextAttemptInMs({ scheduleS, failures, random: random(), retryAfterMs });
  return { status: nextInMs === null ? 'dead' : 'pending', nextInMs };
}

/** What a lane learns of its endpoint. */
export function outcomeOf(failure: DeliveryFailure | null): Outcome {
  switch (failure) {
    case null:
      return 'success';
    case 'http_429':
      return 'throttled';
    case 'target_refused':
    case 'endpoint_inactive':
    case 'secret_unreadable':
      return 'unrelated';
    default:
      return 'failure';
  }
}
