// The first step of every process: configuration, log, lifecycle and metrics, before any connection is opened.
import {
  type Config,
  EXIT_CONFIGURATION,
  type ProcessName,
  readConfig,
  StartError,
} from './config.js';
import type { RailVariables } from './environment/rail-variables.js';
import { createLifecycle, type Lifecycle } from './lifecycle.js';
import { createLog, type Log } from './log.js';
import { createCounter, createRegistry, type Registry, startMetrics } from './metrics.js';
import { checkNode } from './node-check.js';
import { readVersion } from './package-root.js';
import { loadTracer } from './tracing/load-tracer.js';
import type { Tracer } from './tracing/tracer.js';

/** An outage of the collector fails an export every few seconds. */
const LOG_SPANS_EVERY_MS = 60_000;
const MAX_FAULT_CHARACTERS = 300;
const FLUSH_SPANS_MS = 2_000;
/** Of SHUTDOWN_MS; the rest is for the releases before. */
const FLUSH_SPANS_PART = 10;

export interface Process {
  readonly config: Config;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
  readonly registry: Registry;
  /** undefined: traces are off. */
  readonly tracer: Tracer | undefined;
}

/** `rails`: the rails that the process serves. */
export async function startProcess(
  name: ProcessName,
  rails: readonly RailVariables[] = [],
): Promise<Process> {
  const config = readConfigOrExit(name, rails);
  const log = createLog(config, name);
  for (const missing of listMissingParts(config, rails)) log.warn(missing);
  const lifecycle = createLifecycle(config, log);
  const registry = createRegistry();
  const metrics = await startMetrics(config, registry, () => lifecycle.isReady());
  lifecycle.onStop('metrics', metrics.close);
  const tracer = await openTracer(config, { log, registry });
  if (tracer !== undefined) lifecycle.onStop('traces', () => tracer.close());
  return { config, log, lifecycle, registry, tracer };
}

/** Without a configuration there is no log, so the faults are plain lines. */
function readConfigOrExit(name: ProcessName, rails: readonly RailVariables[]): Config {
  try {
    checkNode();
    return readConfig(name, undefined, rails);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    for (const fault of error.faults) console.error(`kasir ${name}: ${fault}`);
    process.exit(EXIT_CONFIGURATION);
  }
}

type Parts = Pick<Config, 'process' | 'isProduction' | 'mail' | 'rails'>;

/** Parts that production can do without, each with what does not work then. */
function listMissingParts(
  { process: name, isProduction, mail, rails: { variables } }: Parts,
  rails: readonly RailVariables[],
): string[] {
  if (!isProduction) return [];
  if (name === 'gateway' && mail.smtpUrl === null) {
    return [
      'SMTP_URL is missing: no mail is sent, so nobody can confirm an address, reset a password or accept an ' +
        'invitation, and invoices are not mailed. "npx kasir mail list" prints the waiting mails',
    ];
  }
  const urls = rails.map(({ url }) => url);
  if (urls.length > 0 && urls.every((url) => variables[url] === undefined)) {
    return [
      `${urls.join(' and ')} are missing: no LIVE payment can be made, and payouts wait for an administrator who pays ` +
        'them by hand',
    ];
  }
  return [];
}

/** undefined: traces are off. */
async function openTracer(
  { process: name, tracing, shutdownMs }: Config,
  { log, registry }: Pick<Process, 'log' | 'registry'>,
): Promise<Tracer | undefined> {
  if (tracing === null) return undefined;
  const dropped = createCounter(
    registry,
    'spans_dropped_total',
    'Spans that were not exported: too many waited, or the collector did not take them',
  );
  return loadTracer({
    ...{ ...tracing, process: name, version: readVersion() },
    flushMs: Math.min(FLUSH_SPANS_MS, shutdownMs / FLUSH_SPANS_PART),
    onDropped: (spans) => dropped.inc(spans),
    onFault: createFaultLog(log),
  });
}

function createFaultLog(log: Log): (message: string) => void {
  let loggedAtMs = -Infinity;
  return (message) => {
    const nowMs = performance.now();
    if (nowMs - loggedAtMs < LOG_SPANS_EVERY_MS) return;
    loggedAtMs = nowMs;
    log.warn(
      { fault: message.slice(0, MAX_FAULT_CHARACTERS) },
      'spans could not be exported; payments go on without them. Check the collector and OTEL_EXPORTER_OTLP_ENDPOINT (logged once a minute)',
    );
  };
}
