// The schema of the environment: each variable, its format and its default. docs/configuration.md holds the same table,
// compared by a test. No other code names a variable, except the registrations of rails.
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type StaticDecode, type TString, type TTransform, Type } from '@sinclair/typebox';
import { readCaFile } from '../addresses/certificates.js';
import { INSECURE_PARTS, type InsecurePart } from './check-production.js';
import {
  findPostgresCaFile,
  isPoolingKnown,
  isPostgresUrl,
  hasSeveralHosts,
  hasTarget,
  isPooled,
  isPrimaryNamed,
} from '../addresses/postgres-address.js';
import { parseMailSender } from '../addresses/mail-sender.js';
import { parseClusterUrl, parseSentinelUrl, splitCaFile } from '../addresses/redis-address.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A 32-byte key and its name, a prefix of its hash; ciphertexts carry the name. */
export interface NamedKey {
  readonly name: string;
  readonly key: Buffer;
}

/** `normal`: background threads compete with the event loop. */
const THREAD_PRIORITIES = ['idle', 'normal'] as const;
export type ThreadPriority = (typeof THREAD_PRIORITIES)[number];

type Variable<T> = TTransform<TString, T>;

/** A decoder throws an error whose message says what is allowed. `secret` keeps the value out of messages. */
function defineVariable<T>(decode: (raw: string) => T, options: object = {}): Variable<T> {
  return Type.Transform(Type.String(options))
    .Decode(decode)
    .Encode(() => '');
}

function defineWhole(min: number, max: number, preset?: number): Variable<number> {
  const decode = (raw: string): number => {
    const value = /^[0-9]{1,15}$/.test(raw) ? Number(raw) : NaN;
    if (!(value >= min && value <= max)) throw new Error(`a whole number from ${min} to ${max}`);
    return value;
  };
  return defineVariable(decode, preset === undefined ? {} : { default: String(preset) });
}

function defineText(pattern: RegExp, meaning: string, options: object = {}): Variable<string> {
  return defineVariable((raw) => {
    if (!pattern.test(raw)) throw new Error(meaning);
    return raw;
  }, options);
}

function defineUrl(protocols: readonly string[], options: object = {}): Variable<string> {
  return defineVariable((raw) => {
    const parsed = URL.canParse(raw) ? new URL(raw) : null;
    if (parsed === null || !protocols.includes(parsed.protocol) || parsed.hostname === '') {
      throw new Error(`an address that begins with ${protocols.join('// or ')}//`);
    }
    return lowerScheme(raw).replace(/\/+$/, '');
  }, options);
}

/** Readers compare the scheme as it is written: ioredis connects to `REDISS://` without TLS. */
const lowerScheme = (url: string): string =>
  new URL(url).protocol + url.slice(url.indexOf(':') + 1);

const NAMES_PRIMARY =
  'an address with target_session_attrs=primary, if it has several hosts or target_session_attrs ' +
  '(read-write is not enough: it accepts a standby)';
const NAMES_ONE = 'an address of one server, without target_session_attrs';
const HAS_ONE_POOLER = 'an address of one PgBouncer, since it has pooling=transaction';

function defineDatabaseUrl(leadsTo: 'primary' | 'any'): Variable<string> {
  return defineVariable((raw) => {
    if (!isPostgresUrl(raw) || !isPoolingKnown(raw)) {
      throw new Error(
        'postgres://user:password@host:port/database, behind PgBouncer with ?pooling=transaction',
      );
    }
    if (leadsTo === 'primary' && !isPrimaryNamed(raw)) throw new Error(NAMES_PRIMARY);
    if (leadsTo === 'any' && (hasTarget(raw) || hasSeveralHosts(raw))) throw new Error(NAMES_ONE);
    if (isPooled(raw) && hasSeveralHosts(raw)) throw new Error(HAS_ONE_POOLER);
    const caFile = findPostgresCaFile(raw);
    if (caFile !== null) readCaFile(caFile, 'an address whose sslrootcert is a PEM file');
    return raw;
  }, SECRET);
}

