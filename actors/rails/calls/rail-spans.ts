// The spans of calls, inquiries and callbacks, while traces are on.
//
// A call carries the trace context of the commit that wanted it. An inquiry and a callback carry none: they may come hours later,
// and from the rail. Both find the trace of their payment by its calls, so that a payment has one trace from its create to its
// webhooks (docs/decisions/0083-traces.md).
import { readTraceContext } from '#actors/core/trace-context.js';
import type { Log } from '#ops/runtime/log.js';
import type { Process } from '#ops/runtime/process.js';
import type { Span, SpanStart, Tracer } from '#ops/runtime/tracing/tracer.js';
import type { Postgres } from '#store/postgres/client.js';
import type { CallOperation, ClaimedCall } from '#store/postgres/rails/claim-calls.js';
import type { ClaimedInquiry } from '#store/postgres/rails/inquiries.js';
import { findPaymentTrace } from '#store/postgres/rails/payment-trace.js';

export interface RailTracing {
  readonly tracer: Tracer;
  /** The trace context of the payment that a status inquiry is about; undefined: it has none. */
  readonly findTrace: (inquiryId: string) => Promise<string | undefined>;
  readonly log: Log;
}

/** undefined: traces are off. */
export function openRailTracing(
  { tracer, log }: Pick<Process, 'tracer' | 'log'>,
  sql: Postgres,
): RailTracing | undefined {
  return tracer && { tracer, findTrace: (id) => findPaymentTrace(sql, id), log };
}

interface AtRail {
  readonly rail: string;
  readonly operation: CallOperation | 'look_up';
}

const buildClientSpan = ({ rail, operation }: AtRail): SpanStart => ({
  name: `${operation} at ${rail}`,
  kind: 'client',
  attributes: { 'peer.service': rail, 'kasir.rail': rail, 'kasir.rail.operation': operation },
});

/** Makes the call in a span of its own, if it carries a trace context. */
export function runTracedCall(
  tracer: Tracer,
  at: AtRail,
  { request }: ClaimedCall,
  run: () => Promise<void>,
): Promise<void> {
  const parent = readTraceContext(request);
  const span = parent === undefined ? undefined : tracer.startChild(buildClientSpan(at), parent);
  return span === undefined ? tracer.detach(run) : runInSpan(span, run);
}

/** Makes each inquiry in a span of its own, if a call of its payment carries a trace context. */
export function traceInquiries(
  tracing: RailTracing | undefined,
  rail: string,
  run: (claimed: ClaimedInquiry) => Promise<void>,
): (claimed: ClaimedInquiry) => Promise<void> {
  if (tracing === undefined) return run;
  const { tracer } = tracing;
  const start = buildClientSpan({ rail, operation: 'look_up' });
  return async (claimed) => {
    const parent = await findTraceOrNone(tracing, claimed.id);
    const span = parent === undefined ? undefined : tracer.startChild(start, parent);
    const work = (): Promise<void> => run(claimed);
    await (span === undefined ? tracer.detach(work) : runInSpan(span, work));
  };
}

export interface TracedCallback {
  readonly rail: string;
  /** Of the order, if the callback names one. */
  readonly orderId: string | null;
  /** Of the request that brought it. */
  readonly traceparent: string;
  readonly beganMs: number;
  readonly outcome: string;
}

/**
 * Records a callback. It belongs to the trace of its payment, with a link to its request, or to the trace of its request if the payment
 * is unknown or has no trace.
 */
export async function recordCallbackSpan(
  tracing: RailTracing,
  { rail, orderId, traceparent, beganMs, outcome }: TracedCallback,
): Promise<void> {
  const payment = orderId === null ? undefined : await findTraceOrNone(tracing, orderId);
  const start = {
    name: `process callback of ${rail}`,
    kind: 'consumer',
    attributes: { 'kasir.rail': rail, 'kasir.callback.outcome': outcome },
    links: payment === undefined ? [] : [traceparent],
    startMs: beganMs,
  } as const;
  const span = tracing.tracer.startChild(start, payment ?? traceparent);
  span?.end(outcome === 'unavailable' ? outcome : undefined);
}

/** A trace must not stop the work that it shows. */
async function findTraceOrNone(
  { findTrace, log }: RailTracing,
  inquiryId: string,
): Promise<string | undefined> {
  try {
    return await findTrace(inquiryId);
  } catch (error) {
    log.warn({ err: error }, 'the trace of a payment cannot be read; its spans are left out');
    return undefined;
  }
}

async function runInSpan(span: Span, run: () => Promise<void>): Promise<void> {
  await span.run(run);
  span.end();
}
