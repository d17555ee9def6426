// The check of production packages for known vulnerabilities, with an npm that answers as told; and the packages that may
// not be among them.
import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { makeFolder } from '#test/support/servers.js';

const root = findPackageRoot();
const CHECK = join(root, 'ops/dev/setup/check-vulnerabilities.mjs');

interface Outcome {
  readonly code: number;
  readonly stderr: string;
}

function check(t: Test, answer: string): Promise<Outcome> {
  const folder = makeFolder(t);
  writeFileSync(join(folder, 'answer'), answer);
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\ncat '${folder}/answer'\nexit 1\n`);
  chmodSync(join(folder, 'npm'), 0o755);
  const env = { PATH: `${folder}:${dirname(process.execPath)}:/usr/bin:/bin` };
  return new Promise((resolve) => {
    execFile(process.execPath, [CHECK], { env }, (error, _stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stderr });
    });
  });
}

const buildReport = (severities: readonly string[]): string =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(
      severities.map((severity) => [severity, { name: severity, severity, range: '<2.0.0' }]),
    ),
  });

t.test('a high or critical finding fails the check and names the package', async (t) => {
  for (const severity of ['high', 'critical']) {
    const { code, stderr } = await check(t, buildReport(['low', severity]));
    t.equal(code, 1);
    t.match(stderr, `${severity} <2.0.0 has a known vulnerability of severity ${severity}`);
    t.notMatch(stderr, 'severity low');
  }
});

t.test('lower findings and none pass', async (t) => {
  t.same(await check(t, buildReport(['low', 'moderate'])), { code: 0, stderr: '' });
  t.same(await check(t, buildReport([])), { code: 0, stderr: '' });
});

t.test('a registry that does not answer passes with a warning', async (t) => {
  for (const answer of ['', '<html>', '{"message":"405 Method Not Allowed","statusCode":405}']) {
    const { code, stderr } = await check(t, answer);
    t.equal(code, 0);
    t.match(stderr, /^kasir: warning: the packages were not checked/);
  }
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
