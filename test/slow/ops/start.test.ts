// `npm start` as a whole: real servers and processes in a folder of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import postgres from 'postgres';
import t, { type Test } from 'tap';
import { AS_ORDINARY_USER } from '#test/support/ordinary-user.js';
import { hasExited, waitForExit } from '#ops/dev/launch/program.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { runKasir } from '#test/support/kasir.js';
import { createDatabase, makeFolder, startRedis, type TestScope } from '#test/support/servers.js';
import { isSignatureRight } from '#test/support/webhooks/verify.js';

const UP_MS = 90_000;

interface Demo {
  base_url: string;
  metrics: Record<string, number>;
  merchant: { id: string; email: string; password: string };
  admin: { email: string; password: string };
  second_admin: { email: string; password: string };
  keys: { test: string; live: string };
  callbacks: { midtrans: string; xendit: string };
  rail_simulator: string;
  webhook: { id: string; url: string; secret: string; received: string };
}

interface Start {
  readonly child: ChildProcess;
  readonly dataDir: string;
  output(): string;
  demo(): Promise<Demo>;
  /** The process ids of what it runs, by name. */
  pids(): Record<string, number>;
}

/** In a process group of its own, as a terminal does it, so that the group can be sent a signal. */
function start(
  t: TestScope,
  variables: Record<string, string>,
  before: readonly string[] = [],
): Start {
  const dataDir = variables['DATA_DIR'] ?? '';
  const program = join(findPackageRoot(), 'dist/bundle/start/main.js');
  const [command = '', ...args] = [...before, process.execPath, program];
  const child = spawn(command, args, {
    detached: true,
    env: { PATH: process.env['PATH'], ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  t.teardown(async () => {
    child.kill('SIGTERM');
    await waitForExit(child);
  });
  const demoFile = join(dataDir, 'demo.json');
  return {
    child,
    dataDir,
    output: () => output,
    demo: async () => {
      await waitUntil(
        'demo.json is written',
        () => {
          if (hasExited(child)) throw new Error(output);
          return existsSync(demoFile) && output.includes('Ctrl-C');
        },
        UP_MS,
      );
      return JSON.parse(readFileSync(demoFile, 'utf8')) as Demo;
    },
    pids: () => {
      const text = readFileSync(join(dataDir, 'processes.json'), 'utf8');
      const { children } = JSON.parse(text) as { children: { name: string; pid: number }[] };
      return Object.fromEntries(children.map(({ name, pid }) => [name, pid]));
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    // A zombie has ended; only its new parent has not noticed yet.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

async function isReady(demo: Demo): Promise<boolean> {
  return (await fetch(`${demo.base_url}/readyz`)).status === 200;
}

/** A payment is paid, and the demo receiver has it, signed. */
async function expectWebhook(t: Test, demo: Demo): Promise<void> {
  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const headers = {
      authorization: `Bearer ${demo.keys.test}`,
      'content-type': 'application/json',
    };
    const wish = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await (await fetch(demo.base_url + path, wish)).json()) as { id: string };
  };
  const { id } = await post('/v1/payments', { amount: '150000' });
  await post(`/v1/sandbox/payments/${id}/simulate`, { outcome: 'paid' });
  const line = await waitUntil('the demo receiver has it', () => {
    return readFileSync(demo.webhook.received, 'utf8')
      .split('\n')
      .find((text) => text.includes(id));
  });
  const { at, headers, body } = JSON.parse(line) as Record<string, unknown>;
  t.match({ at, body }, { at: /^\d{4}-/, body: /"type":"payment.paid"/ });
  const signed = headers as Record<string, string>;
  t.ok(isSignatureRight(signed, Buffer.from(String(body)), demo.webhook.secret));
}

async function logIn(demo: Demo, { email, password }: Demo['admin']): Promise<unknown> {
  const answer = await fetch(`${demo.base_url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  return answer.json();
}

/** As in docs/rail-simulator.md: the administrator approves what the demo merchant has submitted, and enables LIVE. */
async function goLive(t: Test, demo: Demo): Promise<void> {
  t.equal(await createPayment(demo, demo.keys.live), 400, 'not approved yet');
  const { token } = (await logIn(demo, demo.admin)) as { token: string };
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${demo.base_url}/v1/admin/merchants/${demo.merchant.id}/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  t.equal((await post('verification', { status: 'APPROVED' })).status, 200);
  t.equal((await post('live', { enabled: true })).status, 200);
  const made = await waitUntil('LIVE payments are taken', async () => {
    const status = await createPayment(demo, demo.keys.live);
    return status === 400 ? null : status;
  });
  t.equal(made, 201, 'at the simulated rail');
}

async function createPayment(demo: Demo, key = demo.keys.test): Promise<number> {
  const answer = await fetch(`${demo.base_url}/v1/payments`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({ amount: '150000', payment_method: 'QRIS' }),
  });
  return answer.status;
}

t.test('start, work, death of every part, Ctrl-C, start again', async (t) => {
  const variables = { DATA_DIR: makeFolder(t), PORT: String(await findFreePort()) };
  const first = start(t, variables);
  const demo = await first.demo();
  t.equal(statSync(join(first.dataDir, 'demo.json')).mode & 0o777, 0o600);
  t.equal(demo.base_url, `http://localhost:${variables.PORT}`);
  t.equal(await createPayment(demo), 201);
  for (const port of Object.values(demo.metrics)) {
    t.equal((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 200);
  }
  await expectWebhook(t, demo);
  const page = await (await fetch(demo.rail_simulator)).text();
  t.match(page, 'Rail simulator', 'rails are simulated where none is configured');
  t.match(demo.callbacks.midtrans, `${demo.base_url}/v1/rails/`);
  t.match(await logIn(demo, demo.merchant), { merchant: { id: demo.merchant.id } });
  for (const login of [demo.admin, demo.second_admin]) {
    t.match(await logIn(demo, login), { user: { role: 'admin' }, merchant: null });
  }
  await goLive(t, demo);
  const dlq = await runKasir({ DATA_DIR: variables.DATA_DIR }, 'dlq', 'list');
  t.strictSame(dlq, { code: 0, stdout: '', stderr: 'no dead letters\n' }, 'no address is needed');
  const names = Object.keys(first.pids());
  t.ok(names.includes('gateway') && names.includes('payments'));
  for (const name of names) {
    const before = first.pids()[name] ?? 0;
    process.kill(before, 'SIGKILL');
    await waitUntil(`${name} is back`, async () => {
      return (
        first.pids()[name] !== before &&
        (await isReady(demo)) &&
        (await createPayment(demo)) === 201
      );
    });
    t.pass(`${name} came back`);
  }
  const pids = Object.values(first.pids());
  // A terminal sends Ctrl-C to the whole group, and npm sends it on once more.
  process.kill(-(first.child.pid ?? 0), 'SIGINT');
  first.child.kill('SIGINT');
  await waitForExit(first.child);
  t.equal(first.child.exitCode, 0);
  t.same(pids.filter(isAlive), [], 'no process is left');
  t.notOk(existsSync(join(first.dataDir, 'demo.json')));
  t.notOk(existsSync(join(first.dataDir, 'processes.json')));

  const second = start(t, variables);
  const again = await second.demo();
  t.same(again.keys, demo.keys, 'the data is used again');
  t.match(await logIn(again, demo.merchant), { token: /^cs_/ });
  t.same(again.webhook, demo.webhook);
  await expectWebhook(t, again);
  second.child.kill('SIGKILL');
  await waitForExit(second.child);
  const third = start(t, variables);
  t.equal(await createPayment(await third.demo()), 201, 'after kill -9 of the start itself');
});

t.test('servers that are given are used, and not started', async (t) => {
  const redis = await startRedis(t);
  const database = await createDatabase(t);
  const run = start(t, {
    DATA_DIR: makeFolder(t),
    PORT: String(await findFreePort()),
    REDIS_URL: redis.url,
    DATABASE_URL: database,
  });
  t.equal(await createPayment(await run.demo()), 201);
  t.notOk('redis' in run.pids() || 'postgres' in run.pids());
});

t.test('a start that cannot work prints one line', async (t) => {
  const port = await findFreePort();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  t.teardown(() => other.close());
  const cases: [Record<string, string>, RegExp][] = [
    [{ PORT: String(port) }, new RegExp(`PORT ${port} is in use`)],
    [{ PORT: '70000', LEASE_MS: 'x' }, /PORT must be[^]*LEASE_MS must be/],
    [
      { NODE_ENV: 'production', BASE_URL: 'https://pay.example.com' },
      /npm start is for development/,
    ],
  ];
  for (const [variables, message] of cases) {
    const run = start(t, { DATA_DIR: makeFolder(t), ...variables });
    await waitForExit(run.child);
    t.equal(run.child.exitCode, 1);
    t.match(run.output(), message);
    t.notMatch(run.output(), / {4}at /, 'no stack');
  }
});

t.test('a start without the rights for its port or its folder names the variable', async (t) => {
  const closed = join(makeFolder(t), 'closed');
  mkdirSync(closed, { mode: 0o555 });
  const taken = join(makeFolder(t), 'file');
  writeFileSync(taken, '');
  const locked = makeFolder(t);
  writeFileSync(join(locked, 'secrets.json'), '{}', { mode: 0o000 });
  const PORT = String(await findFreePort());
  const cases: [Record<string, string>, RegExp][] = [
    [{ PORT: '80', DATA_DIR: makeFolder(t) }, /PORT 80 is reserved .*Set PORT to 1024 or above/],
    [{ PORT, DATA_DIR: closed }, /DATA_DIR \S+closed cannot be used \(EACCES.*set DATA_DIR/],
    [{ PORT, DATA_DIR: join(closed, 'below') }, /DATA_DIR \S+below cannot be used \(EACCES/],
    [{ PORT, DATA_DIR: taken }, /DATA_DIR \S+file cannot be used \(EEXIST/],
    [{ PORT, DATA_DIR: locked }, /DATA_DIR \S+ cannot be used \(EACCES.*secrets\.json/],
  ];
  for (const [variables, message] of cases) {
    const run = start(t, variables, AS_ORDINARY_USER);
    await waitForExit(run.child);
    t.equal(run.child.exitCode, 1);
    t.match(run.output(), message);
    t.notMatch(run.output(), / {4}at /, 'no stack');
  }
});

t.test('start on a database of before 0.1.0 says what to do, without a stack', async (t) => {
  const redis = await startRedis(t);
  const database = await createDatabase(t);
  const sql = postgres(database, { max: 1 });
  await sql`create table schema_migrations as select '0029_unknown_calls.sql' as name`;
  await sql.end({ timeout: 1 });
  const run = start(t, {
    DATA_DIR: makeFolder(t),
    PORT: String(await findFreePort()),
    REDIS_URL: redis.url,
    DATABASE_URL: database,
  });
  await waitForExit(run.child);
  t.equal(run.child.exitCode, 1);
  t.match(run.output(), /0029_unknown_calls\.sql[^]*empty database[^]*delete the folder DATA_DIR/);
  t.notMatch(run.output(), / {4}at /, 'no stack');
});
