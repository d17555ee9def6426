// The tracer on the SDK of OpenTelemetry, an entry of each program that is loaded only when traces are on. Spans leave as OTLP
// over HTTP, in batches. The SDK reads the other standard variables itself: samplers, limits, batches, time-outs, certificates.
//
// No part of the SDK is global: the context of a span is an argument, and within a process an AsyncLocalStorage.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  type Attributes,
  type Context,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  type SpanContext,
  SpanKind as Kind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer as SdkTracer,
} from '@opentelemetry/api';
import { parseKeyPairsIntoRecord, parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { SpanQueue } from './span-queue.js';
import type { Span, SpanAttributes, SpanKind, SpanStart, Tracer } from './tracer.js';

/** A `traceparent` of a later version may be longer than the 55 characters of this one. */
const MAX_HEADER_CHARACTERS = 128;
const SCOPE = 'kasir';

const KINDS: Readonly<Record<SpanKind, Kind>> = {
  server: Kind.SERVER,
  client: Kind.CLIENT,
  producer: Kind.PRODUCER,
  consumer: Kind.CONSUMER,
};

export interface TracerOptions {
  /** The address that takes spans, with its path. */
  readonly url: string;
  /** `name=value,name=value`, percent-encoded; null: none. */
  readonly headers: string | null;
  readonly followsCallers: boolean;
  readonly maxQueue: number;
  /** A process that stops waits so long for its collector. */
  readonly flushMs: number;
  readonly process: string;
  readonly version: string;
  readonly onDropped: (spans: number) => void;
  /** The SDK reports a fault. */
  readonly onFault: (message: string) => void;
}

export function createTracer(options: TracerOptions): Tracer {
  const { url, headers, maxQueue, onDropped, onFault } = options;
  const report = (message: string, ...details: unknown[]): void =>
    onFault([message, ...details.map(String)].join(' '));
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const exporter = new OTLPTraceExporter({
    url,
    ...(headers === null ? {} : { headers: parseKeyPairsIntoRecord(headers) }),
  });
  const provider = new BasicTracerProvider({
    resource: describeProcess(options),
    spanProcessors: [new SpanQueue({ exporter, maxQueue, onDropped })],
  });
  return new OtelTracer(provider, options);
}

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come before these. */
function describeProcess({ process: name, version }: TracerOptions) {
  return resourceFromAttributes({
    'service.name': `kasir-${name}`,
    'service.namespace': 'kasir',
    'service.version': version,
    'service.instance.id': randomUUID(),
    'process.pid': process.pid,
    'kasir.process': name,
  }).merge(detectResources({ detectors: [envDetector] }));
}

type ActiveSpan = AsyncLocalStorage<OtelSpan | undefined>;

class OtelTracer implements Tracer {
  readonly #provider: BasicTracerProvider;
  readonly #tracer: SdkTracer;
  readonly #followsCallers: boolean;
  readonly #flushMs: number;
  readonly #active: ActiveSpan = new AsyncLocalStorage();

  constructor(provider: BasicTracerProvider, options: TracerOptions) {
    const { version, followsCallers, flushMs } = options;
    this.#provider = provider;
    this.#tracer = provider.getTracer(SCOPE, version);
    this.#followsCallers = followsCallers;
    this.#flushMs = flushMs;
  }

  startRequest(start: SpanStart, header: string): Span | undefined {
    const parent = this.#followsCallers ? readContext(header) : undefined;
    return this.#start(start, parent);
  }

  startChild(start: SpanStart, parent: string): Span | undefined {
    const context = readContext(parent);
    const isSampled = context !== undefined && (context.traceFlags & TraceFlags.SAMPLED) !== 0;
    return isSampled ? this.#start(start, context) : undefined;
  }

  active(): Span | undefined {
    const span = this.#active.getStore();
    return span?.isOver === true ? undefined : span;
  }

  detach<Result>(work: () => Result): Result {
    return this.#active.run(undefined, work);
  }

  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#flushMs);
    });
    await Promise.race([this.#provider.shutdown().catch(() => undefined), late]);
    clearTimeout(timer);
  }

  #start(
    { name, kind, attributes = {}, links = [], startMs }: SpanStart,
    parent: SpanContext | undefined,
  ): Span | undefined {
    const context: Context =
      parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const linked = links.map(readContext).filter((one) => one !== undefined);
    const options = {
      kind: KINDS[kind],
      attributes: attributes as Attributes,
      links: linked.map((one) => ({ context: one })),
      ...(startMs === undefined ? {} : { startTime: startMs }),
    };
    const span = attempt(() => this.#tracer.startSpan(name, options, context));
    return span?.isRecording() === true ? new OtelSpan(span, this.#active) : undefined;
  }
}

class OtelSpan implements Span {
  readonly traceparent: string;
  readonly #span: SdkSpan;
  readonly #active: ActiveSpan;
  #isOver = false;

  constructor(span: SdkSpan, active: ActiveSpan) {
    this.#span = span;
    this.#active = active;
    const { traceId, spanId } = span.spanContext();
    this.traceparent = `00-${traceId}-${spanId}-01`;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  set(attributes: SpanAttributes): void {
    if (!this.#isOver) attempt(() => this.#span.setAttributes(attributes as Attributes));
  }

  run<Result>(work: () => Result): Result {
    return this.#active.run(this, work);
  }

  end(error?: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    attempt(() => {
      if (error !== undefined) {
        this.#span.setStatus({ code: SpanStatusCode.ERROR });
        this.#span.setAttribute('error.type', error);
      }
      this.#span.end();
    });
  }
}

/** A fault of the SDK must not reach the work that a span shows. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    diag.error('a span could not be recorded', String(error));
    return undefined;
  }
}

/** undefined: the text is no trace context. */
function readContext(text: string): SpanContext | undefined {
  const parsed = text.length > MAX_HEADER_CHARACTERS ? null : parseTraceParent(text);
  return parsed === null ? undefined : { ...parsed, isRemote: true };
}
