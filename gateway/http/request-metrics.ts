// Counts and times requests. Label sets are looked up once and kept, since prom-client hashes labels at each
// use; they are closed: rows of the route tables, known methods and status codes.
import {
  type Counter,
  createCounter,
  createHistogram,
  type Registry,
} from '#ops/runtime/metrics.js';

export interface RequestSample {
  /** The row's template; empty when there is none. */
  readonly path: string;
  readonly method: string;
  readonly status: number;
  /** The error code; null for a good answer. */
  readonly code: string | null;
  readonly durationMs: number;
}

export type Observe = (sample: RequestSample) => void;

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

type RequestLabels = 'route' | 'method' | 'status';
type Series = ReturnType<Counter<RequestLabels>['labels']>;

export function createRequestMetrics(registry: Registry): { observe: Observe } {
  const requests = createCounter<RequestLabels>(
    registry,
    'gateway_requests_total',
    'Requests answered',
    ['route', 'method', 'status'],
  );
  const rejections = createCounter(registry, 'gateway_rejections_total', 'Refusals by code', [
    'code',
  ]);
  const seconds = createHistogram(
    registry,
    'gateway_request_seconds',
    'From the head of a request to its answer',
  );
  const series = createSeries(requests);
  return {
    observe: (sample) => {
      series(sample).inc();
      seconds.observe(sample.durationMs / 1000);
      if (sample.code !== null) rejections.inc({ code: sample.code });
    },
  };
}

function createSeries(requests: Counter<RequestLabels>): (sample: RequestSample) => Series {
  const known = new Map<string, Map<number, Series>>();
  return ({ path, method, status }) => {
    const label = METHODS.has(method) ? method : 'other';
    const key = `${label} ${path}`;
    const byStatus = known.get(key) ?? new Map<number, Series>();
    known.set(key, byStatus);
    const series =
      byStatus.get(status) ??
      requests.labels({ route: path === '' ? 'none' : path, method: label, status });
    byStatus.set(status, series);
    return series;
  };
}
