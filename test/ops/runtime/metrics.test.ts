// The /metrics server: its page, and what happens when its port is taken.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import {
  createCounter,
  createGauge,
  createHistogram,
  createRegistry,
  startMetrics,
} from '#ops/runtime/metrics.js';

const BASE = { metricsHost: '127.0.0.1', metricsPortFallback: false, metricsPort: 0 };

t.test('the page', async (t) => {
  const registry = createRegistry();
  createCounter(registry, 'test_total', 'counted', ['code']).inc({ code: 'a' });
  createGauge(registry, 'test_now', 'read', { read: (gauge) => gauge.set(7) });
  createHistogram(registry, 'test_seconds', 'timed', { buckets: [1, 2] }).observe(1.5);
  const server = await startMetrics(BASE, registry);
  t.teardown(() => server.close());
  const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`);
  const page = await answer.text();
  t.match(answer.headers.get('content-type'), 'text/plain');
  t.match(page, 'test_total{code="a"} 1');
  t.match(page, 'test_now 7');
  t.match(page, 'test_seconds_bucket{le="2"} 1');
  t.match(page, 'nodejs_eventloop_lag_seconds');
  t.equal((await fetch(`http://127.0.0.1:${server.port}/`)).status, 404);
});

t.test('a taken port', async (t) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.teardown(() => other.close());
  const { port: metricsPort } = other.address() as AddressInfo;
  await t.rejects(startMetrics({ ...BASE, metricsPort }, createRegistry()), { code: 'EADDRINUSE' });
  const moved = { ...BASE, metricsPort, metricsPortFallback: true };
  const server = await startMetrics(moved, createRegistry());
  t.teardown(() => server.close());
  t.not(server.port, metricsPort);
});
