// Endpoints and deliveries as answers show them.
import { explainFailure } from '#actors/core/webhooks/failures.js';
import type {
  Attempt,
  Delivery,
  DeliveryDetails,
} from '#store/postgres/webhooks/list-deliveries.js';
import type { EndpointHealth, WebhookEndpoint } from '#store/postgres/webhooks/list-endpoints.js';
import type { EndpointState } from './schema.js';

export function viewEndpoint(endpoint: WebhookEndpoint): object {
  return {
    id: endpoint.id,
    object: 'webhook_endpoint',
    environment: endpoint.environment,
    url: endpoint.url,
    events: endpoint.events,
    active: endpoint.active,
    created_at: endpoint.createdAt.toISOString(),
    overlap_ends_at: endpoint.switchAt?.toISOString() ?? null,
  };
}

/** With its state and the figures of a day. */
export function viewEndpointState(endpoint: WebhookEndpoint, health: EndpointHealth): object {
  const { attempts, failures, reason } = health;
  return {
    ...viewEndpoint(endpoint),
    state: findState(endpoint),
    consecutive_failures: endpoint.failures,
    paused_until: endpoint.pausedUntil?.toISOString() ?? null,
    held_until: endpoint.holdsUntil?.toISOString() ?? null,
    waiting: health.waiting,
    last_24_hours: {
      attempts,
      failures,
      error_rate: attempts === 0 ? null : failures / attempts,
      last_success_at: health.succeededAt?.toISOString() ?? null,
      last_failure_at: health.failedAt?.toISOString() ?? null,
      reason,
      meaning: reason === null ? null : explainFailure(reason),
    },
  };
}

function findState({ active, failures, pausedUntil }: WebhookEndpoint): EndpointState {
  if (!active) return 'off';
  if (pausedUntil !== null) return 'paused';
  return failures > 0 ? 'failing' : 'active';
}

export function viewDelivery(delivery: Delivery): object {
  const { reason } = delivery;
  return {
    id: delivery.id,
    object: 'webhook_delivery',
    event_id: delivery.eventId,
    endpoint_id: delivery.endpointId,
    environment: delivery.environment,
    url: delivery.url,
    type: delivery.type,
    payment_id: delivery.paymentId,
    payout_id: delivery.payoutId,
    reference_id: delivery.referenceId,
    amount: delivery.amount,
    currency: delivery.currency,
    status: delivery.status,
    attempts: delivery.attempts,
    reason,
    meaning: reason === null ? null : explainFailure(reason),
    created_at: delivery.createdAt.toISOString(),
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    settled_at: delivery.settledAt?.toISOString() ?? null,
  };
}

export function viewDetails(details: DeliveryDetails): object {
  const { body, attemptsMade } = details;
  return { ...viewDelivery(details), body, attempts_made: attemptsMade.map(viewAttempt) };
}

function viewAttempt(made: Attempt): object {
  const { attempt, at, durationMs, statusCode, failure, error, excerpt, requestHeaders } = made;
  return {
    attempt,
    at: at.toISOString(),
    duration_ms: durationMs,
    status_code: statusCode,
    reason: failure,
    meaning: failure === null ? null : explainFailure(failure),
    error,
    response: excerpt,
    request_headers: requestHeaders,
  };
}
