// Postgres refuses to run as root. If this process is root there are two modes:
//   namespace   a user namespace without a mapping: inside it the process has no rights, outside it its files belong to
//               root, so it works below a folder that only root can enter;
//   account     another user of the machine, with binaries and data in a place that this user can reach.
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
  /** The prefix of the command. */
  readonly prefix: readonly string[];
  readonly user?: { readonly uid: number; readonly gid: number };
  /** The path of the package's `native` folder for that user. */
  readonly native: string;
  /** The parent folder of the cluster. */
  readonly base: string;
}

/** A folder of root that others may enter; for the mode `account` only. */
const SHARED = '/var/lib/kasir';

/** Chooses the mode that works here. `native`: the binaries; `base`: the preferred place of the data. */
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

/** Copies under another name and renames, so that an interrupted copy is never used. */
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