/** A file that is wrong is a fault of the start, and not of the first connection. */
function defineCaFile(): Variable<string> {
  return defineVariable((raw) => {
    readCaFile(raw);
    return resolve(raw);
  });
}

/** One server, Sentinels with the name of their master, or nodes of a Redis Cluster. */
function defineRedisUrl(options: object): Variable<string> {
  return defineVariable((raw) => {
    const { url } = splitCaFile(raw);
    if ((parseSentinelUrl(url) ?? parseClusterUrl(url)) !== undefined) return raw;
    const parsed = URL.canParse(raw) ? new URL(raw) : null;
    if (parsed === null || !/^rediss?:$/.test(parsed.protocol) || parsed.hostname === '') {
      throw new Error(
        'redis://host:port, redis+sentinel://host:port,host:port/master, or redis+cluster://host:port,host:port',
      );
    }
    return lowerScheme(raw).replace(/\/+$/, '');
  }, options);
}

function isCidr(range: string): boolean {
  const [address = '', prefix] = range.split('/');
  const family = isIP(address);
  if (family === 0 || range.split('/').length > 2) return false;
  if (prefix === undefined) return true;
  return /^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}

function splitList(raw: string): string[] {
  return raw
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function defineCidrs(): Variable<readonly string[]> {
  return defineVariable<readonly string[]>(
    (raw) => {
      const ranges = splitList(raw);
      if (!ranges.every(isCidr)) throw new Error('addresses or CIDR ranges, separated by commas');
      return ranges;
    },
    { default: '' },
  );
}

function defineAddress(preset: string): Variable<string> {
  return defineVariable(
    (raw) => {
      if (isIP(raw) === 0) throw new Error('an IP address of this machine');
      return raw;
    },
    { default: preset },
  );
}

function defineInsecureParts(): Variable<readonly InsecurePart[]> {
  return defineVariable<readonly InsecurePart[]>(
    (raw) =>
      splitList(raw).map((name) => {
        const part = INSECURE_PARTS.find((known) => known === name);
        if (part === undefined) throw new Error(`empty, or some of ${INSECURE_PARTS.join(', ')}`);
        return part;
      }),
    { default: '' },
  );
}

function definePriority(): Variable<ThreadPriority> {
  const decode = (raw: string): ThreadPriority => {
    const priority = THREAD_PRIORITIES.find((name) => name === raw);
    if (priority === undefined) throw new Error(THREAD_PRIORITIES.join(' or '));
    return priority;
  };
  return defineVariable(decode, { default: 'idle' });
}

function defineServers(): Variable<readonly string[]> {
  return defineVariable<readonly string[]>(
    (raw) => {
      const servers = splitList(raw);
      if (!servers.every(isServer)) {
        throw new Error('IP addresses of name servers, each with :port if it is not 53');
      }
      return servers;
    },
    { default: '' },
  );
}

/** As dns.setServers takes it: an IPv6 address with a port is in brackets. */
function isServer(text: string): boolean {
  const [, address = text] = /^\[?([^\]]+?)\]?:\d{1,5}$/.exec(text) ?? [];
  return isIP(text) !== 0 || isIP(address) !== 0;
}

function defineSeconds(options: object = {}): Variable<readonly number[]> {
  return defineVariable<readonly number[]>((raw) => {
    const steps = splitList(raw).map((step) => (/^[0-9]{1,7}$/.test(step) ? Number(step) : 0));
    if (steps.length === 0 || steps.length > 50 || steps.includes(0)) {
      throw new Error('1 to 50 whole numbers of seconds above 0, separated by commas');
    }
    return steps;
  }, options);
}

function parseKey(raw: string): NamedKey {
  const key = Buffer.from(raw, /^[0-9a-f]{64}$/i.test(raw) ? 'hex' : 'base64');
  if (key.length !== 32 || !/^[A-Za-z0-9+/_=-]+$/.test(raw)) {
    throw new Error('32 bytes in base64 or hex');
  }
  return { name: createHash('sha256').update(key).digest('hex').slice(0, 8), key };
}

