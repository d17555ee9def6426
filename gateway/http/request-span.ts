// The span of a request, while traces are on. Only routes of the API, of callbacks and of hosted pages have one: health checks,
// files and unknown paths would fill the collector. Its attributes leave out the path that was sent: those of callbacks and of
// mailed links are secrets.
import type { Span, Tracer } from '#ops/runtime/tracing/tracer.js';
import type { Head } from '../routing/request.js';
import type { ApiError } from '../routing/response.js';
import type { OpenedRequest } from '../routing/router.js';

const TRACED = /^\/(?:v1|checkout|pay|invoice)\//;
const FIRST_SERVER_ERROR = 500;

export interface RequestSpan {
  /** Runs the handler: what it sends belongs to the span. */
  readonly run: Span['run'];
  /** `code`: of the error that was answered; null: success. */
  readonly end: (status: number, code: string | null) => void;
  /** The client disconnected before it was answered. */
  readonly abandon: () => void;
}

/** undefined: traces are off, or the request has no span. */
export function beginRequestSpan(
  tracer: Tracer | undefined,
  head: Head,
  opened: OpenedRequest | ApiError,
  requestId: string,
): RequestSpan | undefined {
  if (tracer === undefined || opened.code !== null) return undefined;
  const { method, path } = opened.route;
  if (!TRACED.test(path)) return undefined;
  const attributes = {
    'http.request.method': head.method,
    'http.route': path,
    'kasir.request.id': requestId,
  };
  const name = `${method} ${path}`;
  const span = tracer.startRequest({ name, kind: 'server', attributes }, head.traceparent);
  return span && wrapSpan(span);
}

function wrapSpan(span: Span): RequestSpan {
  return {
    run: (work) => span.run(work),
    end: (status, code) => {
      span.set({ 'http.response.status_code': status });
      if (code !== null) span.set({ 'kasir.error.code': code });
      span.end(status >= FIRST_SERVER_ERROR ? (code ?? String(status)) : undefined);
    },
    abandon: () => span.end('client_disconnected'),
  };
}
