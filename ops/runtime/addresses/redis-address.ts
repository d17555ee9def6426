// The address of Redis: one server (redis://, rediss://), a master that Sentinels find, or nodes of a Redis Cluster:
//   redis+sentinel://[user:password@]host[:port][,host[:port]…]/master[/database][?sentinel_password=…]
//   redis+cluster://[user:password@]host[:port][,host[:port]…]
// user and password belong to the servers. rediss+sentinel:// and rediss+cluster:// use TLS for servers and Sentinels.
// REDIS_CA_FILE is added to the addresses with TLS as a last parameter `ca_file`, so that whoever has the address has the
// file too.
import { type CheckedServer, readCaFile } from './certificates.js';

interface Host {
  readonly host: string;
  readonly port: number;
}

interface Credentials {
  readonly username: string | null;
  readonly password: string | null;
}

export interface SentinelAddress extends Credentials {
  readonly sentinels: readonly Host[];
  /** The name that Sentinel monitors. */
  readonly master: string;
  readonly database: number;
  readonly sentinelPassword: string | null;
  readonly isTls: boolean;
}

export interface ClusterAddress extends Credentials {
  /** Some nodes, one of which must be up at the start; they name the others. */
  readonly nodes: readonly Host[];
  readonly isTls: boolean;
}

const SENTINEL_PORT = 26_379;
const NODE_PORT = 6_379;
const SENTINEL_FORM =
  /^(rediss?)\+sentinel:\/\/(?:([^@/]*)@)?([^@/?#]+)\/([A-Za-z0-9._-]+)(?:\/([0-9]{1,4}))?(?:\?sentinel_password=([^&#]+))?$/;
const CLUSTER_FORM = /^(rediss?)\+cluster:\/\/(?:([^@/]*)@)?([^@/?#]+)\/?$/;
const HOST = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]\s]+)(?::([0-9]{1,5}))?$/;

const CA_FILE = /[?&]ca_file=([^&#]*)$/;

export interface RedisAddress extends CheckedServer {
  /** As the driver or `parseSentinelUrl` takes it. */
  readonly url: string;
  /** In PEM; null: those that Node.js knows. */
  readonly authorities: string | null;
}

export const isRedisTls = (url: string): boolean => /^rediss(\+sentinel|\+cluster)?:/i.test(url);

/** An address without TLS stays as it is. */
export function addRedisCaFile(given: string, file: string | undefined): string {
  if (file === undefined || !isRedisTls(given)) return given;
  const { url } = splitCaFile(given);
  return `${url}${url.includes('?') ? '&' : '?'}ca_file=${encodeURIComponent(file)}`;
}

export function splitCaFile(given: string): { url: string; caFile: string | null } {
  const [parameter = '', file] = CA_FILE.exec(given) ?? [];
  const url = given.slice(0, given.length - parameter.length);
  return { url, caFile: file === undefined ? null : decodeURIComponent(file) };
}

/** @throws Error when the file with the authorities cannot be read */
export function parseRedisAddress(given: string): RedisAddress {
  const { url, caFile } = splitCaFile(given);
  const sentinels = parseSentinelUrl(url)?.sentinels;
  const hosts = sentinels ?? parseClusterUrl(url)?.nodes;
  const named = hosts?.map(({ host, port }) => `${host}:${port}`).join();
  return {
    url,
    server: `Redis at ${named ?? new URL(url).host}`,
    ...{ urlVariable: 'REDIS_URL', caVariable: 'REDIS_CA_FILE' },
    hasCheckedSentinels: sentinels !== undefined && isRedisTls(url),
    authorities: caFile === null ? null : readCaFile(caFile),
  };
}

/** Neither Sentinels nor a cluster. */
export function isOneServer(given: string): boolean {
  const { url } = splitCaFile(given);
  return (parseSentinelUrl(url) ?? parseClusterUrl(url)) === undefined;
}

/** undefined: the text has another form. */
export function parseSentinelUrl(url: string): SentinelAddress | undefined {
  const [, scheme, credentials = '', list = '', master, database, secret] =
    SENTINEL_FORM.exec(url) ?? [];
  const sentinels = parseHosts(list, SENTINEL_PORT);
  if (master === undefined || sentinels === undefined) return undefined;
  try {
    return {
      ...{ sentinels, master, database: Number(database ?? 0), isTls: scheme === 'rediss' },
      ...parseCredentials(credentials),
      sentinelPassword: secret === undefined ? null : decodeURIComponent(secret),
    };
  } catch {
    return undefined;
  }
}

/** undefined: the text has another form. */
export function parseClusterUrl(url: string): ClusterAddress | undefined {
  const [, scheme, credentials = '', list = ''] = CLUSTER_FORM.exec(url) ?? [];
  const nodes = parseHosts(list, NODE_PORT);
  if (nodes === undefined) return undefined;
  try {
    return { nodes, ...parseCredentials(credentials), isTls: scheme === 'rediss' };
  } catch {
    return undefined;
  }
}

function parseHosts(list: string, defaultPort: number): Host[] | undefined {
  const hosts = list.split(',').map((text) => parseHost(text, defaultPort));
  return hosts.every((host) => host !== undefined) ? hosts : undefined;
}

function parseHost(text: string, defaultPort: number): Host | undefined {
  const [, host, port = defaultPort] = HOST.exec(text) ?? [];
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) return undefined;
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** @throws URIError */
function parseCredentials(text: string): Credentials {
  const [username = '', password = ''] = splitOnce(text).map(decodeURIComponent);
  return { username: username || null, password: password || null };
}

/** Splits at the first colon, since a password may contain colons. */
function splitOnce(credentials: string): string[] {
  const at = credentials.indexOf(':');
  return at < 0 ? [credentials] : [credentials.slice(0, at), credentials.slice(at + 1)];
}