const SECRET = { secret: true };

/** The first key is used for what is new, the others for what is older. */
function defineKeys(): Variable<NamedKey[]> {
  return defineVariable((raw) => splitList(raw).map(parseKey), SECRET);
}

function parseRoutes(raw: string): ReadonlyMap<string, readonly string[]> {
  const routes = new Map<string, readonly string[]>();
  for (const part of raw.split(';').filter((item) => item.trim() !== '')) {
    const [method = '', rails = ''] = part.trim().split('=');
    if (!/^[A-Z][A-Z_]*$/.test(method) || !/^[a-z]+(,[a-z]+)*$/.test(rails)) {
      throw new Error('written like QRIS=midtrans,xendit;VA_BCA=xendit');
    }
    routes.set(method, rails.split(','));
  }
  return routes;
}

/** Requests per minute by name; the rails process checks the names. */
function parseBudgets(raw: string): ReadonlyMap<string, number> {
  return new Map(
    raw.split(';').map((part) => {
      const [, name, number] = /^\s*([a-z]+(?:\.[a-z]+)?)=([0-9]{1,7})\s*$/.exec(part) ?? [];
      if (name === undefined) throw new Error('written like inquiry=600;xendit.inquiry=300');
      return [name, Number(number)];
    }),
  );
}

const HTTP = ['http:', 'https:'];
const ANY = /^[^\p{Cc}]{1,200}$/u;
const SAMPLER = /^(parentbased_)?(always_on|always_off|traceidratio)$/;

