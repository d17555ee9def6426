// The /metrics server: its page, and what happens when its port is taken.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import {
  createCounter,
  createGauge,
  createHistogram,
  createRegistry,
  FORMER_NAMES,
  startMetrics,
} from '#ops/runtime/metrics.js';

const BASE = { metricsHost: '127.0.0.1', metricsPortFallback: false, metricsPort: 0 };

t.test('the page', async (t) => {
  const registry = createRegistry();
  const labels = { code: ['a', 'b'], side: ['in', 'out'] } as const;
  createCounter(registry, 'test_total', 'counted', labels).inc({ code: 'a', side: 'in' });
  createGauge(registry, 'test_now', 'read', { read: (gauge) => gauge.set(7) });
  createHistogram(registry, 'test_seconds', 'timed', { buckets: [1, 2] }).observe(1.5);
  const server = await startMetrics(BASE, registry, () => true);
  t.teardown(() => server.close());
  const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`);
  const page = await answer.text();
  t.match(answer.headers.get('content-type'), 'text/plain');
  const counted = page.split('\n').filter((line) => line.startsWith('kasir_test_total'));
  t.same(counted.sort(), [
    'kasir_test_total{code="a",side="in"} 1',
    'kasir_test_total{code="a",side="out"} 0',
    'kasir_test_total{code="b",side="in"} 0',
    'kasir_test_total{code="b",side="out"} 0',
  ]);
  t.match(page, 'kasir_test_now 7');
  t.match(page, 'kasir_test_seconds_bucket{le="2"} 1');
  const names = [...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  t.same(
    names.filter((name) => !name?.startsWith('kasir_')),
    [],
  );
  t.match(
    page,
    /^kasir_build_info\{version="\d+\.\d+\.\d+",build="([0-9a-f]{12}|unknown)",node="\d+\.\d+\.\d+"\} 1$/m,
  );
  t.match(page, 'kasir_nodejs_eventloop_lag_seconds');
  t.equal((await fetch(`http://127.0.0.1:${server.port}/`)).status, 404);
});

t.test('a renamed metric has its former name too', async (t) => {
  const registry = createRegistry();
  const labels = { rail: ['midtrans', 'xendit'] } as const;
  for (const name of Object.keys(FORMER_NAMES)) {
    createCounter(registry, name.replace('kasir_', ''), 'renamed', labels).inc(
      { rail: 'xendit' },
      3,
    );
  }
  const server = await startMetrics(BASE, registry, () => true);
  t.teardown(() => server.close());
  const page = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  const lines = page.split('\n');
  for (const name of Object.values(FORMER_NAMES)) {
    const own = lines.filter((line) => line.includes(name));
    t.same(own, [
      `# HELP ${name} renamed`,
      `# TYPE ${name} counter`,
      `${name}{rail="midtrans"} 0`,
      `${name}{rail="xendit"} 3`,
    ]);
  }
});

t.test('/readyz says whether the process is ready', async (t) => {
  let isReady = false;
  const server = await startMetrics(BASE, createRegistry(), () => isReady);
  t.teardown(() => server.close());
  const ask = async (): Promise<number> =>
    (await fetch(`http://127.0.0.1:${server.port}/readyz`)).status;
  t.equal(await ask(), 503);
  isReady = true;
  t.equal(await ask(), 200);
});

t.test('a taken port', async (t) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.teardown(() => other.close());
  const { port: metricsPort } = other.address() as AddressInfo;
  await t.rejects(
    startMetrics({ ...BASE, metricsPort }, createRegistry(), () => true),
    {
      message: `METRICS_PORT ${metricsPort} is in use`,
    },
  );
  const moved = { ...BASE, metricsPort, metricsPortFallback: true };
  const server = await startMetrics(moved, createRegistry(), () => true);
  t.teardown(() => server.close());
  t.not(server.port, metricsPort);
});
