// Metrics of one process: the registry, constructors for counters, gauges and histograms, which put `kasir_` before each
// name, and the server of /metrics and /readyz on a separate port, never on the public one.
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type Config, StartError } from './config.js';
import { findPackageRoot, readVersion } from './package-root.js';
import { describePortFault, readPortFault } from './ports.js';

export type { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** 0.5 ms to 60 s: fine enough for a commit, wide enough for a call to a slow rail. */
export const SECONDS_BUCKETS = [
  0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

/** Batch sizes: powers of two up to the largest commit. */
export const SIZE_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/** Of the hash: enough to tell builds apart. */
const BUILD_CHARACTERS = 12;

/** Of every metric, so that those of several services in one Prometheus can be told apart. */
const PREFIX = 'kasir_';

/**
 * By the present name: the name of the version before, which the page has beside it for one version. Alert rules and
 * dashboards of an operator may ask for it (docs/decisions/0075-one-name-per-thing.md).
 */
export const FORMER_NAMES = {
  kasir_commands_quarantined_total: 'kasir_commands_parked_total',
  kasir_rail_circuit_breaker_state: 'kasir_rail_circuit_state',
} as const satisfies Readonly<Record<string, string>>;

/**
 * The event loop is woken for each sample. With the library's 10 ms, that was half of what an idle process uses; with 100 ms, it
 * was still half of its wake-ups. The gauges of percentiles contain the interval.
 */
const LAG_SAMPLES_EVERY_MS = 500;

const GC_BUCKETS = [0.001, 0.01, 0.1, 1];

/** A registry that includes Node's own metrics (memory, event loop, garbage collection) and what was built. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({
    prefix: PREFIX,
    register: registry,
    gcDurationBuckets: GC_BUCKETS,
    eventLoopMonitoringPrecision: LAG_SAMPLES_EVERY_MS,
  });
  const { version, build, node } = readBuild();
  const labels = { version: [version], build: [build], node: [node] };
  const help = 'Always 1; build: the hash of the sources, as in dist/.build-hash';
  createGauge(registry, 'build_info', help, { labels }).set({ version, build, node }, 1);
  return registry;
}

/** The build is `unknown` when the sources are run without `npm run build`. */
function readBuild(): { version: string; build: string; node: string } {
  const root = findPackageRoot();
  const file = join(root, 'dist', '.build-hash');
  const build = existsSync(file)
    ? readFileSync(file, 'utf8').slice(0, BUILD_CHARACTERS)
    : 'unknown';
  return { version: readVersion(), build, node: process.versions.node };
}

/**
 * The values of each label. Every combination exists from the start at 0, because rate() and increase() do not see the
 * first event of a series that begins at 1.
 */
export type Labels = Readonly<Record<string, readonly string[]>>;

/** The values are not known at the start, so no alert may use the metric. */
export const ANY_VALUE: readonly string[] = [];

type Values<L extends Labels> = { readonly [Name in keyof L]: L[Name][number] };

/** A value that its label does not list does not compile. */
export interface LabelledCounter<L extends Labels> {
  inc(values: Values<L>, count?: number): void;
  /** One of its series, for a caller that keeps it: a look-up hashes the values. */
  labels(values: Values<L>): Series;
}

export interface Series {
  inc(count?: number): void;
}

export function createCounter(registry: Registry, name: string, help: string): Counter;
export function createCounter<const L extends Labels>(
  registry: Registry,
  name: string,
  help: string,
  labels: L,
): LabelledCounter<L>;
export function createCounter(
  registry: Registry,
  name: string,
  help: string,
  labels: Labels = {},
): Counter<string> {
  const labelNames = Object.keys(labels);
  const counter = new Counter<string>({
    name: PREFIX + name,
    help,
    labelNames,
    registers: [registry],
  });
  for (const values of listCombinations(labels)) counter.inc(values, 0);
  return counter;
}

/** `read` runs at every scrape; without it the owner sets the gauge. */
export function createGauge<L extends Labels = Readonly<Record<never, never>>>(
  registry: Registry,
  name: string,
  help: string,
  options: { labels?: L; read?: (gauge: Gauge<keyof L & string>) => void } = {},
): Gauge<keyof L & string> {
  const { read, labels = {} } = options;
  const gauge = new Gauge<keyof L & string>({
    name: PREFIX + name,
    help,
    labelNames: Object.keys(labels),
    registers: [registry],
    ...(read === undefined
      ? {}
      : {
          collect(this: Gauge<keyof L & string>) {
            read(this);
          },
        }),
  });
  for (const values of listCombinations<keyof L & string>(labels)) gauge.set(values, 0);
  return gauge;
}

function listCombinations<Name extends string>(labels: Labels): Record<Name, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (sets, [name, values]) =>
      sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value }))),
    [{}],
  );
}

export function createHistogram<T extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  options: { labelNames?: readonly T[]; buckets?: readonly number[] } = {},
): Histogram<T> {
  const { labelNames = [], buckets = SECONDS_BUCKETS } = options;
  return new Histogram<T>({
    name: PREFIX + name,
    help,
    labelNames,
    buckets: [...buckets],
    registers: [registry],
  });
}

export interface MetricsServer {
  /** The port that was bound. */
  readonly port: number;
  close: () => Promise<void>;
}

/**
 * Serves `registry` at /metrics, and `isReady` at /readyz. When the port is in use the start fails, except under `npm start`
 * (METRICS_PORT_FALLBACK=1): there a free port is bound and reported to the parent process.
 */
export async function startMetrics(
  config: Pick<Config, 'metricsHost' | 'metricsPort' | 'metricsPortFallback'>,
  registry: Registry,
  isReady: () => boolean,
): Promise<MetricsServer> {
  const server = createServer(createListener(registry, isReady));
  const host = config.metricsHost;
  await listen(server, config.metricsPort, host).catch((error: NodeJS.ErrnoException) => {
    const fault = readPortFault(error);
    if (fault === 'EADDRINUSE' && config.metricsPortFallback) return listen(server, 0, host);
    if (fault !== undefined) {
      throw new StartError(describePortFault('METRICS_PORT', config.metricsPort, fault));
    }
    if (error.code !== 'EADDRNOTAVAIL') throw error;
    throw new StartError(
      `METRICS_HOST ${host} is no address of this machine: set METRICS_HOST to one that "ip address" lists`,
    );
  });
  const { port } = server.address() as AddressInfo;
  process.send?.({ type: 'metrics', port });
  return { port, close: () => close(server) };
}

/** The lines of the renamed metrics, under their former names. */
function listFormerLines(page: string): string {
  return Object.entries(FORMER_NAMES)
    .flatMap(([name, former]) =>
      [...page.matchAll(new RegExp(`^(# \\w+ )?${name}([ {].*\n)`, 'gm'))].map(
        ([, comment = '', rest = '']) => comment + former + rest,
      ),
    )
    .join('');
}

function createListener(registry: Registry, isReady: () => boolean): RequestListener {
  return (request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/readyz') {
      response.writeHead(isReady() ? 200 : 503).end();
      return;
    }
    if (path !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (page) =>
        response
          .writeHead(200, { 'content-type': registry.contentType })
          .end(page + listFormerLines(page)),
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
