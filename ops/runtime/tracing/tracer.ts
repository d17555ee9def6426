// Spans as the processes record them. Without a tracer, traces are off: callers compare with undefined and do nothing else.
// The SDK is imported only in otel.ts, which is loaded only when traces are on (docs/decisions/0083-traces.md), so nothing of it
// may be imported here.

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export type SpanKind = 'server' | 'client' | 'producer' | 'consumer';

export interface SpanStart {
  /** From a closed set: never an id. */
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes?: SpanAttributes;
  /** The contexts of spans in other traces that led to this one. */
  readonly links?: readonly string[];
  /** Unix time; now by default. */
  readonly startMs?: number;
}

export interface Span {
  /** Its W3C trace context, 55 characters. */
  readonly traceparent: string;
  set(attributes: SpanAttributes): void;
  /** Runs `work`, in which the tracer's `active` returns the span, across awaits too. */
  run<Result>(work: () => Result): Result;
  /** `error`: what failed, from a closed set. Only the first call counts. A span that is not ended is not exported. */
  end(error?: string): void;
}

export interface Tracer {
  /**
   * Begins the span of a request. `header`: the `traceparent` of the caller, which is not trusted; the span begins a trace of its
   * own when it is empty or malformed. undefined: the request is not sampled.
   */
  startRequest(start: SpanStart, header: string): Span | undefined;
  /** undefined: `parent` is no trace context, or is not sampled. */
  startChild(start: SpanStart, parent: string): Span | undefined;
  /** The innermost span whose `run` is under way, unless it has ended. */
  active(): Span | undefined;
  /** Runs `work` outside of every span: it may have been woken up within one that has nothing to do with it. */
  detach<Result>(work: () => Result): Result;
  /** Exports the spans that wait, within a bounded time. */
  close(): Promise<void>;
}
