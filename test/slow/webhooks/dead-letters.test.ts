// How deliveries die (the schedule's end, 410, refused targets, inactive endpoints), and how operators list and replay
// them.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { buildDeadKey } from '#store/redis/keys.js';
import { findDeliveryPartition } from '#store/redis/webhooks/delivery-partitions.js';
import { runKasir } from '#test/support/kasir.js';
import { addEndpoint, countDeliveries } from '#test/support/webhooks/outbox.js';
import { answerWith } from '#test/support/webhooks/receiver.js';
import { startWebhookStage } from '#test/support/webhooks/stage.js';

const stage = await startWebhookStage(t, { variables: { WEBHOOK_RETRY_SCHEDULE: '1,1' } });
const { sql, receiver } = stage;

interface Run {
  readonly code: number;
  readonly output: string;
}

async function dlq(...args: string[]): Promise<Run> {
  const variables = { DATABASE_URL: stage.databaseUrl };
  const { code, stdout, stderr } = await runKasir(variables, 'dlq', ...args);
  return { code, output: stdout + stderr };
}

interface Delivery {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly reason: string | null;
}

async function findByEvent(eventId: string | undefined): Promise<Delivery | undefined> {
  const rows = await sql<Delivery[]>`
    select id, status, attempts, reason from webhook_deliveries where event_id = ${eventId ?? ''}`;
  return rows[0];
}

const waitUntilDead = (eventId: string | undefined): Promise<Delivery> =>
  waitUntil('it is dead', async () => {
    const delivery = await findByEvent(eventId);
    return delivery?.status === 'dead' ? delivery : null;
  });

t.afterEach(() => {
  receiver.behave(answerWith(200));
});

t.test(
  'a delivery that fails at every step of the schedule is dead, on the stream too',
  async (t) => {
    receiver.behave(answerWith(405));
    const [eventId] = await stage.emit(1);
    t.match(await waitUntilDead(eventId), { attempts: 3, reason: 'http_405' });
    const tries = receiver.received.filter(({ id }) => id === eventId);
    t.equal(tries.length, 3);
    t.strictSame(
      tries.map(({ headers }) => headers['x-service-delivery-attempt']),
      ['1', '2', '3'],
    );
    t.equal(new Set(tries.map(({ body }) => body.toString())).size, 1, 'the same bytes each time');
    const partition = findDeliveryPartition(stage.endpoint.id);
    await waitUntil('it is on the stream', async () => {
      return (await stage.redisClient.xlen(buildDeadKey(partition))) === 1;
    });
  },
);

t.test('a delivery that is answered 410 is dead at once', async (t) => {
  receiver.behave(answerWith(410));
  const [eventId] = await stage.emit(1);
  t.match(await waitUntilDead(eventId), { attempts: 1, reason: 'http_410' });
});

t.test('a dead letter is listed and shown, and its replay delivers the same event', async (t) => {
  receiver.behave(answerWith(401));
  const [eventId] = await stage.emit(1);
  const { id } = await waitUntilDead(eventId);
  const list = await dlq('list', '--endpoint', stage.endpoint.id);
  t.equal(list.code, 0);
  t.match(list.output, new RegExp(`${id} .* http_401 `));
  t.match((await dlq('list', '--merchant', 'mer_other')).output, /no dead letters/);
  const variables = { DATABASE_URL: stage.databaseUrl };
  const json = await runKasir(variables, 'dlq', 'list', '--json', '--limit', '1');
  t.match(JSON.parse(json.stdout), [{ id, eventId, reason: 'http_401' }]);
  const shown = await dlq('show', id);
  t.match(shown.output, /refused the signature: a wrong or duplicate secret/);
  t.match(shown.output, /attempt 3 .* 401 http_401/);
  t.notMatch(shown.output, /whsec_|v1\./, 'no secret');

  receiver.behave(answerWith(200));
  const before = receiver.received.length;
  t.match(await dlq('replay', id), { code: 0 });
  await waitUntil('it is delivered', async () => {
    return (await findByEvent(eventId))?.status === 'delivered';
  });
  const [again, ...more] = receiver.received.slice(before);
  t.equal(more.length, 0);
  t.equal(again?.id, eventId, 'with the same id');
  t.equal(again?.headers['x-service-delivery-attempt'], '4');
  t.match(await dlq('replay', id), { code: 1, output: /no dead letter/ });
});

