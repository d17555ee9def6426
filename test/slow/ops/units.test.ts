// The commands of docs/operations/platforms/systemd.md, in one shell with a user manager of systemd (test/slow/ops/user-manager.sh), and the
// units themselves. Differences to an installation: processes have the account of the manager, and logs go to files. Both versions
// are this build.
import { existsSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { readBlocks } from '#test/gateway/docs/guide-blocks.js';
import { KINDS } from '#test/ops/deploy/deploy-files.js';
import { openApi } from '#test/support/api.js';
import { startDebianPostgres, startRedisForUsers } from '#test/support/deployed.js';
import { createTestMerchant } from '#test/support/processes.js';
import { makeFolder } from '#test/support/servers.js';
import { openShell, type Shell } from '#test/support/shell.js';
import { needProgram } from '#test/support/suite/programs.js';

const PAGE = 'docs/operations/platforms/systemd.md';
/** Mounts and processes that nobody else sees; all of them end with the shell. */
const APART = ['unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** Tenths of systemd-analyze's measure: 1.4 is what remains, above all the network. */
const MAX_EXPOSURE = 15;
const EXIT_CONFIGURATION = '78';

const root = findPackageRoot();
const blocks = new Map(readBlocks(PAGE).map(({ role, text }) => [role, text]));
const block = (role: string): string => {
  const text = blocks.get(role);
  if (text === undefined) throw new Error(`${PAGE} has no block "${role}"`);
  return text;
};

/** A shell in which the page's places are those of the test, and `systemctl` is that of a user manager. */
async function openManagedShell(t: Test, variables: Record<string, string>): Promise<Shell> {
  const folder = makeFolder(t);
  const group = `kasir-test-${process.pid}`;
  t.teardown(() => {
    for (const place of ['', 'systemd', 'unified'].map((name) => join('/sys/fs/cgroup', name))) {
      if (existsSync(join(place, group))) removeGroup(join(place, group));
    }
  });
  const nodeFolder = dirname(process.execPath);
  const units = [
    ...['DynamicUser=no', 'User='],
    ...['Output', 'Error'].map((stream) => `Standard${stream}=append:${folder}/%j-%i.log`),
    `Environment=PATH=${nodeFolder}:/usr/bin:/bin`,
    // A checkout may be in a place that the units hide.
    `BindReadOnlyPaths=${root} ${nodeFolder}`,
  ];
  const shell = openShell(t, {
    folder,
    prefix: APART,
    variables: { FOLDER: folder, GROUP: group, UNITS: units.join('\\n'), ...variables },
  });
  await shell.run(readFileSync(join(root, 'test/slow/ops/user-manager.sh'), 'utf8'));
  await shell.run(
    `mkdir -p /opt/kasir && ln -s '${root}' /opt/kasir/a && ln -s '${root}' /opt/kasir/b`,
  );
  return {
    run: (text) =>
      shell.run(text).catch(async (error: unknown) => {
        const logs = await shell.run(`tail -n 12 "$FOLDER"/*.log || true`);
        throw new Error(`${String(error)}\n${logs}`);
      }),
  };
}

/** A group of Linux' control groups is removed with the groups in it, once their processes have ended. */
function removeGroup(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) removeGroup(join(path, entry.name));
  }
  rmdirSync(path);
}

/** Ports of metrics that nobody else has. */
async function usePorts({ run }: Shell, letter: string): Promise<void> {
  for (const kind of KINDS) {
    const port = await findFreePort();
    await run(`echo METRICS_PORT=${port} > /etc/kasir/${kind}-${letter}.env`);
  }
}

async function readProperty({ run }: Shell, unit: string, name: string): Promise<string> {
  return (await run(`systemctl show -p ${name} --value ${unit}`)).trim();
}

/** kill -9, and until the unit serves again. */
const killAndWait = (unit: string): string => `
  old=$(systemctl show -p MainPID --value ${unit})
  kill -9 "$old"
  until [ "$(systemctl show -p MainPID --value ${unit})" != "$old" ] &&
    [ "$(systemctl is-active ${unit})" = active ]; do sleep 0.1; done`;

const listRunning = async (shell: Shell): Promise<readonly string[]> => {
  const listed = await shell.run(`systemctl list-units --state=active --plain 'kasir-*@*'`);
  return [...listed.matchAll(/^kasir-(\w+@\w)\.service/gm)].map(([, name = '']) => name).sort();
};

