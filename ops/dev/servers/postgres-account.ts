// Postgres refuses to run as root. Where this process is root there are two ways round:
//   namespace   a user namespace without a mapping: inside it the process is nobody and has no rights, outside
//               its files belong to root, so it works below a folder that only root can enter;
//   account     another user of the machine, with binaries and data where that user can reach them.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

export type AccountMode = 'plain' | 'namespace' | 'account';

export interface Account {
  readonly mode: AccountMode;
  /** Words in front of the command. */
  readonly prefix: readonly string[];
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Where the package's `native` folder is for that user. */
  readonly native: string;
  /** The folder that holds the cluster's folder. */
  readonly base: string;
}

/** A folder of root's that others may enter; only for the way `account`. */
const SHARED = '/var/lib/kasir';

/** The way that works here; `native` holds the binaries, `base` is where the data should be. */
export function chooseAccount(native: string, base: string, way = chooseMode()): Account {
  switch (way) {
    case 'plain':
      return { mode: way, prefix: [], native, base };
    case 'namespace':
      return { mode: way, prefix: ['unshare', '--user'], native, base };
    case 'account':
      return createOtherUserAccount(native, base);
    default:
      return way satisfies never;
  }
}

function chooseMode(): AccountMode {
  if (process.getuid?.() !== 0) return 'plain';
  return spawnSync('unshare', ['--user', 'true']).status === 0 ? 'namespace' : 'account';
}

function createOtherUserAccount(native: string, base: string): Account {
  const user = findUser();
  mkdirSync(SHARED, { recursive: true, mode: 0o755 });
  const reachable = canReach(user, native) ? native : copyBinaries(native);
  const name = createHash('sha256').update(base).digest('hex').slice(0, 16);
  const shared = join(SHARED, `data-${name}`);
  mkdirSync(shared, { recursive: true, mode: 0o700 });
  chownSync(shared, user.uid, user.gid);
  return { mode: 'account', prefix: [], user, native: reachable, base: shared };
}

function findUser(): { uid: number; gid: number } {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    const [, , uid, gid] = fields;
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('Postgres does not run as root, and there is no user postgres or nobody');
}

function canReach(user: { uid: number; gid: number }, native: string): boolean {
  const probe = spawnSync(join(native, 'bin/postgres'), ['--version'], { ...user, cwd: '/' });
  return probe.status === 0;
}

/** Copied under another name and renamed, so that a copy that broke off is never used. */
function copyBinaries(native: string): string {
  const { version } = JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8')) as {
    version: string;
  };
  const target = join(SHARED, `${basename(dirname(native))}-${version}`);
  if (existsSync(target)) return target;
  const partial = `${target}.${process.pid}`;
  cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
  if (existsSync(target)) rmSync(partial, { recursive: true, force: true });
  else renameSync(partial, target);
  return target;
}
