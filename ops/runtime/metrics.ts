// Metrics of one process: the registry, constructors for counters, gauges and histograms, and the /metrics server on a
// separate port, never on the public one.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Counter,
  type CounterConfiguration,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from 'prom-client';
import type { Config } from './config.js';

export type { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** 0.5 ms to 60 s: fine enough for a commit, wide enough for a call to a slow rail. */
export const SECONDS_BUCKETS = [
  0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

/** Batch sizes: powers of two up to the largest commit. */
export const SIZE_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

const GC_BUCKETS = [0.001, 0.01, 0.1, 1];

/** A registry that includes Node's own metrics (memory, event loop, garbage collection). */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, gcDurationBuckets: GC_BUCKETS });
  return registry;
}

export function createCounter<T extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly T[] = [],
): Counter<T> {
  const options: CounterConfiguration<T> = { name, help, labelNames, registers: [registry] };
  return new Counter<T>(options);
}

/** `read` runs at every scrape; without it the owner sets the gauge. */
export function createGauge<T extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  options: { labelNames?: readonly T[]; read?: (gauge: Gauge<T>) => void } = {},
): Gauge<T> {
  const { read, labelNames = [] } = options;
  return new Gauge<T>({
    name,
    help,
    labelNames,
    registers: [registry],
    ...(read === undefined
      ? {}
      : {
          collect(this: Gauge<T>) {
            read(this);
          },
        }),
  });
}

export function createHistogram<T extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  options: { labelNames?: readonly T[]; buckets?: readonly number[] } = {},
): Histogram<T> {
  const { labelNames = [], buckets = SECONDS_BUCKETS } = options;
  return new Histogram<T>({ name, help, labelNames, buckets: [...buckets], registers: [registry] });
}

export interface MetricsServer {
  /** The port that was bound. */
  readonly port: number;
  close: () => Promise<void>;
}

/**
 * Serves `registry` at /metrics. When the port is in use the start fails, except under `npm start`
 * (METRICS_PORT_FALLBACK=1): there a free port is bound and reported to the parent process.
 */
export async function startMetrics(
  config: Pick<Config, 'metricsHost' | 'metricsPort' | 'metricsPortFallback'>,
  registry: Registry,
): Promise<MetricsServer> {
  const server = createServer(createListener(registry));
  const host = config.metricsHost;
  await listen(server, config.metricsPort, host).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' || !config.metricsPortFallback) throw error;
    return listen(server, 0, host);
  });
  const { port } = server.address() as AddressInfo;
  process.send?.({ type: 'metrics', port });
  return { port, close: () => close(server) };
}

function createListener(registry: Registry): RequestListener {
  return (request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (page) => response.writeHead(200, { 'content-type': registry.contentType }).end(page),
      () => response.writeHead(500).end(),
    );
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
