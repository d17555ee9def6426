// The only place that reads process.env. Variables are parsed once; one message lists all that are missing or wrong,
// without the values of secrets.
import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import {
  checkEnvironmentName,
  checkProduction,
  POSTGRES_URLS,
  readProtocol,
  REDIS_URLS,
} from './environment/check-production.js';
import { addPostgresCaFile, isPooled, isVerified } from './addresses/postgres-address.js';
import { addRedisCaFile, isRedisTls } from './addresses/redis-address.js';
import { readSecretFiles } from './environment/secret-files.js';
import { isRailSecret, isRailUrl, type RailVariables } from './environment/rail-variables.js';
import {
  type Environment,
  type NamedKey,
  RAIL_SECRET,
  RAIL_URL,
  Variables,
} from './environment/variables.js';

export type { Environment, NamedKey } from './environment/variables.js';

/** Processes of the Procfile, and `start` for `npm start`, which generates missing values. */
export type ProcessName = 'gateway' | 'payments' | 'rails' | 'webhooks' | 'start';

const METRICS_PORTS: Record<ProcessName, number> = {
  gateway: 9464,
  payments: 9465,
  rails: 9466,
  webhooks: 9467,
  start: 9464,
};

const REQUIRED = ['REDIS_URL', 'DATABASE_URL', 'SECRETS_KEY', 'ID_KEY'] as const;

const COMMAND_KEYS = ['COMMAND_KEY_GATEWAY', 'COMMAND_KEY_RAILS', 'COMMAND_KEY_WEBHOOKS'] as const;

/** Keys that processes share, so that a command key with the same value would separate nothing. */
const SHARED_KEYS = ['SECRETS_KEY', 'ID_KEY', 'CALLBACK_KEY'] as const;

/**
 * The processes that hold each secret. In production every other process refuses to start with it, so that a gateway,
 * which the internet reaches, can sign no fact of a rail and call no rail.
 */
const HOLDERS: Readonly<Record<string, readonly ProcessName[]>> = {
  COMMAND_KEY_GATEWAY: ['gateway', 'payments'],
  COMMAND_KEY_RAILS: ['rails', 'payments'],
  COMMAND_KEY_WEBHOOKS: ['webhooks', 'payments'],
};

/** Of every secret of a rail. */
const RAIL_SECRET_HOLDERS: readonly ProcessName[] = ['rails'];

/**
 * A person must change something before the process can start. It is printed without a stack, one line for each fault,
 * and the process exits with EXIT_CONFIGURATION.
 */
export class StartError extends Error {
  override readonly name: string = 'StartError';
  readonly faults: readonly string[];

  constructor(message: string, faults: readonly string[] = [message]) {
    super(message);
    this.faults = faults;
  }
}

/** As in sysexits.h, so that a supervisor can tell it from a crash. */
export const EXIT_CONFIGURATION = 78;

/** Thrown when variables are missing or wrong; the message has one line for each. */
export class ConfigError extends StartError {
  override readonly name = 'ConfigError';

  constructor(faults: readonly string[]) {
    super(`configuration: ${faults.length} fault(s)\n  ${faults.join('\n  ')}`, faults);
  }
}

/** The addresses and secrets of rails, by the names of their variables. */
type RailValues = Readonly<Record<string, string>>;

/** The parsed variables: times in milliseconds, schedules in seconds. */
export type Config = ReturnType<typeof buildConfig>;

/**
 * Parses the environment for the process `name`. `rails`: the rails that it serves, and whose secrets must be complete.
 * @throws ConfigError that lists every fault
 */
