// Every example of the guides runs as it is shown, in the order of the guides, against one service with one merchant. So no
// two examples share an idempotency key either.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { GUIDE_NAMES } from '#gateway/docs/guides.js';
import { openApi } from '#test/support/api.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { MAGIC_AMOUNTS } from '#actors/core/rails/sandbox.js';
import { needProgram } from '#test/support/suite/programs.js';
import { startProcess } from '#test/support/processes.js';
import { BASE_URL, startServingService } from '#test/support/serving.js';
import { makeFolder } from '#test/support/servers.js';
import { receiverVariables, startReceiver } from '#test/support/webhooks/receiver.js';
import {
  type GuideBlock,
  listAllBlocks,
  listBlocks,
  listDifferences,
} from '#test/gateway/docs/guide-blocks.js';

const BLOCK_MS = 60_000;
const PROGRAMS = {
  sh: { command: '/bin/sh', file: 'example.sh' },
  js: { command: process.execPath, file: 'example.mjs' },
  php: { command: needProgram('php', 'php-cli'), file: 'example.php' },
  python: { command: needProgram('python3', 'python3'), file: 'example.py' },
};
/** Blocks that no test here runs: their programs are run by another test, or run until they are stopped. */
const NOT_RUN = ['npx kasir listen', 'npx openapi-typescript', 'npx @hey-api/openapi-ts'];

const receiver = await startReceiver(t);
const service = await startServingService(t, { variables: await receiverVariables(t) });
const { baseUrl, merchant, api } = service;
await Promise.all([
  startProcess(t, 'webhooks', service.variables),
  startProcess(t, 'rails', service.variables),
]);
const SHOWN_URL = 'http://localhost:8080';
/** In front of the body that `curl -i` writes. */
const HEAD = /^HTTP[^]*?\r\n\r\n/;

/** Readers put these in themselves. */
const PLACEHOLDERS: readonly (readonly [string, string])[] = [
  ['sk_test_…', merchant.testKey],
  [SHOWN_URL, baseUrl],
  ['owner@shop.example', merchant.owner.email],
  ['your-password', merchant.owner.password],
  ['https://shop.example/webhooks', receiver.url],
];

const fillIn = (text: string): string =>
  PLACEHOLDERS.reduce((filled, [shown, own]) => filled.replaceAll(shown, own), text);

interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

async function run(
  command: string,
  args: readonly string[],
  { folder, path = '' }: { readonly folder: string; readonly path?: string },
): Promise<Ran> {
  const env = {
    PATH: `${path}:${process.env['PATH'] ?? ''}`,
    API: baseUrl,
    KEY: merchant.testKey,
    LIVE_KEY: merchant.liveKey,
  };
  const child = spawn(command, args, { cwd: folder, env, timeout: BLOCK_MS });
  const [output, errors]: [string[], string[]] = [[], []];
  child.stdout.on('data', (text) => output.push(String(text)));
  child.stderr.on('data', (text) => errors.push(String(text)));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code, output: output.join(''), errors: errors.join('') });
    });
  });
}

/** A `curl` that notes the status and the body of the last answer in the folder `$BLOCK`. */
function makeCurl(folder: string): string {
  const curl = needProgram('curl', 'curl');
  mkdirSync(join(folder, 'bin'));
  const text = `#!/bin/sh
mkdir -p "$BLOCK"
"${curl}" --max-time 30 -o "$BLOCK/body" -w '%{http_code}' "$@" > "$BLOCK/status" || exit
cat "$BLOCK/body"
`;
  writeFileSync(join(folder, 'bin/curl'), text);
  chmodSync(join(folder, 'bin/curl'), 0o755);
  return join(folder, 'bin');
}

/** One shell runs all shell blocks of a guide. A block that fails ends it. */
async function runShell(guide: string): Promise<{ ran: Ran; folder: string }> {
  const folder = makeFolder(t);
  const blocks = listBlocks(guide).flatMap(({ language, role, text }, index) =>
    language === 'sh' && role === 'example' ? [`export BLOCK=${index}\n${fillIn(text)}`] : [],
  );
  writeFileSync(join(folder, PROGRAMS.sh.file), ['set -eu', ...blocks].join('\n'));
  const path = makeCurl(folder);
  return { ran: await run(PROGRAMS.sh.command, [PROGRAMS.sh.file], { folder, path }), folder };
}

/** The block that an answer belongs to. */
function findExample(blocks: readonly GuideBlock[], index: number): number {
  return blocks.findLastIndex((block, at) => at < index && block.role === 'example');
}

