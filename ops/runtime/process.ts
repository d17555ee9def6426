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
import { createRegistry, type Registry, startMetrics } from './metrics.js';
import { checkNode } from './node-check.js';

export interface Process {
  readonly config: Config;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
  readonly registry: Registry;
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
  return { config, log, lifecycle, registry };
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
