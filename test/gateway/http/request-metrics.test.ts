import t from 'tap';
import { createRequestMetrics } from '#gateway/http/request-metrics.js';
import { createRegistry } from '#ops/runtime/metrics.js';

t.test('requests and errors are counted under closed sets of labels', async (test) => {
  const registry = createRegistry();
  const { observe } = createRequestMetrics(registry);
  const sample = { path: '/v1/payments', method: 'POST', status: 201, code: null, durationMs: 4 };
  observe(sample);
  observe(sample);
  observe({ path: '', method: 'BREW-123', status: 404, code: 'path_not_found', durationMs: 1 });
  const text = await registry.metrics();
  test.match(
    text,
    'kasir_gateway_requests_total{route="/v1/payments",method="POST",status="201"} 2',
  );
  test.match(text, 'kasir_gateway_requests_total{route="none",method="other",status="404"} 1');
  test.match(text, 'kasir_gateway_rejections_total{code="path_not_found"} 1');
  test.match(text, 'kasir_gateway_request_seconds_count 3');
});
