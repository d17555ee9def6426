// When set-up installs and builds again: judged by content, also after files were deleted.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import {
  hashSources,
  isBuildFresh,
  isInstallFresh,
  pruneOutput,
  recordBuild,
} from '#ops/dev/setup/freshness.mjs';
import { makeFolder, type TestScope } from '#test/support/servers.js';

const PACKAGES = {
  '': {},
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/other-platform': { version: '1.0.0', integrity: 'sha512-b', optional: true },
};

function write(root: string, path: string, content: unknown): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
}

function makeProject(t: TestScope): string {
  const root = makeFolder(t);
  write(root, 'package-lock.json', { packages: PACKAGES });
  write(root, 'tsconfig.json', '{}');
  write(root, 'gateway/main.ts', 'export {};');
  write(root, 'store/redis/keys.ts', 'export {};');
  write(root, 'dist/gateway/main.js', 'export {};');
  write(root, 'dist/store/redis/keys.js', 'export {};');
  write(root, 'dist/.tsbuildinfo', '{}');
  return root;
}

t.test('packages', (t) => {
  const root = makeProject(t);
  const installed = 'node_modules/.package-lock.json';
  const entry = PACKAGES['node_modules/a'];
  t.notOk(isInstallFresh(root), 'nothing is installed');
  write(root, installed, { packages: { 'node_modules/a': entry } });
  t.ok(isInstallFresh(root), 'what belongs to another platform may be missing');
  write(root, installed, { packages: { 'node_modules/a': { ...entry, version: '1.0.1' } } });
  t.notOk(isInstallFresh(root), 'another version');
  write(root, installed, { packages: {} });
  t.notOk(isInstallFresh(root), 'a package is missing (as with NODE_ENV=production)');
  write(root, installed, { packages: { 'node_modules/a': entry, 'node_modules/b': entry } });
  t.notOk(isInstallFresh(root), 'one too many');
  write(root, installed, '{"packages": {');
  t.notOk(isInstallFresh(root), 'half written');
  t.end();
});

t.test('build', (t) => {
  const root = makeProject(t);
  const hash = hashSources(root);
  t.notOk(isBuildFresh(root, hash), 'not built');
  recordBuild(root, hash);
  t.ok(isBuildFresh(root, hash));
  write(root, 'gateway/main.ts', 'export const a = 1;');
  t.notOk(isBuildFresh(root, hashSources(root)), 'a source changed');
  write(root, 'gateway/main.ts', 'export {};');
  t.ok(isBuildFresh(root, hashSources(root)), 'and was changed back');
  rmSync(join(root, 'store/redis/keys.ts'));
  t.notOk(isBuildFresh(root, hashSources(root)), 'a source was deleted');
  write(root, 'store/redis/keys.ts', 'export {};');
  rmSync(join(root, 'dist/gateway/main.js'));
  t.notOk(isBuildFresh(root, hashSources(root)), 'output was deleted');
  t.end();
});

t.test('a bundle that was deleted or truncated is built again', (t) => {
  const root = makeProject(t);
  const bundle = 'dist/bundle/gateway/main.js';
  write(root, bundle, 'export {};');
  pruneOutput(root);
  recordBuild(root, 'x');
  t.ok(existsSync(join(root, bundle)), 'no source has its path, and it stays');
  t.ok(isBuildFresh(root, 'x'));
  write(root, bundle, '');
  t.notOk(isBuildFresh(root, 'x'), 'truncated');
  write(root, bundle, 'export {};');
  t.ok(isBuildFresh(root, 'x'));
  rmSync(join(root, 'dist/bundle'), { recursive: true });
  t.notOk(isBuildFresh(root, 'x'), 'deleted');
  t.end();
});

t.test('output without a source is taken away', (t) => {
  const root = makeProject(t);
  write(root, 'dist/gateway/old.js', '');
  write(root, 'dist/gateway/old.js.map', '');
  pruneOutput(root);
  recordBuild(root, 'x');
  write(root, 'dist/gateway/old.js', 'export {};');
  t.notOk(isBuildFresh(root, 'x'));
  pruneOutput(root);
  t.ok(isBuildFresh(root, 'x'));
  t.end();
});
