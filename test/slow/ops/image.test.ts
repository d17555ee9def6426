// The image of ops/deploy/Dockerfile, built by the commands of docs/operations/platforms/containers.md with buildah on a base of Debian's
// packages. Its processes run with what ops/deploy/compose.yaml gives them, and Debian's Redis and Postgres. Differences: all
// containers share the network of the machine, so that each has ports of its own, and buildah makes no file system read-only.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { readBlocks } from '#test/gateway/docs/guide-blocks.js';
import {
  KINDS,
  listSecretFiles,
  readCompose,
  readSettings,
} from '#test/ops/deploy/deploy-files.js';
import { openApi } from '#test/support/api.js';
import { control, type Controlled } from '#test/support/controlled.js';
import { runDeployFile, startDebianPostgres, startRedisForUsers } from '#test/support/deployed.js';
import { createTestMerchant } from '#test/support/processes.js';
import { makeFolder } from '#test/support/servers.js';
import { openShell } from '#test/support/shell.js';
import { needProgram } from '#test/support/suite/programs.js';

const PAGE = 'docs/operations/platforms/containers.md';
/** It installs all packages twice and compiles everything, beside other tests. */
const BUILD_MS = 20 * 60_000;
const STOP_MS = 60_000;
const ACCOUNT = '10001';

const root = findPackageRoot();
const folder = makeFolder(t);
const secrets = join(folder, 'secrets');
const compose = readCompose();
const buildah = needProgram('buildah', 'buildah');
needProgram('mmdebstrap', 'mmdebstrap');
const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')];
t.teardown(() => spawnSync(buildah, [...store, 'rm', '--all']));

const block = (role: string): string => {
  const found = readBlocks(PAGE).find((each) => each.role === role);
  if (found === undefined) throw new Error(`${PAGE} has no block "${role}"`);
  return found.text;
};

/** The files from which npm takes its registry on this machine; the build gets them as its secret. */
function writeNpmSettings(): string {
  const file = join(folder, 'npmrc');
  const read = (name: string): string => {
    const path = execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim();
    return spawnSync('cat', [path], { encoding: 'utf8' }).stdout;
  };
  writeFileSync(file, `${read('globalconfig')}\n${read('userconfig')}\n`, { mode: 0o600 });
  return file;
}

function readNodePackage(): string {
  const path = join(root, 'ops/dev/setup/node/package.json');
  const { optionalDependencies } = JSON.parse(readFileSync(path, 'utf8')) as {
    optionalDependencies: Record<string, string>;
  };
  const name = `node-linux-${process.arch}`;
  return `${name}@${optionalDependencies[name]}`;
}

interface Image {
  readonly config: {
    readonly Entrypoint: readonly string[];
    readonly User: string;
    readonly Healthcheck: { readonly Test: readonly [string, string] };
  };
}

const readImage = (): Image['config'] =>
  (
    JSON.parse(
      execFileSync(buildah, [...store, 'inspect', '--type', 'image', 'localhost/kasir'], {
        encoding: 'utf8',
      }),
    ) as { Docker: Image }
  ).Docker.config;

interface Container extends Controlled {
  /** Runs a command in the container, with its variables and secrets. */
  readonly run: (...command: readonly string[]) => { status: number | null; output: string };
}

/** A container of a service of compose.yaml; `own`: variables of the test. */
function prepareContainer(t: Test, name: string, own: Record<string, string>): Container {
  const service = compose.services[name];
  const id = execFileSync(buildah, [...store, 'from', '--pull-never', 'localhost/kasir'], {
    encoding: 'utf8',
  }).trim();
  const variables = { ...readSettings(), ...service?.environment, ...own };
  const mounts = listSecretFiles(compose, service, secrets).flatMap(([target, file]) => [
    '--volume',
    `${file}:/run/secrets/${target}:ro`,
  ]);
  const given = Object.entries(variables).map(([variable, value]) => `${variable}=${value}`);
  const buildCommand = (command: readonly string[]): string[] => [
    ...[...store, 'run', '--isolation', 'chroot', ...mounts, id, '--'],
    ...['env', ...given, ...command],
  ];
  const program = {
    ...{ name, command: buildah, env: { PATH: process.env['PATH'] }, output: 'pipe' },
    args: buildCommand([...readImage().Entrypoint, ...(service?.command ?? [])]),
    ...{ hasChannel: false, stopSignal: 'SIGTERM' as const, stopMs: STOP_MS },
  };
  const run: Container['run'] = (...command) => {
    const { status, stdout, stderr } = spawnSync(buildah, buildCommand(command), {
      encoding: 'utf8',
    });
    return { status, output: stdout + stderr };
  };
  const [, check] = readImage().Healthcheck.Test;
  const controlled = control(program, async () =>
    Promise.resolve(run('sh', '-c', check).status === 0),
  );
  t.teardown(() => controlled.stop());
  return { ...controlled, run };
}