export function readConfig(
  name: ProcessName,
  given: Environment = process.env,
  rails: readonly RailVariables[] = [],
): Config {
  const { environment, faults: unread } = readSecretFiles(given);
  const faults: string[] = [...unread];
  const variables = parseVariables(environment, faults);
  const railVariables = parseRailVariables(environment, faults);
  faults.push(
    ...checkNeeds(name, environment),
    ...checkDirectUrl(name, environment),
    ...checkCaFiles(environment),
    ...checkRails(rails, environment),
    ...checkCommandKeys(variables),
    ...checkStrictness(name, environment, variables),
  );
  if (faults.length > 0) throw new ConfigError(faults);
  return buildConfig(name, variables as Variables, railVariables);
}

/** The environment of this process, for its children, with the secrets that it has in files. */
export function inheritEnvironment(): Environment {
  return readSecretFiles(process.env).environment;
}

function parseVariables(environment: Environment, faults: string[]): Partial<Variables> {
  return parseEach(Object.entries(Variables.properties), environment, faults);
}

/** By the names of the variables, since only the registrations of rails know which there are. */
function parseRailVariables(environment: Environment, faults: string[]): RailValues {
  const schemas = Object.keys(environment).flatMap((name): [string, typeof RAIL_URL][] => {
    if (isRailUrl(name)) return [[name, RAIL_URL]];
    return isRailSecret(name) ? [[name, RAIL_SECRET]] : [];
  });
  return parseEach(schemas, environment, faults) as RailValues;
}

function parseEach(
  schemas: readonly (readonly [name: string, schema: TSchema])[],
  environment: Environment,
  faults: string[],
): Record<string, unknown> {
  const parsed: Record<string, unknown> = {};
  for (const [name, schema] of schemas) {
    const preset = 'default' in schema ? String(schema['default']) : undefined;
    const raw = readVariable(environment, name) ?? preset;
    if (raw === undefined) continue;
    try {
      parsed[name] = Value.Decode(schema, raw);
    } catch (error) {
      const shown = 'secret' in schema ? '' : `, not ${JSON.stringify(raw.slice(0, 100))}`;
      faults.push(`${name} must be ${describeMeaning(error)}${shown}`);
    }
  }
  return parsed;
}

/** TypeBox wraps the error of a decoder; the inner message names what is allowed. */
function describeMeaning(error: unknown): string {
  if (error instanceof Error && error.cause instanceof Error) return error.cause.message;
  if (error instanceof Error && 'error' in error && error.error instanceof Error) {
    return error.error.message;
  }
  return error instanceof Error ? error.message : 'valid';
}

/** An empty variable counts as absent, as in most service files. */
function readVariable(environment: Environment, name: string): string | undefined {
  const raw = environment[name]?.trim();
  return raw === '' ? undefined : raw;
}

function checkNeeds(name: ProcessName, environment: Environment): string[] {
  if (name === 'start') return [];
  const commandKeys = COMMAND_KEYS.filter((variable) => HOLDERS[variable]?.includes(name));
  return [...REQUIRED, ...commandKeys]
    .filter((needed) => readVariable(environment, needed) === undefined)
    .map((needed) => `${needed} is missing`);
}

/** Notifications need a session that stays, as commands of operators do. */
function checkDirectUrl(name: ProcessName, environment: Environment): string[] {
  if (name !== 'webhooks' && name !== 'payments' && name !== 'start') return [];
  const read = (variable: string): string => readVariable(environment, variable) ?? '';
  if (!isPooled(read('DATABASE_URL_DIRECT') || read('DATABASE_URL'))) return [];
  return [
    'DATABASE_URL_DIRECT must be an address past PgBouncer, since DATABASE_URL has ?pooling=transaction',
  ];
}

/** A file for addresses without TLS would look like a check and be none. */
function checkCaFiles(environment: Environment): string[] {
  const unused = (file: string, urls: readonly string[], isUsed: (url: string) => boolean) => {
    const given = urls.map((url) => readVariable(environment, url) ?? '').filter((url) => url);
    return readVariable(environment, file) !== undefined && given.length > 0 && !given.some(isUsed);
  };
  return [
    ...(unused('DATABASE_CA_FILE', POSTGRES_URLS, (url) => isVerified(url, true))
      ? ['DATABASE_URL must end with ?sslmode=verify-full, since DATABASE_CA_FILE is given']
      : []),
    ...(unused('REDIS_CA_FILE', REDIS_URLS, isRedisTls)
      ? [
          'REDIS_URL must begin with rediss://, rediss+sentinel:// or rediss+cluster://, since REDIS_CA_FILE is given',
        ]
      : []),
  ];
}

