// A process of the Procfile under a Node for which uWebSockets.js has no build.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readProcfile } from '#ops/dev/launch/procfile.js';
import { checkNode } from '#ops/runtime/node-check.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { pretendNode } from '#test/ops/pretend-node.js';
import { makeFolder } from '#test/support/servers.js';

const EXIT_CONFIGURATION = 78;
const root = findPackageRoot();

t.test(
  'a process under a Node without a build exits with 78 and one line that names a Node',
  (t) => {
    for (const name of ['gateway', 'payments', 'rails', 'webhooks']) {
      const { flags = [], main = '' } = readProcfile(root, name) ?? {};
      const args = [...flags, ...pretendNode('24.21.0', '137'), join(root, main)];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      t.equal(status, EXIT_CONFIGURATION, name);
      t.equal(stdout, '');
      t.match(
        stderr,
        new RegExp(
          `^kasir ${name}: Node 24\\.21\\.0 has no build of uWebSockets\\.js \\(uws_\\w+_137\\.node .*\\): run the process with Node 22.*\\n$`,
        ),
      );
    }
    t.end();
  },
);

t.test('the Node that has a build passes', (t) => {
  t.doesNotThrow(() => {
    checkNode(root);
  });
  t.end();
});

t.test('a build of the original release is found in its top folder', (t) => {
  const folder = join(makeFolder(t), 'node_modules/uWebSockets.js');
  const { platform, arch, versions } = process;
  const check = (): void => {
    checkNode(join(folder, '../..'));
  };
  t.doesNotThrow(check, 'an installation without the package has no gateway');
  mkdirSync(folder, { recursive: true });
  t.throws(check, { message: /has no build/ });
  writeFileSync(join(folder, `uws_${platform}_${arch}_${versions.modules}.node`), '');
  t.doesNotThrow(check);
  t.end();
});
