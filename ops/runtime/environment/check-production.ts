// The rules of production. A process that breaks one does not start, so that a forgotten variable does not expose keys,
// sessions or money on a network. ALLOW_INSECURE lifts each rule by its name, for a network that is protected otherwise.
import { BlockList, isIP } from 'node:net';
import {
  isPostgresUrl,
  isVerified,
  readSslMode,
  VERIFYING_MODE,
} from '../addresses/postgres-address.js';
import { parseClusterUrl, parseSentinelUrl } from '../addresses/redis-address.js';

/** The value of a variable; undefined: absent. */
export type ReadVariable = (name: string) => string | undefined;

export const INSECURE_PARTS = ['base_url', 'redis', 'postgres', 'metrics'] as const;
export type InsecurePart = (typeof INSECURE_PARTS)[number];

export const REDIS_URLS = ['REDIS_URL', 'REDIS_URL_WEBHOOKS'];
export const POSTGRES_URLS = ['DATABASE_URL', 'DATABASE_URL_DIRECT', 'DATABASE_URL_REPLICA'];

/** In small letters, as the URL standard compares it: `HTTP://` is `http:`. undefined: absent, or no address. */
export function readProtocol(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).protocol : undefined;
}

function isPlainRedis(url: string | undefined): boolean {
  if (url === undefined) return false;
  const several = parseSentinelUrl(url) ?? parseClusterUrl(url);
  return several === undefined ? readProtocol(url) === 'redis:' : !several.isTls;
}

const isRequireOnly = (url: string | undefined): boolean =>
  url !== undefined && readSslMode(url) === 'require';

/** Returns a message for each fault. `allowed`: the parts that ALLOW_INSECURE names. */
export function checkProduction(read: ReadVariable, allowed: readonly InsecurePart[]): string[] {
  const faults: string[] = [];
  if (read('WEBHOOK_ALLOW_TARGETS') !== undefined) {
    faults.push('WEBHOOK_ALLOW_TARGETS must be empty when NODE_ENV is production');
  }
  if (read('BASE_URL') === undefined) faults.push('BASE_URL is missing (customers are sent to it)');
  const insecure = INSECURE_PARTS.filter((part) => !allowed.includes(part));
  for (const part of insecure) {
    const fault = PRODUCTION_RULES[part](read);
    if (fault !== undefined) {
      faults.push(`${fault}, or ALLOW_INSECURE must contain ${part} if it is safe otherwise`);
    }
  }
  return faults;
}

const PRODUCTION_RULES: Record<InsecurePart, (read: ReadVariable) => string | undefined> = {
  base_url: (read) =>
    readProtocol(read('BASE_URL')) === 'http:'
      ? 'BASE_URL must begin with https:// when NODE_ENV is production'
      : undefined,
  redis: (read) => {
    const plain = REDIS_URLS.filter((name) => isPlainRedis(read(name)));
    return plain.length === 0
      ? undefined
      : `${plain.join(' and ')} must begin with rediss:// or rediss+sentinel:// (TLS) when NODE_ENV is production`;
  },
  postgres: (read) => {
    const hasCaFile = read('DATABASE_CA_FILE') !== undefined;
    const unverified = POSTGRES_URLS.filter((name) => {
      const url = read(name);
      return url !== undefined && isPostgresUrl(url) && !isVerified(url, hasCaFile);
    });
    if (unverified.length === 0) return undefined;
    const isRequired = unverified.some((name) => isRequireOnly(read(name)));
    const meaning = isRequired
      ? 'sslmode=require accepts any certificate, unless DATABASE_CA_FILE names its authority'
      : 'TLS with a certificate that is checked';
    return `${unverified.join(' and ')} must end with ?sslmode=${VERIFYING_MODE} (${meaning}) when NODE_ENV is production`;
  },
  metrics: (read) => {
    const host = read('METRICS_HOST');
    return host !== undefined && isIP(host) !== 0 && !isPrivateAddress(host)
      ? 'METRICS_HOST must be a loopback or private address when NODE_ENV is production'
      : undefined;
  },
};

/** Without NODE_ENV a process takes development's rules; on a public address that is nearly always a mistake. */
export function checkEnvironmentName(read: ReadVariable): string[] {
  const url = read('BASE_URL');
  if (read('NODE_ENV') !== undefined || url === undefined || !URL.canParse(url)) return [];
  if (!isPublicHost(new URL(url).hostname)) return [];
  return [
    'NODE_ENV is missing: BASE_URL is a public address, so it must be production, or development for a tunnel to ' +
      'your own machine',
  ];
}

/** A name without a dot is one of a private network. */
function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return !isPrivateAddress(host);
  return host.includes('.') && !/\.(localhost|local|internal|test)\.?$/.test(host);
}

const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv4');
}
PRIVATE.addAddress('::1', 'ipv6');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');

const isPrivateAddress = (address: string): boolean =>
  PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
