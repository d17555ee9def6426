// Fails when a package that runs in production has a known vulnerability of severity high or critical (`npm audit`), and when
// the registry gives no answer: a check that asked nobody has found nothing. Some registries answer every question with "no
// vulnerability", and npm takes `null` and its own setting `offline` for that answer. So an answer counts only if the registry
// also knows the vulnerability of an old package.
//   node ops/dev/setup/check-vulnerabilities.mjs
//   node ops/dev/setup/check-vulnerabilities.mjs --offline    no answer is a warning, for work without a network
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail } from './commands.mjs';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const ARGS = ['audit', '--json', '--omit=dev', '--package-lock-only', '--loglevel=silent'];
const TIMEOUT_MS = 60_000;
const SEVERE = ['high', 'critical'];
const OFFLINE = '--offline';
/** CVE-2021-44906, critical. It is not installed. */
const KNOWN = { name: 'minimist', version: '0.0.8' };

/** The vulnerabilities of the packages of a folder, by package; undefined: npm did not get a report. */
function findVulnerabilities(folder) {
  const { stdout } = spawnSync('npm', ARGS, { cwd: folder, encoding: 'utf8', timeout: TIMEOUT_MS });
  try {
    const report = JSON.parse(stdout);
    return 'auditReportVersion' in report ? report.vulnerabilities : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the registry answers about a package with a vulnerability that everybody knows. */
function isRegistryInformed() {
  const { name, version } = KNOWN;
  const own = { name: 'kasir-canary', version: '0.0.0', dependencies: { [name]: version } };
  const packages = { '': own, [`node_modules/${name}`]: { version } };
  const folder = mkdtempSync(join(tmpdir(), 'kasir-audit-'));
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify(own));
    const lock = { ...own, lockfileVersion: 3, requires: true, packages };
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    return Object.hasOwn(findVulnerabilities(folder) ?? {}, name);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Why nothing is known; undefined: the registry has answered. */
function findGap(vulnerabilities) {
  if (vulnerabilities === undefined) return 'npm audit got no answer from the registry';
  if (isRegistryInformed()) return undefined;
  return `the registry does not know the vulnerability of ${KNOWN.name} ${KNOWN.version}, so that its answers say nothing`;
}

const words = process.argv.slice(2);
const unknown = words.find((word) => word !== OFFLINE);
if (unknown !== undefined) fail(`${unknown} is not known. The only option is ${OFFLINE}.`);

const vulnerabilities = findVulnerabilities(root);
const severe = Object.values(vulnerabilities ?? {}).filter(({ severity }) =>
  SEVERE.includes(severity),
);
for (const { name, severity, range } of severe) {
  console.error(`kasir: ${name} ${range} has a known vulnerability of severity ${severity}.`);
}
if (severe.length > 0) fail('update these packages (npm audit --omit=dev names the versions).');

const gap = findGap(vulnerabilities);
if (gap !== undefined) {
  const text = `the packages were not checked for vulnerabilities: ${gap}`;
  if (!words.includes(OFFLINE)) {
    fail(`${text}. Name a registry that answers (npm config set registry), or pass ${OFFLINE}.`);
  }
  console.warn(`kasir: warning: ${text}.`);
}
