// The address of Redis: one server (redis://, rediss://), or a master that Sentinels find:
//   redis+sentinel://[user:password@]host[:port][,host[:port]…]/master[/database][?sentinel_password=…]
// user and password belong to the servers. rediss+sentinel:// uses TLS for servers and Sentinels. REDIS_CA_FILE is added to
// the addresses with TLS as a last parameter `ca_file`, so that whoever has the address has the file too.
import { type CheckedServer, readCaFile } from './certificates.js';

export interface SentinelAddress {
  readonly sentinels: readonly { readonly host: string; readonly port: number }[];
  /** The name that Sentinel monitors. */
  readonly master: string;
  readonly username: string | null;
  readonly password: string | null;
  readonly database: number;
  readonly sentinelPassword: string | null;
  readonly isTls: boolean;
}

const DEFAULT_PORT = 26_379;
const FORM =
  /^(rediss?)\+sentinel:\/\/(?:([^@/]*)@)?([^@/?#]+)\/([A-Za-z0-9._-]+)(?:\/([0-9]{1,4}))?(?:\?sentinel_password=([^&#]+))?$/;
const HOST = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]\s]+)(?::([0-9]{1,5}))?$/;

const CA_FILE = /[?&]ca_file=([^&#]*)$/;

export interface RedisAddress extends CheckedServer {
  /** As the driver or `parseSentinelUrl` takes it. */
  readonly url: string;
  /** In PEM; null: those that Node.js knows. */
  readonly authorities: string | null;
}

export const isRedisTls = (url: string): boolean => /^rediss(\+sentinel)?:/i.test(url);

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
  const sentinels = parseSentinelUrl(url)?.sentinels.map(({ host, port }) => `${host}:${port}`);
  return {
    url,
    server: `Redis at ${sentinels?.join() ?? new URL(url).host}`,
    ...{ urlVariable: 'REDIS_URL', caVariable: 'REDIS_CA_FILE' },
    hasCheckedSentinels: isSentinelUrl(url) && isRedisTls(url),
    authorities: caFile === null ? null : readCaFile(caFile),
  };
}

export const isSentinelUrl = (url: string): boolean => /^rediss?\+sentinel:/.test(url);

/** undefined: the text has another form. */
export function parseSentinelUrl(url: string): SentinelAddress | undefined {
  const [, scheme, credentials = '', hosts = '', master, database, secret] = FORM.exec(url) ?? [];
  const sentinels = hosts.split(',').map(parseHost);
  if (master === undefined || !sentinels.every((host) => host !== undefined)) return undefined;
  try {
    const [username = '', password = ''] = splitOnce(credentials).map(decodeURIComponent);
    return {
      ...{ sentinels, master, database: Number(database ?? 0), isTls: scheme === 'rediss' },
      username: username || null,
      password: password || null,
      sentinelPassword: secret === undefined ? null : decodeURIComponent(secret),
    };
  } catch {
    return undefined;
  }
}

function parseHost(text: string): { host: string; port: number } | undefined {
  const [, host, port = DEFAULT_PORT] = HOST.exec(text) ?? [];
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) return undefined;
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** Splits at the first colon, since a password may contain colons. */
function splitOnce(credentials: string): string[] {
  const at = credentials.indexOf(':');
  return at < 0 ? [credentials] : [credentials.slice(0, at), credentials.slice(at + 1)];
}
