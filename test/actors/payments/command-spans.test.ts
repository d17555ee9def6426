// The spans of a batch: which commands have one, when they end, and what a traced batch stores.
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { addTraceContext, dropTraceContext, readTraceContext } from '#actors/core/trace-context.js';
import { type BatchCommand, decodeFrames } from '#actors/payments/batch-input.js';
import {
  beginCommandSpans,
  beginCommitSpans,
  endCommandSpans,
} from '#actors/payments/command-spans.js';
import { foldBatch, type FoldResult } from '#actors/payments/fold.js';
import { createOwnedPartition, type DeferredCommand } from '#actors/payments/owned-partition.js';
import type { Span, SpanStart, Tracer } from '#ops/runtime/tracing/tracer.js';
import { at, AT_MS } from '#test/support/actors/batches.js';
import {
  encodeCreate,
  encodeSimulate,
  generatePaymentIdIn,
} from '#test/support/actors/commands.js';

const MERCHANT = makeId('mer', Buffer.alloc(16, 1));
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SENT = `00-${TRACE}-00f067aa0ba902b7-01`;

interface Noted {
  readonly start: SpanStart;
  readonly parent: string;
  readonly traceparent: string;
  readonly set: object[];
  readonly ends: (string | undefined)[];
}

/** Notes the spans; the span ids count up. */
function noteSpans(): { tracer: Tracer; spans: Noted[] } {
  const spans: Noted[] = [];
  const tracer: Tracer = {
    startRequest: () => undefined,
    startChild: (start, parent) => {
      const id = String(spans.length + 1).padStart(16, '0');
      const traceparent = `00-${TRACE}-${id}-01`;
      const noted: Noted = { start, parent, traceparent, set: [], ends: [] };
      spans.push(noted);
      const span: Span = {
        traceparent,
        set: (attributes) => void noted.set.push(attributes),
        run: (work) => work(),
        end: (error) => void noted.ends.push(error),
      };
      return span;
    },
    active: () => undefined,
    detach: (work) => work(),
    close: () => Promise.resolve(),
  };
  return { tracer, spans };
}

/** One frame of partition 3. */
function decodeTexts(texts: readonly string[], counts: readonly number[] = [4]): BatchCommand[] {
  const commands = texts.map((text, index) => ({ correlation: String(index), text }));
  const frame = { partition: 3, position: at(AT_MS, 1), sender: 'g', commands };
  const options = { partitions: new Map([[3, { counts }]]), resumed: new Map() };
  return decodeFrames([{ ...frame, source: 'gateway' }], options);
}

function fold(
  commands: readonly BatchCommand[],
  maxCommands = 10,
  deferred: readonly DeferredCommand[] = [],
): FoldResult {
  const owned = createOwnedPartition({ partition: 3, epoch: 1n, position: at(0, 1), counts: [4] });
  owned.deferred = deferred;
  return foldBatch(commands, {
    partitions: new Map([[3, owned]]),
    known: new Map(),
    frames: [{ partition: 3, position: at(AT_MS, 1), commands: [] }],
    deferral: { locked: new Set(), maxCommands, monotonicMs: 0 },
    atMs: AT_MS,
    streamNowMs: undefined,
    baseUrl: 'http://kasir.test',
  });
}

const id = generatePaymentIdIn(3, 4);
const TEXTS = [encodeCreate(id, MERCHANT, 'r'), encodeSimulate(id, 'paid')];
const TRACED = TEXTS.map((text) => addTraceContext(text, SENT));

