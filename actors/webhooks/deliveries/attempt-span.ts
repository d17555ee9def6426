// The span of an attempt to deliver an event, while traces are on. It belongs to the trace of the commit that made the event, also
// hours later, and the receiver gets its context as the header `traceparent`.
import type { Span, Tracer } from '#ops/runtime/tracing/tracer.js';
import type { DueDelivery } from '#store/postgres/webhooks/due-deliveries.js';
import type { AttemptRow } from '#store/postgres/webhooks/record-attempts.js';

/** undefined: the event is not traced. */
export function beginAttemptSpan(
  tracer: Tracer | undefined,
  { id, eventId, attempts, traceparent }: DueDelivery,
  url: string,
): Span | undefined {
  if (tracer === undefined || traceparent === undefined) return undefined;
  const attributes = {
    'http.request.method': 'POST',
    'server.address': URL.canParse(url) ? new URL(url).hostname : '',
    'http.request.resend_count': attempts,
    'kasir.event.id': eventId,
    'kasir.delivery.id': id,
  };
  return tracer.startChild({ name: 'POST webhook', kind: 'client', attributes }, traceparent);
}

export function endAttemptSpan(
  span: Span,
  { statusCode, failure }: Pick<AttemptRow, 'statusCode' | 'failure'>,
): void {
  if (statusCode !== null) span.set({ 'http.response.status_code': statusCode });
  span.end(failure ?? undefined);
}
