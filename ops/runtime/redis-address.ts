// The address of Redis: one server (redis://, rediss://), or a master that Sentinels find:
//   redis+sentinel://[user:password@]host[:port][,host[:port]…]/master[/database][?sentinel_password=…]
// user and password belong to the servers. rediss+sentinel:// uses TLS for servers and Sentinels.

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