t.test('stats, previews and drops cover the dead letters of their filter', async (t) => {
  receiver.behave(answerWith(410));
  const events = await stage.emit(2, 'payment.cancelled');
  const ids = await Promise.all(events.map(async (eventId) => (await waitUntilDead(eventId)).id));
  const only = ['--type', 'payment.cancelled'];
  const stats = await dlq('stats', ...only, '--json');
  t.match(JSON.parse(stats.output), [
    { count: 2, reason: 'http_410', endpointId: stage.endpoint.id },
  ]);
  t.match(await dlq('stats', ...only), { code: 0, output: /2 {2}payment.cancelled {2}http_410/ });
  t.match(await dlq('replay', '--all', ...only, '--dry-run'), { output: /^2 would be replayed/ });
  t.match(await dlq('replay', ids[0] ?? '', '--dry-run'), { output: /would be replayed/ });
  t.match(await dlq('drop', ids[0] ?? '', '--dry-run', '--json'), { output: /would be dropped/ });
  t.match(await dlq('drop', ids[0] ?? '', 'del_none'), { code: 1, output: /del_none {2}no dead/ });
  t.match(await dlq('drop', '--all', ...only, '--dry-run'), { output: /^1 would be dropped/ });
  t.match(await dlq('drop', '--all', ...only, '--json'), { code: 0, output: /"count":1,/ });
  t.match(await dlq('list', ...only), { output: /no dead letters/ });
  const rows = await sql`select actor from audit_log where action = 'webhooks.drop'`;
  t.equal(rows.length, 2);
  t.match(rows[0], { actor: /^operator / });
});

t.test('a replay of all delivers every dead letter of its filter', async (t) => {
  receiver.behave(answerWith(410));
  const ids = await stage.emit(5, 'payment.refunded');
  for (const eventId of ids) await waitUntilDead(eventId);
  receiver.behave(answerWith(200));
  t.match(await dlq('replay', '--all', '--type', 'payment.refunded'), { code: 0 });
  await waitUntil('they are delivered', async () => {
    const found = await Promise.all(ids.map(findByEvent));
    return found.every((delivery) => delivery?.status === 'delivered');
  });
  t.ok((await countDeliveries(sql))['dead'], 'other dead letters stay dead');
});

t.test('wrong calls', async (t) => {
  for (const words of [
    [],
    ['burn'],
    ['replay'],
    ['replay', 'x', '--all'],
    ['list', '--limit', '0'],
    ['list', '--reason', 'bad_luck'],
    ['list', '--from', 'yesterday'],
    ['stats', '--all'],
    ['drop', 'x', '--with-pending'],
    ['replay', 'x', '--with-pending'],
    ['drop', 'x', '--type', 'payment.paid'],
  ]) {
    t.match(await dlq(...words), {
      code: 2,
      output: /^Usage: kasir dlq|^error: .*\n\(kasir dlq.* --help explains what is allowed\)/,
    });
  }
  t.match(await dlq('show', 'del_none'), { code: 1 });
});

t.test(
  'deliveries to a refused target or an inactive endpoint are dead at once, without a request',
  async (t) => {
    const refused = await addEndpoint(sql, stage.merchantId, 'https://10.0.0.1/hook', [
      'payment.failed',
    ]);
    const inactive = await addEndpoint(sql, stage.merchantId, receiver.url, ['payment.cancelled']);
    await sql`update webhook_endpoints set events = '{payment.paid}' where id = ${stage.endpoint.id}`;
    const [first] = await stage.emit(1, 'payment.failed');
    t.match(await waitUntilDead(first), { attempts: 1, reason: 'target_refused' });
    const before = receiver.received.length;
    receiver.behave(answerWith(503));
    const [second] = await stage.emit(1, 'payment.cancelled');
    await waitUntil('it failed once', () => receiver.received.length > before);
    await sql`update webhook_endpoints set active = false where id = ${inactive.id}`;
    t.match(await waitUntilDead(second), { attempts: 1, reason: 'http_status' }, 'as it was');
    t.equal(receiver.received.length, before + 1);
    t.ok(refused.id);
  },
);
