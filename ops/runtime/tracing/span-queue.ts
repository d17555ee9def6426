// The bound on spans that wait for their export, with a count of those that are dropped. The SDK's processor has the same bound,
// but tells nobody how many spans it drops.
import type { Context } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import type {
  ReadableSpan,
  Span,
  SpanExporter,
  SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

type OnExported = Parameters<SpanExporter['export']>[1];

/** Of the SDK, which warns of a smaller queue. */
const DEFAULT_BATCH = 512;

export interface SpanQueueOptions {
  readonly exporter: SpanExporter;
  /** Spans; further ones are dropped. */
  readonly maxQueue: number;
  readonly onDropped: (spans: number) => void;
}

/** Drops spans rather than wait: nothing here delays a payment. */
export class SpanQueue implements SpanProcessor {
  readonly #maxQueue: number;
  readonly #onDropped: (spans: number) => void;
  readonly #batches: BatchSpanProcessor;
  /** Spans that ended and were not handed to the exporter. */
  #waiting = 0;

  constructor({ exporter, maxQueue, onDropped }: SpanQueueOptions) {
    this.#maxQueue = maxQueue;
    this.#onDropped = onDropped;
    const counting: SpanExporter = {
      export: (spans, onExported) => this.#export(exporter, spans, onExported),
      shutdown: () => exporter.shutdown(),
    };
    const small = maxQueue < DEFAULT_BATCH ? { maxExportBatchSize: maxQueue } : {};
    this.#batches = new BatchSpanProcessor(counting, { maxQueueSize: maxQueue, ...small });
  }

  onStart(span: Span, parent: Context): void {
    this.#batches.onStart(span, parent);
  }

  onEnd(span: ReadableSpan): void {
    if (this.#waiting >= this.#maxQueue) return this.#onDropped(1);
    this.#waiting += 1;
    this.#batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.#batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#batches.shutdown();
  }

  #export(exporter: SpanExporter, spans: ReadableSpan[], onExported: OnExported): void {
    this.#waiting -= spans.length;
    exporter.export(spans, (result) => {
      if (result.code !== ExportResultCode.SUCCESS) this.#onDropped(spans.length);
      onExported(result);
    });
  }
}
