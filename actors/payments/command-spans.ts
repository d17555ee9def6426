// The spans of a batch, while traces are on. Only commands that carry a trace context have them: one from the begin of the batch
// to the end of the commit that applies the command, and within it one for the commit, which all commands of a batch share.
// A span of a command that is folded again stays the same; one of a command that was lost with its partition is not exported.
import { readTraceContext } from '../core/trace-context.js';
import type { Span, Tracer } from '#ops/runtime/tracing/tracer.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import type { BatchCommand } from './batch-input.js';
import type { FoldResult } from './fold.js';

/** Sets the spans of the commands. A command that is forwarded gets its span from the owner that decides it. */
export function beginCommandSpans(tracer: Tracer, commands: readonly BatchCommand[]): void {
  for (const item of commands) {
    if (item.movedTo !== undefined) continue;
    const parent = readTraceContext(item.text);
    if (parent !== undefined) item.span = beginCommandSpan(tracer, item, parent);
  }
}

function beginCommandSpan(tracer: Tracer, item: BatchCommand, parent: string): Span | undefined {
  const { command, stored, partition, deferred } = item;
  const known = command ?? stored;
  const type = known?.type ?? 'unreadable';
  const attributes = {
    'messaging.system': 'redis',
    'messaging.operation.type': 'process',
    'messaging.destination.name': buildCommandsKey(partition),
    'kasir.command.type': type,
    ...(known === undefined ? {} : { 'kasir.payment.id': known.paymentId }),
    ...(deferred === undefined ? {} : { 'kasir.command.resumed': true }),
  };
  return tracer.startChild({ name: `apply ${type}`, kind: 'consumer', attributes }, parent);
}

/** Begins the spans of the commit. Returns the function that ends them, with what became of the commit. */
export function beginCommitSpans(
  tracer: Tracer,
  { applied, commandCount }: FoldResult,
): (result: string) => void {
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': 'commit_batch',
    'kasir.batch.commands': commandCount,
  };
  const start = { name: 'commit batch', kind: 'client', attributes } as const;
  const spans = applied.flatMap(({ span }) => {
    const commit = span && tracer.startChild(start, span.traceparent);
    return commit === undefined ? [] : [commit];
  });
  return (result) => {
    for (const span of spans) span.end(result === 'committed' ? undefined : result);
  };
}

/** `commands`: those of the batch, which is committed. */
export function endCommandSpans(
  commands: readonly BatchCommand[],
  { applied }: Pick<FoldResult, 'applied'>,
): void {
  const isApplied = new Set(applied);
  for (const item of commands) {
    if (item.span === undefined) continue;
    if (!isApplied.has(item)) item.span.set({ 'kasir.command.deferred': true });
    item.span.end(item.quarantineReason === undefined ? undefined : 'quarantined');
  }
}
