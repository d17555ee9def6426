// The trace context at the end of a JSON text: it is added, read and dropped, and nothing that a merchant sends is taken for one.
import fc from 'fast-check';
import t from 'tap';
import {
  addTraceContext,
  dropTraceContext,
  readTraceContext,
  TRACE_CONTEXT_TAIL,
} from '#actors/core/trace-context.js';

const CONTEXT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** Texts of objects, some with nested contexts. */
const texts = fc
  .dictionary(
    fc.string().filter((name) => name !== 'traceparent' && name !== '__proto__'),
    fc.oneof(fc.jsonValue(), fc.constant({ traceparent: CONTEXT }), fc.constant(CONTEXT)),
  )
  .map((value) => JSON.stringify(value));

t.test('a context that is added is read, and dropped without a trace', (t) => {
  fc.assert(
    fc.property(texts, (text) => {
      const traced = addTraceContext(text, CONTEXT);
      const parsed = JSON.parse(traced) as object;
      return (
        readTraceContext(traced) === CONTEXT &&
        readTraceContext(traced.slice(-TRACE_CONTEXT_TAIL)) === CONTEXT &&
        dropTraceContext(traced) === text &&
        JSON.stringify({ ...parsed, traceparent: undefined }) === text
      );
    }),
  );
  t.end();
});

t.test('a text without a context has none, whatever its fields hold', (t) => {
  fc.assert(
    fc.property(texts, (text) => {
      return readTraceContext(text) === undefined && dropTraceContext(text) === text;
    }),
  );
  t.equal(readTraceContext(`{"metadata":{"traceparent":"${CONTEXT}"}}`), undefined, 'nested');
  t.equal(readTraceContext(JSON.stringify({ a: `"traceparent":"${CONTEXT}"}` })), undefined);
  t.equal(readTraceContext(`{"traceparent":"${CONTEXT}"`), undefined);
  t.equal(readTraceContext(`{"traceparent":"${CONTEXT.toUpperCase()}"}`), undefined);
  t.end();
});
