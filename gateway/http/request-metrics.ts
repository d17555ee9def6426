// Counts and times requests. Each label set is looked up once and kept, because prom-client hashes the labels at each
// use. The labels are closed sets: route templates, known methods, status codes.
import {
  ANY_VALUE,
  createCounter,
  createHistogram,
  type LabelledCounter,
  type Registry,
  type Series,
} from '#ops/runtime/metrics.js';
import { type ErrorCode, ERRORS } from '../routing/errors.js';

export interface RequestSample {
  /** The route's template; empty: no route was found. */
  readonly path: string;
  readonly method: string;
  readonly status: number;
  /** The error code; null: success. */
  readonly code: ErrorCode | null;
  readonly durationMs: number;
}

export type Observe = (sample: RequestSample) => void;

const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

const LABELS = { route: ANY_VALUE, method: ANY_VALUE, status: ANY_VALUE };
type Requests = LabelledCounter<typeof LABELS>;

export interface RequestMetrics {
  readonly observe: Observe;
  /** Counts a request whose X-Forwarded-For does not count. */
  readonly countIgnoredForward: () => void;
}

export function createRequestMetrics(registry: Registry): RequestMetrics {
  const requests = createCounter(registry, 'gateway_requests_total', 'Requests answered', LABELS);
  const rejections = createCounter(registry, 'gateway_rejections_total', 'Error answers by code', {
    code: ERROR_CODES,
  });
  const seconds = createHistogram(
    registry,
    'gateway_request_seconds',
    'From the head of a request to its answer',
  );
  const ignoredForwards = createCounter(
    registry,
    'gateway_forwards_ignored_total',
    'Requests with X-Forwarded-For from an address that is not in TRUSTED_PROXIES',
  );
  const series = createSeries(requests);
  return {
    observe: (sample) => {
      series(sample).inc();
      seconds.observe(sample.durationMs / 1000);
      if (sample.code !== null) rejections.inc({ code: sample.code });
    },
    countIgnoredForward: () => ignoredForwards.inc(),
  };
}

function createSeries(requests: Requests): (sample: RequestSample) => Series {
  const known = new Map<string, Map<number, Series>>();
  return ({ path, method, status }) => {
    const label = METHODS.has(method) ? method : 'other';
    const key = `${label} ${path}`;
    const byStatus = known.get(key) ?? new Map<number, Series>();
    known.set(key, byStatus);
    const series =
      byStatus.get(status) ??
      requests.labels({
        route: path === '' ? 'none' : path,
        method: label,
        status: String(status),
      });
    byStatus.set(status, series);
    return series;
  };
}
