// HAProxy with the file of ops/deploy, which leads to the primary among the members of a test.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildParentGuard } from '#ops/dev/launch/program.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { control } from '../controlled.js';
import { makeFolder, type TestScope } from '../servers.js';
import { needProgram } from '../suite/programs.js';
import type { Member } from './patroni.js';

const FILE = join(findPackageRoot(), 'ops/deploy/postgres-haproxy.cfg');
const STOP_MS = 10_000;

/** Returns the port that leads to the primary. */
export async function startBalancer(t: TestScope, members: readonly Member[]): Promise<number> {
  const [primaryPort, standbyPort] = [await findFreePort(), await findFreePort()];
  let text = readFileSync(FILE, 'utf8');
  const replace = (deployed: string, here: string): void => {
    if (!text.includes(deployed)) throw new Error(`${FILE} has no ${deployed}`);
    text = text.replaceAll(deployed, here);
  };
  replace('bind 127.0.0.1:5000', `bind 127.0.0.1:${primaryPort}`);
  replace('bind 127.0.0.1:5001', `bind 127.0.0.1:${standbyPort}`);
  for (const [index, { port, restPort }] of members.entries())
    replace(`10.0.0.${index + 1}:5432 check port 8008`, `127.0.0.1:${port} check port ${restPort}`);
  const file = join(makeFolder(t), 'haproxy.cfg');
  writeFileSync(file, text);
  const haproxy = needProgram('haproxy', 'haproxy');
  const [command = haproxy, ...args] = [
    ...buildParentGuard('SIGTERM'),
    haproxy,
    ...['-db', '-f', file],
  ];
  const running = control(
    {
      ...{ name: 'haproxy', command, args, env: { PATH: process.env['PATH'] }, output: 'pipe' },
      ...{ hasChannel: false, stopSignal: 'SIGTERM', stopMs: STOP_MS },
    },
    () => Promise.resolve(running.lines().length > 0 || running.isRunning()),
  );
  t.teardown(() => running.stop());
  await running.start();
  return primaryPort;
}
