// The set-up is killed or stopped while its real npm ci is under way, in a small checkout whose only package never arrives.
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { waitForExit } from '#ops/dev/launch/program.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { makeFolder } from '../support/servers.js';

const SETUP = 'ops/dev/setup';

interface SetUp {
  readonly child: ChildProcess;
  readonly output: () => string;
}

interface Checkout {
  readonly root: string;
  /** Connections of npm that wait for the package. */
  readonly waiting: () => number;
  readonly start: () => SetUp;
}

/** A registry that takes requests and never answers. */
async function makeCheckout(t: Test): Promise<Checkout> {
  const open = new Set<Socket>();
  const registry = createServer(({ socket }) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    registry.close();
    registry.closeAllConnections();
  });
  const address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  const root = makeFolder(t);
  cpSync(join(findPackageRoot(), SETUP), join(root, SETUP), { recursive: true });
  const top = { name: 'small', version: '1.0.0', dependencies: { late: '1.0.0' } };
  const late = { version: '1.0.0', resolved: `${address}/late.tgz`, integrity: 'sha512-AA==' };
  const packages = { '': top, 'node_modules/late': late };
  const lock = { ...top, lockfileVersion: 3, requires: true, packages };
  writeFileSync(join(root, 'package.json'), JSON.stringify(top));
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock));
  writeFileSync(join(root, 'tsconfig.json'), '{}');
  const env = {
    ...{ PATH: process.env['PATH'], HOME: root, npm_config_registry: address },
    ...{ npm_config_cache: join(root, 'cache'), npm_config_update_notifier: 'false' },
  };
  return { root, waiting: () => open.size, start: () => startSetUp(t, root, env) };
}

function startSetUp(t: Test, root: string, env: NodeJS.ProcessEnv): SetUp {
  const child = spawn(process.execPath, [join(root, SETUP, 'prepare.mjs'), 'build'], { env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  t.teardown(async () => {
    child.kill('SIGTERM');
    await waitForExit(child);
  });
  return { child, output: () => output };
}

t.test('kill -9 of the set-up ends its npm ci, and the next one runs alone', async (t) => {
  const checkout = await makeCheckout(t);
  const first = checkout.start();
  await waitUntil('npm waits for the package', () => checkout.waiting() === 1);
  first.child.kill('SIGKILL');
  await waitUntil('npm ci has ended', () => checkout.waiting() === 0);
  const second = checkout.start();
  await waitUntil('the next one waits', () => checkout.waiting() === 1);
  t.match(second.output(), 'installing packages (npm ci)');
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  t.test(`${signal} during npm ci ends it and says so`, async (t) => {
    const checkout = await makeCheckout(t);
    const { child, output } = checkout.start();
    await waitUntil('npm waits for the package', () => checkout.waiting() === 1);
    child.kill(signal);
    await waitForExit(child);
    t.equal(child.exitCode, 1);
    await waitUntil('npm ci has ended', () => checkout.waiting() === 0);
    t.match(output(), `kasir: the set-up was stopped (${signal}). The next start goes on with it.`);
    t.notMatch(output(), 'failed');
    t.notOk(existsSync(join(checkout.root, '.prepare.lock')));
  });
}
