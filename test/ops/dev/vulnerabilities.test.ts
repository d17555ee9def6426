// The check of production packages for known vulnerabilities: the real npm asks a registry of this test. And the packages that
// may not be in production. Registries that fail in other ways: test/slow/ops/silent-registries.test.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { answer, BULK, checkAt, INFORMED, know, runCheck } from '#test/support/peers/registry.js';

const root = findPackageRoot();

t.test('a high or critical finding fails the check and names the package', async (t) => {
  for (const [severity, words] of [
    ['high', []],
    ['critical', ['--offline']],
  ] as const) {
    const registry = know({ ...INFORMED, undici: severity, ioredis: 'low' });
    const { code, stderr } = await checkAt(t, registry, { words });
    t.equal(code, 1);
    t.match(stderr, `undici * has a known vulnerability of severity ${severity}`);
    t.notMatch(stderr, 'ioredis');
  }
});

t.test('lower findings pass', async (t) => {
  const registry = know({ ...INFORMED, undici: 'moderate', ioredis: 'low' });
  const { asked, ...outcome } = await checkAt(t, registry);
  t.same(outcome, { code: 0, stderr: '' });
  t.same(
    asked.filter((request) => request === BULK),
    [BULK, BULK],
    'npm asked about the packages, and about the one that every registry knows',
  );
});

t.test('a registry without an answer fails the check, and passes with --offline', async (t) => {
  const registry = answer(405, '{"message":"405 Method Not Allowed","statusCode":405}');
  const strict = await checkAt(t, registry);
  t.equal(strict.code, 1);
  t.match(strict.stderr, /^kasir: the packages were not checked .*pass --offline/);
  const lenient = await checkAt(t, registry, { words: ['--offline'] });
  t.equal(lenient.code, 0);
  t.match(lenient.stderr, /^kasir: warning: the packages were not checked/);
});

t.test('an unknown option is refused with the one that is allowed', async (t) => {
  const { code, stderr } = await runCheck(process.env, ['--ofline']);
  t.equal(code, 1);
  t.match(stderr, /--ofline is not known. The only option is --offline/);
});

interface LockedPackage {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

t.test('no package of production has an install script, and none runs one', (t) => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const inProduction = Object.entries(lock.packages).filter(([, { dev }]) => dev !== true);
  const withScripts = inProduction.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  t.strictSame(
    withScripts.map(([path]) => path),
    [],
  );
  t.notOk(
    inProduction.some(([path]) => path.includes('@scarf/')),
    'no telemetry',
  );
  t.match(readFileSync(join(root, '.npmrc'), 'utf8'), /^ignore-scripts=true$/m);
  t.end();
});