function checkRails(rails: readonly RailVariables[], environment: Environment): string[] {
  return rails.flatMap(({ url, secrets }) => {
    if (readVariable(environment, url) === undefined) return [];
    const missing = secrets.filter((secret) => readVariable(environment, secret) === undefined);
    return missing.map((secret) => `${secret} is missing (${url} is given)`);
  });
}

/** A process that holds two equal keys signs as another one. The payments process sees all command keys. */
function checkCommandKeys(parsed: Partial<Variables>): string[] {
  return COMMAND_KEYS.flatMap((variable, index) => {
    const keys = new Set(listKeys(parsed[variable]));
    const others = [...COMMAND_KEYS.slice(index + 1), ...SHARED_KEYS];
    const equal = others.filter((other) => listKeys(parsed[other]).some((key) => keys.has(key)));
    return equal.map(
      (other) =>
        `${variable} must have no key of ${other}: a process that holds one could sign commands of another process. Make a key for each: openssl rand -hex 32`,
    );
  });
}

function listKeys(value: readonly NamedKey[] | Buffer | undefined): string[] {
  if (value === undefined) return [];
  const keys = Buffer.isBuffer(value) ? [value] : value.map(({ key }) => key);
  return keys.map((key) => key.toString('hex'));
}

function checkStrictness(
  name: ProcessName,
  environment: Environment,
  parsed: Partial<Variables>,
): string[] {
  const read = (variable: string): string | undefined => readVariable(environment, variable);
  if (read('NODE_ENV') !== 'production') return checkEnvironmentName(read);
  const faults = checkProduction(read, parsed.ALLOW_INSECURE ?? []);
  const given = Object.keys(environment);
  for (const url of given.filter(isRailUrl)) {
    if (readProtocol(read(url)) !== 'http:') continue;
    faults.push(`${url} must begin with https:// (its secret is sent along)`);
  }
  const railSecrets = given.filter(isRailSecret);
  for (const [secret, holders] of [
    ...Object.entries(HOLDERS),
    ...railSecrets.map((secret) => [secret, RAIL_SECRET_HOLDERS] as const),
  ]) {
    if (name === 'start' || holders.includes(name)) continue;
    if (read(secret) === undefined) continue;
    faults.push(
      `${secret} must not be given to ${name} in production, only to ${holders.join(' and ')}`,
    );
  }
  return faults;
}

