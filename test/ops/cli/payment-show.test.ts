// `kasir payment show`: one payment that met everything, in the order of time, without texts of a person.
import t from 'tap';
import { parsePaymentId } from '#actors/core/ids.js';
import { partitionFor } from '#actors/core/partition.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openRedis, waitUntilReady } from '#store/redis/client.js';
import { appendCommand, encodeSimulate } from '#test/support/actors/commands.js';
import { runKasir } from '#test/support/kasir.js';
import { startProcess, uniqueWord } from '#test/support/processes.js';
import { startRailService, startRails } from '#test/support/rails/service.js';
import { addEndpoint } from '#test/support/webhooks/outbox.js';
import { receiverVariables, startReceiver } from '#test/support/webhooks/receiver.js';

const CONNECT_MS = 10_000;
const PARTITIONS = 16;
const CUSTOMER = 'budi.santoso@example.com';

interface Entry {
  readonly at: string;
  readonly kind: string;
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
}

const receiver = await startReceiver(t);
const service = await startRailService(t, await receiverVariables(t));
const { live, sql, databaseUrl, redis, simulated } = service;
await startRails(service);
await startProcess(t, 'webhooks', service.variables);

const run = (...words: string[]) =>
  runKasir({ DATABASE_URL: databaseUrl, REDIS_URL: redis.url }, 'payment', 'show', ...words);

async function readStory(id: string): Promise<readonly Entry[]> {
  const { stdout, stderr } = await run(id, '--json');
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as { story: Entry[] }).story;
}

async function createPaid(): Promise<string> {
  const request = { amount: '25000', payment_method: 'QRIS', customer_email: CUSTOMER };
  const { body } = await live.create(request, uniqueWord());
  const id = String(body['id']);
  await simulated.control('POST', 'pay', { order_id: body['order_id'] });
  await waitUntil('it is paid', async () => (await service.statusOf(id)) === 'paid');
  return id;
}

t.test('a LIVE payment has its whole story', async (t) => {
  const [{ merchant_id: merchantId = '' } = {}] = await sql<{ merchant_id: string }[]>`
    select merchant_id from api_keys where environment = 'LIVE' order by created_at desc limit 1`;
  const endpoint = await addEndpoint(sql, merchantId, receiver.url);
  await sql`update webhook_endpoints set environment = 'LIVE' where id = ${endpoint.id}`;
  const id = await createPaid();
  const headers = { 'idempotency-key': uniqueWord() };
  const refunded = { payment_id: id, amount: '5000', reason: `for ${CUSTOMER}` };
  const refund = await live.call('/v1/refunds', { method: 'POST', body: refunded, headers });
  t.equal(refund.status, 201, refund.text);
  await sql`
    insert into quarantined_commands (partition, position_ms, position_seq, index, command, error)
    values (0, 1, 1, 0, ${JSON.stringify({ paymentId: id })}, 'a reason')`;
  const kinds = ['request', 'event', 'posting', 'rail call', 'callback', 'inquiry', 'delivery'];
  const story = await waitUntil('all has happened', async () => {
    const found = await readStory(id);
    const has = new Set(found.map(({ kind }) => kind));
    const isDone = found.some(({ subject }) => subject === 'refund_succeeded');
    const all = [...kinds, 'attempt', 'quarantined command'];
    return isDone && all.every((kind) => has.has(kind)) ? found : undefined;
  });
  const times = story.map(({ at }) => at);
  t.strictSame(times, [...times].sort(), 'in the order of time');
  const events = story.filter(({ kind }) => kind === 'event');
  t.strictSame(
    events.map(({ details }) => details['version']),
    events.map((_, index) => index + 1),
    'each version, also those that no merchant receives',
  );
  t.match(
    events.map(({ subject }) => subject),
    ['payment_created', 'attempt_accepted', 'payment_paid'],
  );
  const calls = story.filter(({ kind }) => kind === 'rail call');
  t.match(
    calls.map(({ details }) => details),
    [
      { operation: 'charge', state: 'answered', result: 'accepted' },
      { operation: 'refund', state: 'answered' },
    ],
  );
  const { code, stdout } = await run(id);
  t.equal(code, 0);
  t.match(stdout, /^status {10}paid$/m);
  t.match(stdout, / {2}posting .*debit=rail_clearing:midtrans:LIVE:IDR/);
  t.notMatch(stdout + JSON.stringify(story), /budi|qr_string|whsec|sk_live/, 'no text of a person');
});

t.test('commands that wait in the stream are in the story', async (t) => {
  const id = await createPaid();
  await Promise.all(service.payments.map((one) => one.stop()));
  const client = openRedis(redis.url, () => {});
  t.teardown(() => {
    client.disconnect();
  });
  await waitUntilReady(client, CONNECT_MS);
  const paymentId = parsePaymentId(id);
  if (paymentId === undefined) throw new Error(id);
  const text = encodeSimulate(paymentId, 'failed');
  await appendCommand(client, partitionFor(id, PARTITIONS), text);
  const story = await readStory(id);
  t.match(story.at(-1), { kind: 'waiting command', subject: 'simulate' });
});

t.test('a payment that does not exist is a problem', async (t) => {
  const { code, stderr } = await run(`pay_${'0'.repeat(26)}`);
  t.equal(code, 1);
  t.match(stderr, /no payment pay_0/);
  t.match(await run('pay_1'), { code: 2, stderr: /It must be the id of a payment/ });
});