t.test('the image is built, and its processes take a payment', async (t) => {
  const postgresUrl = await startDebianPostgres(t);
  const { redis, loadUsers } = await startRedisForUsers(t);
  mkdirSync(join(folder, 'base'));
  const shell = openShell(t, {
    folder: root,
    variables: {
      ...{ FOLDER: join(folder, 'base'), NODE: readNodePackage() },
      // Of npm's settings.
      HOME: process.env['HOME'] ?? folder,
      BUILDAH: [buildah, ...store].join(' '),
    },
  });
  await shell.run(`sh '${join(root, 'test/slow/ops/make-base.sh')}'`, BUILD_MS);
  const npmrc = writeNpmSettings();
  const options = `--isolation chroot --pull-never --format docker --secret id=npmrc,src=${npmrc}`;
  const base = '--build-arg BASE=localhost/kasir-base';
  await shell.run(`docker() { shift; $BUILDAH build ${options} ${base} "$@"; }`);
  await shell.run(block('build').replace('-t kasir', '-t localhost/kasir'), BUILD_MS);
  rmSync(npmrc);

  const { host } = new URL(postgresUrl);
  const made = block('secrets')
    .replace(' secrets ', ` ${secrets} `)
    .replace('postgres:5432', host)
    .replace('redis:6379', `127.0.0.1:${redis.port}`);
  await shell.run(made);
  await loadUsers(join(secrets, 'servers/users.acl'));
  await runDeployFile(postgresUrl, 'postgres-roles.sql');
  await shell.run(`psql -q -f '${secrets}/servers/passwords.sql' '${postgresUrl}'`);
  const migrate = prepareContainer(t, 'migrate', {});
  const migrated = migrate.run(...readImage().Entrypoint, 'migrate');
  t.match(migrated, { status: 0, output: /^applied / }, migrated.output);
  const owner = readFileSync(join(secrets, 'migration/DATABASE_URL'), 'utf8').trim();
  await runDeployFile(owner, 'postgres-rights.sql');
  const merchant = await createTestMerchant(postgresUrl);

  const port = await findFreePort();
  const containers: Container[] = [];
  for (const kind of KINDS) {
    const own = { METRICS_PORT: String(await findFreePort()), PORT: String(port) };
    const container = prepareContainer(t, kind, { ...own, METRICS_HOST: '127.0.0.1' });
    await container.start();
    t.pass(`${kind} is healthy`);
    containers.push(container);
  }
  const api = openApi(`http://127.0.0.1:${port}`, merchant.testKey);
  const id = await waitUntil('a payment is created', async () => {
    const { status, body } = await api.create({ amount: '15000', payment_method: 'QRIS' });
    return status === 201 ? body['id'] : null;
  });
  await api.simulate(id, 'paid');
  await waitUntil('it is paid', async () => (await api.get(id)).body['status'] === 'paid');
  const page = await fetch(`http://127.0.0.1:${port}/docs`);
  t.equal(page.status, 200, 'guides are served');

  const [gateway] = containers;
  t.equal(gateway?.run('id', '-u').output.trim(), ACCOUNT);
  t.not(gateway?.run('touch', '/kasir/file').status, 0, 'the account can write nothing there');
  const packages = gateway?.run('ls', 'node_modules').output.split('\n') ?? [];
  t.ok(packages.includes('undici'));
  t.notOk(packages.includes('typescript') || packages.includes('tap'), 'production packages only');
  for (const container of containers) {
    // buildah does not hand the signal on, as Docker does.
    const [, pid] = /"pid":(\d+)/.exec(container.lines().join('\n')) ?? [];
    process.kill(Number(pid), 'SIGTERM');
    t.equal(await container.waitForEnd(), 0);
    const log = container.lines().join('\n');
    t.match(log, /"clean":true.*"msg":"stopped"/, `${container.name} has finished its work`);
  }
});