for (const guide of GUIDE_NAMES) {
  const blocks = listBlocks(guide);
  t.test(`the shell examples of ${guide} run in sequence and answer as shown`, async (t) => {
    const { ran, folder } = await runShell(guide);
    t.equal(ran.code, 0, ran.errors + ran.output);
    const answered = new Set<number>();
    for (const [index, { role, status, text }] of blocks.entries()) {
      if (role !== 'answer') continue;
      const example = findExample(blocks, index);
      answered.add(example);
      const read = (name: string): string =>
        readFileSync(join(folder, String(example), name), 'utf8');
      const body = read('body').replace(HEAD, '');
      t.equal(read('status'), String(status), `${blocks[example]?.text} ${body}`);
      const expected: unknown = JSON.parse(text.replaceAll(SHOWN_URL, BASE_URL));
      t.strictSame(listDifferences(expected, JSON.parse(body)), [], body);
    }
    for (const [index, { language, role }] of blocks.entries()) {
      const status = join(folder, String(index), 'status');
      if (language !== 'sh' || role !== 'example' || answered.has(index)) continue;
      if (existsSync(status)) t.match(readFileSync(status, 'utf8'), /^20[01]$/, `block ${index}`);
    }
  });

  for (const { language, role, text } of blocks) {
    if (role !== 'example' || language === 'sh') continue;
    const { command, file } = PROGRAMS[language as keyof typeof PROGRAMS];
    t.test(
      `the ${language} example of ${guide} prints the address of a new checkout`,
      async (t) => {
        const folder = makeFolder(t);
        writeFileSync(join(folder, file), fillIn(text));
        const { code, output, errors } = await run(command, [file], { folder });
        t.equal(code, 0, errors);
        const [, id] = /\/checkout\/(pay_\w+)\n$/.exec(output) ?? [];
        t.match((await api.get(id)).body, { status: 'pending', amount: '150000' }, output);
      },
    );
  }
}

t.test('a repeat of the guide about idempotency is replayed', async (t) => {
  const { ran } = await runShell('idempotency');
  t.match(ran.output, /Idempotent-Replayed: true/i);
});

t.test('the endpoint of the guide about webhooks receives the payment of the guide', async (t) => {
  const [event] = listBlocks('webhooks').filter(({ role }) => role === 'event');
  const received = await waitUntil('the webhook', () =>
    receiver.received.find(({ body }) => body.toString().includes('order-41')),
  );
  const found: unknown = JSON.parse(received.body.toString());
  t.strictSame(listDifferences(JSON.parse(event?.text ?? ''), found), [], received.body.toString());
});

t.test('every block of a programming language is run by a test', (t) => {
  const left = listAllBlocks().filter(
    ({ language, role }) => language in PROGRAMS && !['example', 'receiver'].includes(role),
  );
  t.strictSame(
    left.filter(({ text }) => !NOT_RUN.some((program) => text.startsWith(program))),
    [],
  );
  t.ok(listAllBlocks().filter(({ role }) => role === 'example').length > 25);
  t.end();
});

interface MagicRow {
  readonly amount: string;
  readonly status: string;
  readonly failureCode: string;
  readonly effect: string;
}

function readMagicRows(): readonly MagicRow[] {
  const [, table = ''] =
    /\| Amount \|[^\n]*\n[^\n]*\n([^]*?)\n\n/.exec(
      readFileSync(join(process.cwd(), 'docs/guides/testing.md'), 'utf8'),
    ) ?? [];
  return table.split('\n').map((row) => {
    const [, amount = '', status = '', failureCode = '', effect = ''] = row
      .split('|')
      .map((cell) => cell.replaceAll('`', '').trim());
    return { amount, status, failureCode, effect };
  });
}

t.test('the table of magic amounts is that of the sandbox', (t) => {
  const behaviours: Record<string, RegExp> = {
    fails: /^The payment fails$/,
    pays: /^The payment is paid$/,
    expires: /^The payment expires$/,
    pays_and_refunds_by_hand: /^The payment is paid; a refund of it is MANUAL_REQUIRED$/,
    expires_then_pays: /^The payment expires, and is then paid with late: true$/,
    pays_then_reverses: /^The payment is paid, and the money is then taken back$/,
  };
  const rows = readMagicRows();
  t.strictSame(
    rows.map(({ amount }) => amount),
    [...MAGIC_AMOUNTS.keys()].map(String),
  );
  for (const { amount, effect } of rows) {
    t.match(effect, behaviours[MAGIC_AMOUNTS.get(BigInt(amount)) ?? ''] ?? /^$/, amount);
  }
  t.end();
});

t.test('each magic amount ends as the table says', async (t) => {
  for (const { amount, status, failureCode, effect } of readMagicRows()) {
    const { id } = (await api.create({ amount, payment_method: 'QRIS' })).body;
    const isLate = effect.includes('late');
    const expected = { status, failure_code: failureCode || null, late: isLate };
    await waitUntil(`the payment of ${amount}`, async () => {
      const { body } = await api.get(id);
      return Object.entries(expected).every(([name, value]) => body[name] === value);
    });
    if (!effect.includes('MANUAL_REQUIRED')) continue;
    const refunds = openApi(baseUrl, merchant.testKey);
    const refund = await refunds.call('/v1/refunds', { method: 'POST', body: { payment_id: id } });
    t.match(refund.body, { status: 'MANUAL_REQUIRED' });
  }
});
