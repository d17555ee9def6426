// The commands of docs/operations/deploy.md, in their order, in one shell, while requests go on. Old and new version are this
// build, and each request has a connection of its own. Linux may reset one that waits in the queue of the port that closes, as the
// page says: its sender repeats it with its key. No connection is refused, and nothing else than success is answered.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Agent, request } from 'undici';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { createTestMerchant, TEST_KEYS, uniqueWord } from '#test/support/processes.js';
import { createDatabase, makeFolder, startRedis } from '#test/support/servers.js';
import { openShell } from '#test/support/shell.js';

const KINDS = ['gateway', 'payments', 'rails', 'webhooks'];
const SETS = ['a', 'b'];
const SENDERS = 4;
const MIN_ANSWERS = 100;
const RESET = /ECONNRESET|other side closed/;

const root = findPackageRoot();
const page = readFileSync(join(root, 'docs/operations/deploy.md'), 'utf8');
const fences = [...page.matchAll(/^```(\w*)\n([^]*?)^```$/gm)];
const blocks = fences.map(([, , text = '']) => text);

/** All processes that the shell has started and not stopped end with the test. */
function endStarted(t: Test, folder: string): void {
  t.teardown(() => {
    for (const name of readdirSync(folder).filter((file) => file.endsWith('.pid'))) {
      try {
        process.kill(Number(readFileSync(join(folder, name), 'utf8')), 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
  });
}

/** Sends creates until `stop` resolves, and counts what was answered, or how it failed. */
function startLoad(baseUrl: string, key: string) {
  const dispatcher = new Agent({ pipelining: 0 });
  const counts = new Map<string, number>();
  let isOver = false;
  const send = async (idempotencyKey: string): Promise<string> => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    };
    const body = JSON.stringify({ amount: '15000' });
    const sent = { method: 'POST', headers, body, dispatcher } as const;
    try {
      const answer = await request(`${baseUrl}/v1/payments`, sent);
      await answer.body.dump();
      return String(answer.statusCode);
    } catch (error) {
      return String(error);
    }
  };
  const count = (outcome: string): void => {
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  };
  const work = async (): Promise<void> => {
    while (!isOver) {
      const idempotencyKey = uniqueWord();
      const outcome = await send(idempotencyKey);
      if (RESET.test(outcome)) {
        count('reset');
        count(await send(idempotencyKey));
      } else count(outcome);
    }
  };
  const senders = Array.from({ length: SENDERS }, work);
  return {
    counts,
    stop: async () => {
      isOver = true;
      await Promise.all(senders);
    },
  };
}

t.test('every fenced block of the page is a list of commands', (t) => {
  t.equal(blocks.length, 5);
  t.same([...new Set(fences.map(([, language]) => language))], ['sh']);
  t.end();
});

t.test('a new version and the way back cost no create', async (t) => {
  const folder = makeFolder(t);
  const redis = await startRedis(t);
  const DATABASE_URL = await createDatabase(t);
  const merchant = await createTestMerchant(DATABASE_URL);
  const PORT = String(await findFreePort());
  const BASE_URL = `http://127.0.0.1:${PORT}`;
  const limits = { RATE_LIMIT_KEY: '0', CONNECTIONS_PER_ADDRESS: '0', RAIL_BUDGETS: 'inquiry=0' };
  const variables = { REDIS_URL: redis.url, DATABASE_URL, BASE_URL, PORT, ...TEST_KEYS, ...limits };
  for (const name of KINDS.flatMap((kind) => SETS.map((set) => `${kind}-${set}`))) {
    const own = { ...variables, PORT_SHARED: '1', METRICS_PORT: String(await findFreePort()) };
    const lines = Object.entries(own).map(([variable, value]) => `${variable}='${value}'`);
    writeFileSync(join(folder, `${name}.env`), `${lines.join('\n')}\n`, { mode: 0o600 });
  }
  endStarted(t, folder);
  const shell = openShell(t, { folder, variables: { OLD: root, NEW: root, BASE_URL } });
  const [functions = '', first = '', deploy = '', look = '', back = ''] = blocks;
  await shell.run(functions);
  await shell.run(first);
  await waitUntil('every process says that it is ready', async () => {
    const { statusCode, body } = await request(`${BASE_URL}/v1/payments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${merchant.testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ amount: '15000' }),
    });
    await body.dump();
    return statusCode === 201;
  });
  const load = startLoad(BASE_URL, merchant.testKey);
  t.teardown(() => load.stop());
  const answers = (): number => load.counts.get('201') ?? 0;
  for (const block of [deploy, look, back, look]) {
    const before = answers();
    await shell.run(block);
    await waitUntil('requests are answered after it', () => answers() >= before + MIN_ANSWERS);
  }
  await load.stop();
  const {
    201: created = 0,
    200: repeated = 0,
    reset = 0,
    ...others
  } = Object.fromEntries(load.counts);
  t.comment(`${created} creates, ${reset} connections reset, ${repeated} of them after the create`);
  t.same(others, {}, 'no connection was refused, and no answer was an error');
  for (const kind of KINDS) {
    t.ok(existsSync(join(folder, `${kind}-b.pid`)), `${kind} was replaced`);
    const log = readFileSync(join(folder, `${kind}-b.log`), 'utf8');
    t.match(log, /"clean":true.*"msg":"stopped"/, 'and has finished its work');
  }
});
