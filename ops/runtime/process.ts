// The first step of every process: configuration, log, lifecycle and metrics, before any connection is opened.
import {
  type Config,
  EXIT_CONFIGURATION,
  type ProcessName,
  readConfig,
  StartError,
} from './config.js';
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

export async function startProcess(name: ProcessName): Promise<Process> {
  const config = readConfigOrExit(name);
  const log = createLog(config, name);
  for (const missing of listMissingParts(config)) log.warn(missing);
  const lifecycle = createLifecycle(config, log);
  const registry = createRegistry();
  const metrics = await startMetrics(config, registry);
  lifecycle.onStop('metrics', metrics.close);
  return { config, log, lifecycle, registry };
}

/** Without a configuration there is no log, so the faults are plain lines. */
function readConfigOrExit(name: ProcessName): Config {
  try {
    checkNode();
    return readConfig(name);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    for (const fault of error.faults) console.error(`kasir ${name}: ${fault}`);
    process.exit(EXIT_CONFIGURATION);
  }
}

type Parts = Pick<Config, 'process' | 'isProduction' | 'mail' | 'rails'>;

/** Parts that production can do without, each with what does not work then. */
function listMissingParts({ process: name, isProduction, mail, rails }: Parts): string[] {
  if (!isProduction) return [];
  if (name === 'gateway' && mail.smtpUrl === null) {
    return [
      'SMTP_URL is missing: no mail is sent, so nobody can confirm an address, reset a password or accept an ' +
        'invitation, and invoices are not mailed. "npx kasir mail list" prints the waiting mails',
    ];
  }
  if (name === 'rails' && rails.midtrans.url === null && rails.xendit.url === null) {
    return [
      'RAIL_MIDTRANS_URL and RAIL_XENDIT_URL are missing: no LIVE payment can be made, and payouts wait for an ' +
        'administrator who pays them by hand',
    ];
  }
  return [];
}
