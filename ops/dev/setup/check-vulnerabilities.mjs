// Fails when a package that runs in production has a known vulnerability of severity high or critical (`npm audit`). A
// registry that cannot be asked is a warning, so that the suite also runs without a network.
//   node ops/dev/setup/check-vulnerabilities.mjs
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const ARGS = ['audit', '--json', '--omit=dev', '--package-lock-only', '--loglevel=silent'];
const TIMEOUT_MS = 60_000;
const SEVERE = ['high', 'critical'];

/** Undefined: npm did not get a report. */
function readReport() {
  const { stdout } = spawnSync('npm', ARGS, { cwd: root, encoding: 'utf8', timeout: TIMEOUT_MS });
  try {
    const report = JSON.parse(stdout);
    return 'auditReportVersion' in report ? report : undefined;
  } catch {
    return undefined;
  }
}

const report = readReport();
if (report === undefined) {
  console.warn(
    'kasir: warning: the packages were not checked for vulnerabilities, since npm audit got no answer from the registry.',
  );
} else {
  const severe = Object.values(report.vulnerabilities).filter(({ severity }) =>
    SEVERE.includes(severity),
  );
  for (const { name, severity, range } of severe) {
    console.error(`kasir: ${name} ${range} has a known vulnerability of severity ${severity}.`);
  }
  if (severe.length > 0) {
    console.error('kasir: update these packages (npm audit --omit=dev names the versions).');
    process.exitCode = 1;
  }
}
