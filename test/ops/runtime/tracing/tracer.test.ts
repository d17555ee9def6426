// The tracer on the SDK: roots and children, headers of callers that are not trusted, sampling, and a collector that is away.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { createTracer, type TracerOptions } from '#ops/runtime/tracing/otel.js';
import type { SpanStart } from '#ops/runtime/tracing/tracer.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { startCollector } from './collector.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const SAMPLED = `00-${TRACE}-${PARENT}-01`;
const UNSAMPLED = `00-${TRACE}-${PARENT}-00`;

/** The SDK gives an export up after this time, instead of ten seconds. */
process.env['OTEL_EXPORTER_OTLP_TIMEOUT'] = '500';

const start = (name: string): SpanStart => ({ name, kind: 'server' });

const collector = await startCollector(t);

function openTracer(changes: Partial<TracerOptions> = {}) {
  const faults: string[] = [];
  const counts = { dropped: 0 };
  const tracer = createTracer({
    url: `${collector.url}/v1/traces`,
    headers: null,
    followsCallers: true,
    maxQueue: 100,
    flushMs: 5_000,
    process: 'gateway',
    version: '1.2.3',
    onDropped: (spans) => (counts.dropped += spans),
    onFault: (fault) => faults.push(fault),
    ...changes,
  });
  return { tracer, faults, counts };
}

t.test('a request without a caller begins a trace, and its children belong to it', async (t) => {
  const { tracer } = openTracer({ headers: 'x-tenant=toko%20a,authorization=Bearer%20x' });
  const request = tracer.startRequest(
    { ...start('POST /root'), attributes: { 'http.route': '/root', 'kasir.batch.commands': 3 } },
    '',
  );
  const child = tracer.startChild(
    { name: 'child', kind: 'client', links: [SAMPLED, 'no context'] },
    String(request?.traceparent),
  );
  child?.end('timeout');
  request?.end();
  request?.end('the second end does not count');
  await tracer.close();
  const root = await collector.find('root', ({ name }) => name === 'POST /root');
  const below = await collector.find('child', ({ name }) => name === 'child');
  t.equal(root.parentSpanId, '');
  t.equal(root.isError, false);
  t.equal(root.kind, 2, 'a server');
  t.match(root.attributes, { 'http.route': '/root', 'kasir.batch.commands': 3 });
  t.match(root.resource, {
    'service.name': 'kasir-gateway',
    'service.version': '1.2.3',
    'kasir.process': 'gateway',
  });
  t.equal(below.traceId, root.traceId);
  t.equal(below.parentSpanId, root.spanId);
  t.strictSame(below.links, [{ traceId: TRACE, spanId: PARENT }]);
  t.equal(below.isError, true);
  t.equal(below.attributes['error.type'], 'timeout');
  t.match(collector.headers(), { 'x-tenant': 'toko a', authorization: 'Bearer x' });
});

t.test('the trace of a caller goes on, unless callers are ignored', async (t) => {
  for (const [name, followsCallers] of [
    ['followed', true],
    ['ignored', false],
  ] as const) {
    const { tracer } = openTracer({ followsCallers });
    tracer.startRequest(start(name), SAMPLED)?.end();
    await tracer.close();
    const span = await collector.find(name, (one) => one.name === name);
    t.equal(span.traceId === TRACE, followsCallers, name);
    t.equal(span.parentSpanId, followsCallers ? PARENT : '');
  }
});

t.test('a header that is no trace context begins a trace, and is not exported', async (t) => {
  const marked = '<script>rahasia</script>';
  const headers = [
    marked,
    `${SAMPLED}, ${SAMPLED}`,
    SAMPLED.toUpperCase(),
    SAMPLED.slice(0, -1),
    `${SAMPLED}-more`,
    `ff${SAMPLED.slice(2)}`,
    SAMPLED.replace(TRACE, '0'.repeat(32)),
    SAMPLED.replace(PARENT, '0'.repeat(16)),
    `01${SAMPLED.slice(2)}-${'a'.repeat(1_000_000)}`,
  ];
  const { tracer } = openTracer();
  headers.forEach((header, index) => tracer.startRequest(start(`bad ${index}`), header)?.end());
  tracer.startRequest(start('later version'), `01${SAMPLED.slice(2)}-more`)?.end();
  await tracer.close();
  for (const index of headers.keys()) {
    const span = await collector.find(`bad ${index}`, ({ name }) => name === `bad ${index}`);
    t.equal(span.parentSpanId, '', headers[index]?.slice(0, 80) ?? '');
    t.not(span.traceId, TRACE);
  }
  const later = await collector.find('later', ({ name }) => name === 'later version');
  t.equal(later.traceId, TRACE, 'a later version may have more parts');
  t.notOk(collector.bodies.some((body) => body.includes(marked)));
});

t.test('a request that is not sampled has no span', async (t) => {
  const { tracer } = openTracer();
  t.equal(tracer.startRequest(start('unsampled'), UNSAMPLED), undefined);
  t.equal(tracer.startChild(start('unsampled'), UNSAMPLED), undefined);
  t.equal(tracer.startChild(start('unsampled'), 'no context'), undefined);
  await tracer.close();
  t.notOk(collector.spans.some(({ name }) => name === 'unsampled'));
});

t.test('the span under way is known across awaits, and not outside', async (t) => {
  const { tracer } = openTracer();
  const [one, other] = [tracer.startRequest(start('1'), ''), tracer.startRequest(start('2'), '')];
  const observe = async (): Promise<unknown> => {
    await new Promise((resolve) => setImmediate(resolve));
    return tracer.active();
  };
  t.ok(one);
  const seen = await Promise.all([one?.run(observe), other?.run(observe)]);
  t.ok(seen[0] === one && seen[1] === other);
  t.equal(
    await one?.run(() => tracer.detach(observe)),
    undefined,
    'work that does not belong to it',
  );
  one?.end();
  t.equal(await one?.run(observe), undefined, 'a span that has ended');
  t.equal(tracer.active(), undefined);
  await tracer.close();
});

t.test('spans beyond the queue, and those that no collector takes, are counted', async (t) => {
  const port = await findFreePort();
  const { tracer, faults, counts } = openTracer({
    url: `http://127.0.0.1:${port}/v1/traces`,
    maxQueue: 3,
  });
  for (let count = 0; count < 10; count += 1) tracer.startRequest(start('lost'), '')?.end();
  t.equal(counts.dropped, 4, 'three are under way, and three wait');
  await tracer.close();
  await waitUntil('the others are counted', () => counts.dropped === 10);
  const refusing = openTracer({ url: `${collector.url}/elsewhere`, maxQueue: 3 });
  for (let count = 0; count < 3; count += 1) refusing.tracer.startRequest(start('no'), '')?.end();
  await refusing.tracer.close();
  await waitUntil('the refused spans are counted', () => refusing.counts.dropped === 3);
  t.ok(faults.length + refusing.faults.length > 0, 'and reported');
});
