// Programs that only `npm run test:all` or `npm run test:scale` needs, with the packages of Debian that hold them.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { canInstall, findProgram, install } from './debian.mjs';

/** By program. */
export const PACKAGES = {
  promtool: 'prometheus',
  pgbouncer: 'pgbouncer',
  php: 'php-cli',
  python3: 'python3',
  curl: 'curl',
  nginx: 'nginx',
  haproxy: 'haproxy',
  apache2: 'apache2-bin',
  caddy: 'caddy',
  psql: 'postgresql-client',
  pg_ctl: 'postgresql',
  'systemd-analyze': 'systemd',
  buildah: 'buildah',
  mmdebstrap: 'mmdebstrap',
  // 90 MB to fetch.
  soffice: 'libreoffice-calc-nogui',
};
export const SCALE_PACKAGES = {
  patroni: 'patroni',
  etcd: 'etcd-server',
  haproxy: 'haproxy',
  pg_controldata: 'postgresql',
  ip: 'iproute2',
  faketime: 'faketime',
};
/** Debian keeps the programs of servers here, by version, and puts few of them on the PATH. */
const POSTGRES = '/usr/lib/postgresql';

/** @param {string} program */
export function findTestProgram(program) {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES).sort().reverse() : [];
  return findProgram([program], {
    usual: versions.map((version) => join(POSTGRES, version, 'bin')),
  });
}

/**
 * Returns null, or the line to print. Tests that need a missing program fail.
 * @param {Readonly<Record<string, string>>} wanted
 */
export function findOrInstallTestPrograms(wanted) {
  const listMissing = () =>
    Object.keys(wanted).filter((program) => findTestProgram(program) === null);
  const missing = listMissing();
  if (missing.length === 0) return null;
  if (canInstall()) {
    console.log(`kasir: installing ${missing.join(', ')} (apt-get) …`);
    install(...missing.map((program) => wanted[program]));
    if (listMissing().length === 0) return null;
  }
  const packages = listMissing().map((program) => wanted[program]);
  return `some tests need more programs. Type: sudo apt-get install ${packages.join(' ')}`;
}