t.test('each command that carries a context has a span, and one of its commit', (t) => {
  const { tracer, spans } = noteSpans();
  const commands = decodeTexts([
    ...TRACED,
    encodeSimulate(id, 'failed'),
    addTraceContext('{}', SENT),
  ]);
  beginCommandSpans(tracer, commands);
  t.strictSame(
    spans.map(({ start, parent }) => [start.name, parent]),
    [
      ['apply create', SENT],
      ['apply simulate', SENT],
      ['apply unreadable', SENT],
    ],
  );
  t.match(spans[0]?.start.attributes, {
    'messaging.destination.name': '{p03}:commands',
    'kasir.payment.id': id,
  });
  const folded = fold(commands);
  const endCommit = beginCommitSpans(tracer, folded);
  t.strictSame(
    spans.slice(3).map(({ start, parent }) => [start.name, parent]),
    spans.slice(0, 3).map(({ traceparent }) => ['commit batch', traceparent]),
  );
  t.ok(spans.every(({ ends }) => ends.length === 0));
  endCommit('committed');
  endCommandSpans(commands, folded);
  t.strictSame(
    spans.map(({ ends }) => ends),
    [[undefined], [undefined], ['quarantined'], [undefined], [undefined], [undefined]],
  );
  t.end();
});

t.test('a command that a split has moved has no span at the owner that forwards it', (t) => {
  const { tracer, spans } = noteSpans();
  const moved = encodeCreate(generatePaymentIdIn(7, 8), MERCHANT, 'r');
  const commands = decodeTexts([addTraceContext(moved, SENT)], [4, 8]);
  t.match(commands, [{ movedTo: 7 }]);
  beginCommandSpans(tracer, commands);
  t.strictSame(spans, []);
  t.end();
});

t.test('a commit that failed is an error, and the command is folded again in its span', (t) => {
  const { tracer, spans } = noteSpans();
  const commands = decodeTexts(TRACED.slice(0, 1));
  beginCommandSpans(tracer, commands);
  beginCommitSpans(tracer, fold(commands))('exists');
  t.strictSame(
    spans.map(({ ends }) => ends),
    [[], ['exists']],
  );
  beginCommitSpans(tracer, fold(commands))('committed');
  t.equal(spans[2]?.parent, spans[0]?.traceparent);
  t.end();
});

t.test('a deferred command keeps its context for the batch that applies it', (t) => {
  const { tracer, spans } = noteSpans();
  const commands = decodeTexts(TRACED);
  beginCommandSpans(tracer, commands);
  const folded = fold(commands, 1);
  endCommandSpans(commands, folded);
  t.strictSame(
    folded.batch.deferred.map(({ command }) => command),
    TRACED.slice(1),
  );
  t.match(spans[1]?.set, [{ 'kasir.command.deferred': true }]);
  t.end();
});

t.test(
  'a repeat of a deferred command is recognised, although each has a context of its own',
  (t) => {
    const again = SENT.replace(TRACE, TRACE.replaceAll('4', '5'));
    const [first, repeat] = [SENT, again].map((context) =>
      addTraceContext(TEXTS[1] ?? '', context),
    );
    const deferred: DeferredCommand = {
      ...{ partition: 3, position: at(1), index: 0, paymentId: id, text: first ?? '' },
      ...({ source: 'gateway', sender: 'g', correlation: '' } as const),
      ...{ lock: undefined, resumeAtMs: 0, pauseMs: 0 },
    };
    const send = (text: string): BatchCommand[] =>
      decodeTexts([text]).map((one) => ({ ...one, correlation: '' }));
    t.strictSame(fold(send(repeat ?? ''), 10, [deferred]).batch.deferred, []);
    const other = send(addTraceContext(encodeSimulate(id, 'failed'), again));
    t.equal(fold(other, 10, [deferred]).batch.deferred.length, 1, 'another command is deferred');
    t.end();
  },
);

t.test('a traced batch stores what another one stores, and the contexts of its spans', (t) => {
  const { tracer, spans } = noteSpans();
  const commands = decodeTexts(TRACED);
  beginCommandSpans(tracer, commands);
  const { batch } = fold(commands);
  t.strictSame(
    batch.events.map(({ event }) => readTraceContext(event)),
    batch.events.map(() => spans[1]?.traceparent),
    'an event names the span that committed it',
  );
  t.ok(batch.events.some(({ envelope }) => envelope !== null));
  const events = batch.events.map((row) => ({ ...row, event: dropTraceContext(row.event) }));
  t.strictSame({ ...batch, events }, fold(decodeTexts(TEXTS)).batch);
  t.end();
});