function buildConfig(name: ProcessName, v: Variables, rails: RailValues) {
  return {
    process: name,
    isProduction: v.NODE_ENV === 'production',
    logLevel: v.LOG_LEVEL,
    port: v.PORT,
    isPortShared: v.PORT_SHARED === 1,
    hasApiLogs: v.API_LOGS === 1,
    isPaymentsNeeded: v.READY_NEEDS_PAYMENTS === 'true',
    baseUrl: v.BASE_URL ?? `http://localhost:${v.PORT}`,
    securityContact: v.SECURITY_CONTACT ?? null,
    metricsHost: v.METRICS_HOST,
    metricsPort: v.METRICS_PORT ?? METRICS_PORTS[name],
    metricsPortFallback: v.METRICS_PORT_FALLBACK === 1,
    ...buildAddresses(v),
    dataDir: v.DATA_DIR,
    secretsKeys: v.SECRETS_KEY ?? [],
    idKey: v.ID_KEY ?? Buffer.alloc(0),
    callbackKeys: v.CALLBACK_KEY?.map(({ key }) => key) ?? [v.ID_KEY ?? Buffer.alloc(0)],
    commandKeys: {
      gateway: v.COMMAND_KEY_GATEWAY ?? [],
      rails: v.COMMAND_KEY_RAILS ?? [],
      webhooks: v.COMMAND_KEY_WEBHOOKS ?? [],
    },
    trustedProxies: v.TRUSTED_PROXIES,
    shutdownMs: v.SHUTDOWN_MS,
    liveWaitMs: v.LIVE_WAIT_MS,
    backgroundPriority: v.BACKGROUND_PRIORITY,
    limits: {
      keyPerSecond: v.RATE_LIMIT_KEY,
      sessionPerSecond: v.RATE_LIMIT_SESSION,
      sandboxPerMinute: v.RATE_LIMIT_SANDBOX,
      checkoutPerMinute: v.RATE_LIMIT_CHECKOUT,
      loginPerQuarterHour: v.RATE_LIMIT_LOGIN,
      publicMsPerSecond: v.RATE_LIMIT_PUBLIC,
      connectionsPerAddress: v.CONNECTIONS_PER_ADDRESS,
    },
    approvalLimitMinor: BigInt(v.APPROVAL_LIMIT),
    customerDays: v.RETENTION_CUSTOMER_DAYS,
    brand: { name: v.BRAND_NAME, header: v.BRAND_HEADER },
    mail: {
      smtpUrl: v.SMTP_URL ?? null,
      from: v.MAIL_FROM ?? null,
      invoicesPerHour: v.INVOICE_MAILS_PER_HOUR,
    },
    partitions: v.PARTITIONS,
    leaseMs: v.LEASE_MS,
    commandRetentionMs: v.COMMAND_RETENTION_MS,
    webhooks: {
      allowTargets: v.WEBHOOK_ALLOW_TARGETS,
      dnsServers: v.WEBHOOK_DNS_SERVERS,
      caFile: v.WEBHOOK_CA_FILE ?? null,
      retrySeconds: v.WEBHOOK_RETRY_SCHEDULE ?? null,
    },
    rails: buildRailsConfig(v, rails),
    tracing: buildTracingConfig(v),
  };
}

/** Each carries the file of its authority, to every place that connects. */
function buildAddresses(v: Variables) {
  const redisUrl = addRedisCaFile(v.REDIS_URL ?? '', v.REDIS_CA_FILE);
  const databaseUrl = addPostgresCaFile(v.DATABASE_URL ?? '', v.DATABASE_CA_FILE);
  return {
    redisUrl,
    redisWebhooksUrl: addRedisCaFile(v.REDIS_URL_WEBHOOKS ?? '', v.REDIS_CA_FILE) || redisUrl,
    databaseUrl,
    databaseUrlDirect:
      addPostgresCaFile(v.DATABASE_URL_DIRECT ?? '', v.DATABASE_CA_FILE) || databaseUrl,
    databaseUrlReplica: addPostgresCaFile(v.DATABASE_URL_REPLICA ?? '', v.DATABASE_CA_FILE) || null,
  };
}

/** null: traces are off. The SDK reads the other standard variables itself. */
function buildTracingConfig(v: Variables) {
  const endpoint = v.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = v.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (endpoint && `${endpoint}/v1/traces`);
  if (url === undefined || v.OTEL_SDK_DISABLED === 'true') return null;
  return {
    url,
    headers: v.OTEL_EXPORTER_OTLP_HEADERS ?? null,
    followsCallers: v.TRACE_CALLERS === 'follow',
    maxQueue: v.OTEL_BSP_MAX_QUEUE_SIZE,
  };
}

function buildRailsConfig(v: Variables, variables: RailValues) {
  return {
    variables,
    routes: v.RAIL_ROUTES,
    syncSeconds: v.RAIL_SYNC_SCHEDULE,
    timeoutMs: v.RAIL_TIMEOUT_MS,
    budgets: v.RAIL_BUDGETS,
  };
}
