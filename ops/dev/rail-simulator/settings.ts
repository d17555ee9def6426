// {DATA_DIR}/rail-simulator/: the generated settings of the simulated rails of `npm start` (mode 0600), and their orders.
// They run if no rail is configured; LIVE payments then work without real money.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildCallbackPath } from '#actors/core/rails/live-rails.js';
import type { Config } from '#ops/runtime/config.js';
import { isRailUrl } from '#ops/runtime/environment/rail-variables.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import type { Program } from '../launch/program.js';
import { writeSecretFile } from '../launch/secrets.js';
import { findFreePort, isPortFree } from '../servers/ports.js';
import type { SimulatorSettings } from './simulator-context.js';

const STOP_MS = 3_000;
const BANK_MS = 500;
const SECRET_BYTES = 24;

export interface DemoRails {
  /** The address for callbacks of rails. */
  readonly callbacks: SimulatorSettings['callbacks'];
  /** The simulator; null: real rails are configured. */
  readonly simulator: { readonly url: string; readonly program: Program } | null;
  /** The variables that the processes need to call it. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Prepares the settings; starts nothing. */
export async function prepareRails(
  config: Config,
  dataDir: string,
  callbackKey: Uint8Array,
): Promise<DemoRails> {
  const callbacks = buildCallbackUrls(config.baseUrl, callbackKey);
  if (Object.keys(config.rails.variables).some(isRailUrl)) {
    return { callbacks, simulator: null, variables: {} };
  }
  const folder = join(dataDir, 'rail-simulator');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'settings.json');
  const kept = read(file);
  const settings: SimulatorSettings = {
    midtransServerKey: makeSecret(),
    xenditSecretKey: makeSecret(),
    xenditCallbackToken: makeSecret(),
    ...kept,
    port: kept !== null && (await isPortFree(kept.port)) ? kept.port : await findFreePort(),
    // Callbacks use the loopback address, because BASE_URL may lead elsewhere.
    callbacks: buildCallbackUrls(`http://localhost:${config.port}`, callbackKey),
    file: join(folder, 'books.ndjson'),
    bankMs: BANK_MS,
  };
  writeSecretFile(file, settings);
  const url = `http://127.0.0.1:${settings.port}`;
  return {
    callbacks,
    simulator: { url, program: describe(file) },
    variables: {
      RAIL_MIDTRANS_URL: `${url}/midtrans`,
      RAIL_MIDTRANS_SERVER_KEY: settings.midtransServerKey,
      RAIL_XENDIT_URL: `${url}/xendit`,
      RAIL_XENDIT_SECRET_KEY: settings.xenditSecretKey,
      RAIL_XENDIT_CALLBACK_TOKEN: settings.xenditCallbackToken,
    },
  };
}

function buildCallbackUrls(baseUrl: string, callbackKey: Uint8Array) {
  return {
    midtrans: baseUrl + buildCallbackPath(callbackKey, 'midtrans'),
    xendit: baseUrl + buildCallbackPath(callbackKey, 'xendit'),
  };
}

const makeSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

function read(file: string): SimulatorSettings | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SimulatorSettings;
  } catch {
    return null;
  }
}

function describe(file: string): Program {
  return {
    name: 'rail-simulator',
    command: process.execPath,
    args: [join(findPackageRoot(), 'dist/bundle/rail-simulator/main.js'), file],
    env: {},
    output: 'inherit',
    hasChannel: true,
    stopSignal: 'SIGTERM',
    stopMs: STOP_MS,
  };
}