/** Variables without a default are optional here; config.ts lists those that a process requires. */
export const Variables = Type.Object({
  NODE_ENV: defineText(/^(development|test|production)$/, 'production, development or test', {
    default: 'development',
  }),
  ALLOW_INSECURE: defineInsecureParts(),
  LOG_LEVEL: defineText(/^(trace|debug|info|warn|error|fatal|silent)$/, 'a level such as info', {
    default: 'info',
  }),
  PORT: defineWhole(1, 65_535, 8080),
  /** 1: several gateways of one host share the port. */
  PORT_SHARED: defineWhole(0, 1, 0),
  API_LOGS: defineWhole(0, 1, 1),
  READY_NEEDS_PAYMENTS: defineText(/^(true|false)$/, 'true or false', { default: 'false' }),
  BASE_URL: Type.Optional(defineUrl(HTTP)),
  SECURITY_CONTACT: Type.Optional(
    defineText(
      /^(mailto:[^\s@]{1,64}@[^\s@]{1,255}|https:\/\/[!-~]{1,300})$/,
      'mailto: and an address, or an https:// address',
    ),
  ),
  METRICS_HOST: defineAddress('127.0.0.1'),
  METRICS_PORT: Type.Optional(defineWhole(0, 65_535)),
  METRICS_PORT_FALLBACK: defineWhole(0, 1, 0),
  REDIS_URL: Type.Optional(defineRedisUrl(SECRET)),
  REDIS_URL_WEBHOOKS: Type.Optional(defineRedisUrl(SECRET)),
  REDIS_CA_FILE: Type.Optional(defineCaFile()),
  DATABASE_URL: Type.Optional(defineDatabaseUrl('primary')),
  DATABASE_URL_DIRECT: Type.Optional(defineDatabaseUrl('primary')),
  DATABASE_URL_REPLICA: Type.Optional(defineDatabaseUrl('any')),
  DATABASE_CA_FILE: Type.Optional(defineCaFile()),
  DATA_DIR: defineText(ANY, 'a folder', { default: '.data' }),
  SECRETS_KEY: Type.Optional(defineKeys()),
  ID_KEY: Type.Optional(defineVariable((raw) => parseKey(raw).key, SECRET)),
  COMMAND_KEY_GATEWAY: Type.Optional(defineKeys()),
  COMMAND_KEY_RAILS: Type.Optional(defineKeys()),
  COMMAND_KEY_WEBHOOKS: Type.Optional(defineKeys()),
  CALLBACK_KEY: Type.Optional(defineVariable((raw) => splitList(raw).map(parseKey), SECRET)),
  TRUSTED_PROXIES: defineCidrs(),
  SHUTDOWN_MS: defineWhole(1, 3_600_000, 65_000),
  LIVE_WAIT_MS: defineWhole(1, 600_000, 55_000),
  BACKGROUND_PRIORITY: definePriority(),
  RATE_LIMIT_KEY: defineWhole(0, 1_000_000, 100),
  RATE_LIMIT_SESSION: defineWhole(0, 1_000_000, 20),
  RATE_LIMIT_SANDBOX: defineWhole(0, 1_000_000, 30),
  RATE_LIMIT_CHECKOUT: defineWhole(0, 1_000_000, 120),
  RATE_LIMIT_LOGIN: defineWhole(0, 1_000_000, 5),
  RATE_LIMIT_PUBLIC: defineWhole(0, 1_000, 50),
  /** In minor units of IDR; 0: two persons for every amount. */
  APPROVAL_LIMIT: defineWhole(0, 999_999_999_999_999, 10_000_000),
  INVOICE_MAILS_PER_HOUR: defineWhole(0, 1_000_000, 100),
  RETENTION_CUSTOMER_DAYS: defineWhole(0, 36_500, 0),
  SMTP_URL: Type.Optional(defineUrl(['smtp:', 'smtps:'], SECRET)),
  MAIL_FROM: Type.Optional(defineVariable(parseMailSender)),
  CONNECTIONS_PER_ADDRESS: defineWhole(0, 1_000_000, 4096),
  WEBHOOK_ALLOW_TARGETS: defineCidrs(),
  WEBHOOK_DNS_SERVERS: defineServers(),
  WEBHOOK_CA_FILE: Type.Optional(defineCaFile()),
  WEBHOOK_RETRY_SCHEDULE: Type.Optional(defineSeconds()),
  BRAND_NAME: defineText(ANY, '1 to 200 characters', { default: 'Service' }),
  BRAND_HEADER: defineText(/^[A-Za-z][A-Za-z0-9-]{0,39}$/, 'a word for header names', {
    default: 'Service',
  }),
  PARTITIONS: defineWhole(1, 1024, 16),
  LEASE_MS: defineWhole(500, 600_000, 5000),
  COMMAND_RETENTION_MS: defineWhole(0, 600_000, 30_000),
  RAIL_ROUTES: defineVariable(parseRoutes, { default: '' }),
  RAIL_SYNC_SCHEDULE: defineSeconds({ default: '30,60,300,900,1800,3600' }),
  RAIL_TIMEOUT_MS: defineWhole(1, 600_000, 50_000),
  RAIL_BUDGETS: defineVariable(parseBudgets, {
    default: 'charge=3000;close=3000;refund=300;payout=300;inquiry=600',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(defineUrl(HTTP)),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: Type.Optional(defineUrl(HTTP)),
  OTEL_EXPORTER_OTLP_HEADERS: Type.Optional(
    defineText(/^[!-~]{1,60}=[ -~]{1,8000}$/, 'written like name=value,name=value', SECRET),
  ),
  OTEL_SDK_DISABLED: defineText(/^(true|false)$/, 'true or false', { default: 'false' }),
  OTEL_TRACES_SAMPLER: Type.Optional(
    defineText(SAMPLER, 'a standard sampler such as parentbased_traceidratio'),
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.Optional(
    defineText(/^(0|1|[01]?\.[0-9]{1,9})$/, 'a number from 0 to 1'),
  ),
  OTEL_BSP_MAX_QUEUE_SIZE: defineWhole(1, 1_000_000, 2_048),
  TRACE_CALLERS: defineText(/^(follow|ignore)$/, 'follow or ignore', { default: 'follow' }),
});

export type Variables = StaticDecode<typeof Variables>;

/** The variables of rails, whose names are in their registrations (rail-variables.ts). */
export const RAIL_URL = defineUrl(HTTP);
export const RAIL_SECRET = defineText(ANY, '1 to 200 characters', SECRET);
