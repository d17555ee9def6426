// {DATA_DIR}/receiver/: the generated settings of the demo receiver (mode 0600), and the CA file that the processes
// trust. Its endpoint is an ordinary row; its address follows the port.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeBase32 } from '#actors/core/ids.js';
import { makeWebhookSecret } from '#actors/core/webhooks/sign.js';
import { openPostgres } from '#store/postgres/client.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { putEndpoint } from '#store/postgres/webhooks/put-endpoint.js';
import type { Config } from '#ops/runtime/config.js';
import { sealSecret } from '#ops/runtime/sealed-secrets.js';
import type { NamedKey } from '#ops/runtime/config.js';
import type { Program } from '../launch/program.js';
import { writeSecretFile } from '../launch/secrets.js';
import { findFreePort, isPortFree } from '../servers/ports.js';
import { makeCertificates } from './certificates.js';

const STOP_MS = 3_000;
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

export interface ReceiverSettings {
  readonly endpointId: string;
  readonly secret: string;
  readonly port: number;
  readonly brandHeader: string;
  /** The file with a line for each delivery. */
  readonly received: string;
  /** PEM. */
  readonly ca: string;
  readonly key: string;
  readonly cert: string;
}

export interface DemoReceiver {
  readonly settings: ReceiverSettings;
  readonly url: string;
  readonly program: Program;
  /** The variables that the processes need to deliver to it. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Creates settings, certificates and the CA file if they are missing; starts nothing. */
export async function prepareReceiver(config: Config, dataDir: string): Promise<DemoReceiver> {
  const folder = join(dataDir, 'receiver');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'settings.json');
  const kept = read(file);
  const settings: ReceiverSettings = {
    ...(kept ?? {
      endpointId: `we_${encodeBase32(randomBytes(16))}`,
      secret: makeWebhookSecret(randomBytes(32)),
      ...(await makeCertificates()),
    }),
    port: kept !== null && (await isPortFree(kept.port)) ? kept.port : await findFreePort(),
    brandHeader: config.brand.header,
    received: join(dataDir, 'webhooks.ndjson'),
  };
  writeSecretFile(file, settings);
  const { allowTargets, caFile } = config.webhooks;
  const trusted = join(folder, 'trusted.pem');
  const given = caFile === null ? '' : readFileSync(caFile, 'utf8');
  writeFileSync(trusted, `${settings.ca}\n${given}`, { mode: 0o600 });
  return {
    settings,
    url: `https://localhost:${settings.port}/webhooks`,
    program: describe(file),
    variables: {
      WEBHOOK_ALLOW_TARGETS: [...allowTargets, ...LOOPBACK].join(','),
      WEBHOOK_CA_FILE: trusted,
    },
  };
}

function read(file: string): ReceiverSettings | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ReceiverSettings;
  } catch {
    return null;
  }
}

function describe(file: string): Program {
  return {
    name: 'receiver',
    command: process.execPath,
    args: [join(findPackageRoot(), 'dist/ops/dev/webhook-receiver/receiver.js'), file],
    env: {},
    output: 'inherit',
    hasChannel: true,
    stopSignal: 'SIGTERM',
    stopMs: STOP_MS,
  };
}

/** Stores the endpoint of the receiver, in TEST, for all events. */
export async function seedEndpoint(
  databaseUrl: string,
  merchantId: string,
  keys: readonly NamedKey[],
  { settings, url }: DemoReceiver,
): Promise<void> {
  const sql = openPostgres(databaseUrl, 'start', 1);
  const { endpointId: id, secret } = settings;
  const sealedSecret = sealSecret(keys, id, secret);
  try {
    const wish = { id, merchantId, url, events: ['*'], sealedSecret };
    await putEndpoint(sql, { ...wish, environment: 'TEST' });
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** The part of demo.json about the receiver. */
export function describeReceiver({ settings, url }: DemoReceiver): object {
  const { endpointId: id, secret, received } = settings;
  return { id, url, secret, received };
}
