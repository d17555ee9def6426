// The spans of commands on their way into a stream, while traces are on: from the handler to the answer of Redis. The command
// carries the context of its span, so that the payments process goes on from there.
import { addTraceContext } from '#actors/core/trace-context.js';
import type { Span, Tracer } from '#ops/runtime/tracing/tracer.js';
import type { SendResult } from '#store/redis/commands.js';
import type { FramedCommand } from '#store/redis/frames.js';
import { buildCommandsKey } from '#store/redis/keys.js';

export interface TracedCommand extends FramedCommand {
  readonly span?: Span;
}

interface SentTo {
  readonly paymentId: string;
  readonly partition: number;
}

/** undefined: the request of the command is not traced. */
export type TraceSend = (command: FramedCommand, to: SentTo) => TracedCommand | undefined;

export function createSendTrace(tracer: Tracer): TraceSend {
  return ({ correlation, text }, { paymentId, partition }) => {
    const request = tracer.active();
    if (request === undefined) return undefined;
    const attributes = {
      'messaging.system': 'redis',
      'messaging.operation.type': 'send',
      'messaging.destination.name': buildCommandsKey(partition),
      'kasir.payment.id': paymentId,
    };
    const start = { name: 'send command', kind: 'producer', attributes } as const;
    const span = tracer.startChild(start, request.traceparent);
    return span && { correlation, text: addTraceContext(text, span.traceparent), span };
  };
}

/** `result`: of their frame. */
export function endSendSpans(
  commands: readonly TracedCommand[],
  result: SendResult | undefined,
): void {
  for (const { span } of commands) span?.end(result === 'accepted' ? undefined : result);
}