const LEFT_OUT = 'a manager in namespaces of its own needs root';
/** On a machine where this is not root, the tests of the units are left out, as those of pages without a browser. */
const options = process.getuid?.() === 0 ? {} : { skip: LEFT_OUT };
if (process.getuid?.() === 0) needProgram('systemd-analyze', 'systemd');

t.test('systemd takes the units, and finds little that they may do', options, async (t) => {
  const shell = await openManagedShell(t, {});
  await shell.run('mv /etc/systemd/system/kasir-@.service.d/test.conf /etc/systemd/test.conf');
  await shell.run('cp -r /opt/kasir/a/ops/deploy/systemd/. /etc/systemd/system');
  const units = KINDS.map((kind) => `kasir-${kind}@a.service`);
  const output = await shell.run(`systemd-analyze verify --man=no ${units.join(' ')}`);
  const own = output.split('\n').filter((line) => line.includes('kasir'));
  t.same(own, []);
  for (const unit of units) {
    const flags = `--no-pager --offline=yes --threshold=${MAX_EXPOSURE}`;
    const found = await shell.run(`systemd-analyze security ${flags} ${unit}`);
    t.match(found, /Overall exposure level/);
  }
});

t.test('from the first start to the next version and back', options, async (t) => {
  const ADMIN_URL = await startDebianPostgres(t);
  const { redis, loadUsers } = await startRedisForUsers(t);
  const { host, pathname } = new URL(ADMIN_URL);
  const copied = join(makeFolder(t), 'users.acl');
  const shell = await openManagedShell(t, {
    ADMIN_URL,
    POSTGRES: `postgres://${host}${pathname}`,
    REDIS: `redis://127.0.0.1:${redis.port}`,
  });
  const port = await findFreePort();
  await shell.run(block('settings'));
  await shell.run(
    `printf '%s\\n' ALLOW_INSECURE=redis,postgres PORT=${port} >> /etc/kasir/kasir.env`,
  );
  await usePorts(shell, 'a');
  await shell.run(`cp /etc/kasir/secrets/servers/users.acl ${copied}`);
  await loadUsers(copied);
  await shell.run(block('database'));
  const merchant = await createTestMerchant(ADMIN_URL);
  const api = openApi(`http://127.0.0.1:${port}`, merchant.testKey);
  const pay = async (what: string): Promise<void> => {
    const id = await waitUntil('a payment is created', async () => {
      const { status, body } = await api.create({ amount: '15000', payment_method: 'QRIS' });
      return status === 201 ? body['id'] : null;
    });
    await api.simulate(id, 'paid');
    await waitUntil('it is paid', async () => (await api.get(id)).body['status'] === 'paid');
    t.pass(`a payment is paid ${what}`);
  };

  await shell.run(block('units'));
  t.same(
    await listRunning(shell),
    KINDS.map((kind) => `${kind}@a`),
  );
  await pay('after the first start');
  t.match(await shell.run(block('administrator')), 'administrator admin@example.com');

  for (const kind of KINDS) {
    const unit = `kasir-${kind}@a`;
    const pid = await readProperty(shell, unit, 'MainPID');
    const environment = await shell.run(`tr '\\0' '\\n' < /proc/${pid}/environ`);
    t.match(environment, /^CREDENTIALS_DIRECTORY=/m);
    t.notMatch(
      environment,
      /^(?:\w+_KEY\w*|DATABASE_URL|REDIS_URL)=/m,
      `${kind} has no secret there`,
    );
    await shell.run(killAndWait(unit));
    t.equal(await readProperty(shell, unit, 'NRestarts'), '1', `${kind} was started again`);
  }
  await pay('after kill -9 of each process');

  await shell.run(block('ports'));
  await usePorts(shell, 'b');
  await shell.run(block('deploy'));
  t.same(
    await listRunning(shell),
    KINDS.map((kind) => `${kind}@b`),
  );
  await pay('by the next version');
  await shell.run(block('back'));
  t.same(
    await listRunning(shell),
    KINDS.map((kind) => `${kind}@a`),
  );
  await pay('by the version before');

  await shell.run('systemctl stop kasir-rails@a && echo PARTITIONS=7 >> /etc/kasir/rails-a.env');
  await shell.run('! systemctl start kasir-rails@a');
  t.equal(await readProperty(shell, 'kasir-rails@a', 'ExecMainStatus'), EXIT_CONFIGURATION);
  t.equal(await readProperty(shell, 'kasir-rails@a', 'ActiveState'), 'failed', 'and stays so');
});
