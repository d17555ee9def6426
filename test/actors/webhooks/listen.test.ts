// `kasir listen` against a running service: events of the TEST account come to this machine, signed.
import { spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { createReceiver, type WebhookEvent } from '#examples/receiver.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { KASIR } from '#test/support/kasir.js';
import { useService } from '#test/support/standing/service.js';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

const service = await useService();
const events: WebhookEvent[] = [];
const receiver = createReceiver({
  secret: SECRET,
  store: (event) => Promise.resolve(void events.push(event)),
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
t.teardown(() => new Promise((resolve) => receiver.close(resolve)));
const { port } = receiver.address() as AddressInfo;

function listen(...words: string[]) {
  const env = { PATH: process.env['PATH'], DATA_DIR: '/nonexistent' };
  const child = spawn(process.execPath, [KASIR, 'listen', ...words], { env, stdio: 'pipe' });
  const run = { output: '', code: null as number | null };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (run.output += chunk.toString()));
  }
  child.on('exit', (code) => (run.code = code));
  t.teardown(() => child.kill());
  return run;
}

const baseUrl = service.gateways[0]?.baseUrl ?? '';
const FORWARD = ['--forward-to', `http://localhost:${port}/hook`];

t.test('listen forwards each new event once, with a valid signature', async (t) => {
  const create = async () => String((await service.api.create({ amount: '15000' })).body['id']);
  const before = await create();
  await service.api.simulate(before, 'paid');
  const { testKey } = service.merchant;
  const run = listen(...FORWARD, '--key', testKey, '--base-url', baseUrl, '--secret', SECRET);
  await waitUntil('it listens', () => run.output.includes('listening'));
  const [paid, failed] = [await create(), await create()];
  await service.api.simulate(paid, 'paid');
  await service.api.simulate(failed, 'failed');
  await waitUntil('they have come', () => events.length >= 2);
  t.strictSame(
    events.map(({ type, data }) => [type, data['id']]),
    [
      ['payment.paid', paid],
      ['payment.failed', failed],
    ],
  );
  await waitUntil('it says so', () => / payment.failed {2}evt_\w+ {2}200/.test(run.output));
  t.notOk(run.output.includes(before), 'no earlier event');
});

t.test(
  'listen with another machine, a LIVE or unknown key, or a missing option fails',
  async (t) => {
    const key = ['--key', 'sk_test_x', '--base-url', baseUrl];
    const calls: readonly (readonly [string[], number])[] = [
      [[], 2],
      [key, 2],
      [['--forward-to', 'http://10.0.0.1/', ...key], 2],
      [['--forward-to', 'http://localhost.evil.example/', ...key], 2],
      [[...FORWARD, '--key', 'sk_live_x', '--base-url', baseUrl], 2],
      [FORWARD, 2],
      [[...FORWARD, ...key], 1],
    ];
    for (const [words, code] of calls) {
      const run = listen(...words);
      await waitUntil('it ends', () => run.code !== null);
      t.equal(run.code, code, words.join(' '));
    }
  },
);
