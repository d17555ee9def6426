// Fetching a Node for a machine whose Node has no build of uWebSockets.js, with an npm that does as it is told.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { chooseNode, describeNode } from '#ops/dev/setup/choose-node.mjs';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { pretendNode } from '#test/ops/pretend-node.js';
import { makeFolder } from '#test/support/servers.js';

const SETUP = 'ops/dev/setup';
const choice = chooseNode({ ...describeNode(), version: '24.21.0', abi: '137' });
const name = String('name' in choice ? choice.name : '');
const options = { skip: choice.kind === 'fetched' ? false : 'no binary exists for this machine' };

const NODE = `node_modules/${name}/bin/node`;
const installs = (version: string): string => `
mkdir -p ${dirname(NODE)}
printf '#!/bin/sh\\necho ${version}\\n' > ${NODE}
chmod +x ${NODE}`;
const NOTES = `
cp package-lock.json node_modules/.package-lock.json`;

interface Found {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Checkout {
  readonly root: string;
  /** The version that the lock file pins. */
  readonly version: string;
  /** Each call of npm. */
  readonly calls: () => string[];
  /** Runs find-node.mjs as Node 24, with an npm that runs `script` in its folder. */
  readonly find: (script: string) => Found;
}

function makeCheckout(t: Test): Checkout {
  const root = makeFolder(t);
  cpSync(join(findPackageRoot(), SETUP), join(root, SETUP), { recursive: true });
  const bin = join(root, 'bin');
  const calls = join(root, 'calls');
  mkdirSync(bin);
  writeFileSync(calls, '');
  const lock = readFileSync(join(root, SETUP, 'node/package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lock) as { packages: Record<string, { version: string }> };
  const args = [...pretendNode('24.21.0', '137'), join(root, SETUP, 'find-node.mjs')];
  return {
    root,
    version: packages[`node_modules/${name}`]?.version ?? '',
    calls: () => readFileSync(calls, 'utf8').split('\n').filter(Boolean),
    find: (script) => {
      writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "$@" >> '${calls}'\n${script}\n`);
      chmodSync(join(bin, 'npm'), 0o755);
      const env = { PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin` };
      return spawnSync(process.execPath, args, { encoding: 'utf8', env });
    },
  };
}

t.test('the Node is fetched once, and each start names both versions', options, (t) => {
  const { root, version, calls, find } = makeCheckout(t);
  const line = `kasir: Node 24.21.0 has no build of uWebSockets.js; going on with Node ${version}.\n`;
  const first = find(installs(version) + NOTES);
  const folder = `${join(root, '.node', dirname(NODE))}\n`;
  t.match(first, { status: 0, stdout: folder });
  t.ok(first.stderr.startsWith(`kasir: fetching Node ${version}`));
  t.ok(first.stderr.endsWith(line));
  t.match(calls(), [/^ci .*--ignore-scripts/]);
  t.match(find('exit 1'), { status: 0, stdout: folder, stderr: line });
  t.equal(calls().length, 1);
  t.end();
});

t.test('npm is given the one package of this machine, which is not optional', options, (t) => {
  const { root, version, find } = makeCheckout(t);
  find(installs(version) + NOTES);
  const text = readFileSync(join(root, '.node/package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, object> };
  t.strictSame(Object.keys(packages), ['', `node_modules/${name}`]);
  t.match(packages[''], { dependencies: { [name]: version } });
  t.notMatch(text, 'optional');
  t.end();
});

t.test(
  'a download that was interrupted, or that npm only claims to have made, does not count',
  options,
  (t) => {
    const { version, calls, find } = makeCheckout(t);
    const scripts = [installs(version), 'exit 0', `${installs(version)}\nexit 1`, 'kill -9 $$'];
    for (const script of scripts) {
      const { status, stdout, stderr } = find(script);
      t.equal(status, 1, script);
      t.equal(stdout, '');
      t.match(stderr, `kasir: npm ci could not fetch ${name} ${version}, `);
      t.match(
        stderr,
        'Connect this machine to the npm registry and start again, or install Node 22.',
      );
    }
    t.equal(find(installs(version) + NOTES).status, 0);
    t.equal(calls().length, scripts.length + 1);
    t.end();
  },
);

t.test('a Node whose binary is gone is fetched again', options, (t) => {
  const { root, version, calls, find } = makeCheckout(t);
  t.equal(find(installs(version) + NOTES).status, 0);
  rmSync(join(root, '.node', NODE));
  t.equal(find(installs(version) + NOTES).status, 0);
  t.equal(calls().length, 2);
  t.end();
});

t.test('a Node that another lock file pinned is replaced', options, (t) => {
  const { root, version, calls, find } = makeCheckout(t);
  t.equal(find(installs(version) + NOTES).status, 0);
  const lock = join(root, SETUP, 'node/package-lock.json');
  writeFileSync(lock, readFileSync(lock, 'utf8').replaceAll('"sha512-', '"sha512-new'));
  t.equal(find(installs(version) + NOTES).status, 0);
  t.equal(calls().length, 2);
  t.end();
});

t.test('a Node that does not run on this machine is removed', options, (t) => {
  const { root, version, find } = makeCheckout(t);
  const { status, stderr } = find(installs('1.0.0') + NOTES);
  t.equal(status, 1);
  t.match(stderr, `kasir: Node ${version} of ${name} does not run on this machine`);
  t.notOk(existsSync(join(root, '.node')));
  t.end();
});

t.test('every npm script that sets up first starts its program by run.sh', (t) => {
  const text = readFileSync(join(findPackageRoot(), 'package.json'), 'utf8');
  const { scripts } = JSON.parse(text) as { scripts: Record<string, string> };
  const setUp = Object.values(scripts).filter((script) => /prepare\.mjs|run\.sh/.test(script));
  t.ok(setUp.length > 20);
  t.strictSame(
    setUp.filter(
      (script) =>
        !/ops\/dev\/setup\/run\.sh (build|servers|test|test-all|test-scale) dist\/\S+\.js/.test(
          script,
        ),
    ),
    // They run the compiler, on the installed Node.
    [scripts['build'], scripts['typecheck']],
  );
  t.end();
});

t.test('a Node with a build prints an empty line, and nothing is fetched', (t) => {
  const { root } = makeCheckout(t);
  const args = [join(root, SETUP, 'find-node.mjs')];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  t.strictSame({ status, stdout, stderr }, { status: 0, stdout: '\n', stderr: '' });
  t.notOk(existsSync(join(root, '.node')));
  t.end();
});
