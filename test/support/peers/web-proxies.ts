// nginx, HAProxy, Apache and Caddy with the files of ops/deploy/proxies, in front of a gateway of the test. A file is changed
// only in its addresses, its paths and the account of the program.
import { chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildParentGuard } from '#ops/dev/launch/program.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import type { Certificates } from '#ops/dev/webhook-receiver/certificates.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { control, type Controlled } from '../controlled.js';
import { makeFolder, type TestScope } from '../servers.js';
import { needProgram } from '../suite/programs.js';

const STOP_MS = 10_000;
/** `nobody` on every Linux: the programs of this file run without rights, also when the test is root. */
const NOBODY = { uid: 65_534, gid: 65_534 };
const DEPLOYED_GATEWAY = '127.0.0.1:8080';
const NGINX_FOLDERS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

export const WEB_PROXIES = ['nginx', 'haproxy', 'apache', 'caddy'] as const;
type Name = (typeof WEB_PROXIES)[number];

interface Places {
  readonly folder: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly adminPort: number;
}

type Replacement = readonly [deployed: string, here: string];

interface Kind {
  readonly file: string;
  readonly program: string;
  /** Debian's. */
  readonly package: string;
  readonly args: (file: string, folder: string) => readonly string[];
  /** Beside the gateway. */
  readonly replace: (places: Places) => readonly Replacement[];
}

const CERTIFICATE = 'cert.pem';
const KEY = 'key.pem';
/** As HAProxy reads them. */
const CERTIFICATE_AND_KEY = 'both.pem';

const replaceCertificate = (folder: string): readonly Replacement[] => [
  ['/etc/ssl/kasir/fullchain.pem', join(folder, CERTIFICATE)],
  ['/etc/ssl/kasir/privkey.pem', join(folder, KEY)],
];

const KINDS: Record<Name, Kind> = {
  nginx: {
    ...{ file: 'nginx.conf', program: 'nginx', package: 'nginx' },
    args: (file) => ['-e', 'stderr', '-g', 'daemon off;', '-c', file],
    replace: ({ folder, httpPort, httpsPort }) => [
      ...replaceCertificate(folder),
      ['[::]:80 ipv6only=off', `127.0.0.1:${httpPort}`],
      ['[::]:443 ipv6only=off', `127.0.0.1:${httpsPort}`],
      ['/run/nginx.pid', join(folder, 'pid')],
      ['/var/log/nginx/error.log', 'stderr'],
      ['/var/log/nginx/access.log', join(folder, 'access.log')],
      // Debian's places are compiled in.
      [
        'http {',
        `http {\n${NGINX_FOLDERS.map((name) => `${name}_temp_path ${join(folder, name)};`).join('\n')}`,
      ],
    ],
  },
  haproxy: {
    ...{ file: 'haproxy.cfg', program: 'haproxy', package: 'haproxy' },
    args: (file) => ['-db', '-f', file],
    replace: ({ folder, httpPort, httpsPort }) => [
      [':::80 v4v6', `127.0.0.1:${httpPort}`],
      [':::443 v4v6', `127.0.0.1:${httpsPort}`],
      ['/etc/ssl/kasir/haproxy.pem', join(folder, CERTIFICATE_AND_KEY)],
      ['/run/haproxy/admin.sock', join(folder, 'admin.sock')],
      ['    user haproxy\n', ''],
      ['    group haproxy\n', ''],
      ['    chroot /var/lib/haproxy\n', ''],
    ],
  },
  apache: {
    ...{ file: 'apache.conf', program: 'apache2', package: 'apache2-bin' },
    args: (file, folder) => ['-DFOREGROUND', '-d', folder, '-f', file],
    replace: ({ folder, httpPort, httpsPort }) => [
      ...replaceCertificate(folder),
      ['Listen 80', `Listen 127.0.0.1:${httpPort}`],
      ['Listen 443', `Listen 127.0.0.1:${httpsPort}`],
      ['*:80>', `*:${httpPort}>`],
      ['*:443>', `*:${httpsPort}>`],
      ['Define HOST kasir.example', 'Define HOST localhost'],
      ['/run/apache2/apache2.pid', join(folder, 'pid')],
      ['/var/log/apache2/error.log', '"|/bin/cat"'],
      ['/var/log/apache2/access.log', join(folder, 'access.log')],
    ],
  },
  caddy: {
    ...{ file: 'Caddyfile', program: 'caddy', package: 'caddy' },
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    replace: ({ folder, httpPort, httpsPort, adminPort }) => [
      ...replaceCertificate(folder),
      [
        'admin localhost:2019',
        `admin localhost:${adminPort}\nhttp_port ${httpPort}\nhttps_port ${httpsPort}`,
      ],
      ['kasir.example', 'localhost'],
    ],
  },
};

export interface WebProxy extends Controlled {
  readonly name: Name;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** `https://localhost:…` */
  readonly origin: string;
  readonly folder: string;
}

export interface WebProxyOptions {
  readonly gatewayPort: number;
  readonly certificates: Certificates;
  /** Whether the proxy answers at its origin. */
  readonly isUp: (origin: string) => Promise<boolean>;
}

/** It ends with the test. */
export async function startWebProxy(
  t: TestScope,
  name: Name,
  options: WebProxyOptions,
): Promise<WebProxy> {
  const kind = KINDS[name];
  const places = {
    folder: makeFolder(t),
    httpPort: await findFreePort(),
    httpsPort: await findFreePort(),
    adminPort: await findFreePort(),
  };
  const { folder, httpPort, httpsPort } = places;
  const file = writeFiles(kind, places, options);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, NOBODY.uid, NOBODY.gid);
  const origin = `https://localhost:${httpsPort}`;
  const found = needProgram(kind.program, kind.package);
  const [command = found, ...args] = [
    ...buildParentGuard('SIGTERM'),
    ...[found, ...kind.args(file, folder)],
  ];
  const program = {
    ...{ name, command, args },
    env: { PATH: process.env['PATH'], HOME: folder },
    ...(isRoot ? { account: NOBODY } : {}),
    ...{ output: 'pipe', hasChannel: false, stopSignal: 'SIGTERM' as const, stopMs: STOP_MS },
  };
  const proxy = control(program, () => options.isUp(origin));
  t.teardown(() => proxy.stop());
  await proxy.start();
  return { ...proxy, name, httpPort, httpsPort, origin, folder };
}

/** Returns the path of the configuration. */
function writeFiles(
  kind: Kind,
  places: Places,
  { gatewayPort, certificates: { cert, key } }: WebProxyOptions,
): string {
  const deployed = join(findPackageRoot(), 'ops/deploy/proxies', kind.file);
  const text = replaceAll(readFileSync(deployed, 'utf8'), [
    [DEPLOYED_GATEWAY, `127.0.0.1:${gatewayPort}`],
    ...kind.replace(places),
  ]);
  const files = {
    ...{ [CERTIFICATE]: cert, [KEY]: key, [CERTIFICATE_AND_KEY]: `${cert}\n${key}` },
    [kind.file]: text,
  };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(places.folder, name), content);
  }
  return join(places.folder, kind.file);
}

/** @throws Error for a text that the file does not have */
function replaceAll(text: string, replacements: readonly Replacement[]): string {
  return replacements.reduce((changed, [deployed, here]) => {
    if (!changed.includes(deployed)) throw new Error(`the file has no "${deployed}"`);
    return changed.replaceAll(deployed, here);
  }, text);
}
