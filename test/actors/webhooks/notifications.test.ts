// Deliveries that a statement makes due are attempted at once, because the statement notifies the webhooks processes.
// These tests keep the reconciler from leading, so a missed notification would mean a missed delivery.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { makeTestEvent } from '#actors/core/webhooks/envelope.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { replayDeadLetters } from '#store/postgres/webhooks/dead-letters/replay-dead-letters.js';
import { sendTestEvent } from '#store/postgres/webhooks/send-test-event.js';
import { isReady } from '#store/redis/client.js';
import { RECONCILER_KEY } from '#store/redis/keys.js';
import { prepareProcess } from '#test/support/processes.js';
import { countKept } from '#test/support/webhooks/kept.js';
import { startWebhookStage } from '#test/support/webhooks/stage.js';

const LISTENING = 'kasir notices';
const KILLS = 4;

const stage = await startWebhookStage(t, { processes: 0 });
const { sql, redisClient, merchantId, endpoint, receiver } = stage;
await waitUntil('Redis is connected', () => isReady(redisClient));
// Another process seems to lead for ever.
await redisClient.set(RECONCILER_KEY, 'the test');
const webhooks = await prepareProcess(t, 'webhooks', stage.variables);
await webhooks.start();

async function sendTest(): Promise<string> {
  const event = makeTestEvent('payment.paid', randomBytes(16), Date.now());
  const sent = await sendTestEvent(sql, { id: endpoint.id, merchantId }, event);
  if (typeof sent === 'string') throw new Error(sent);
  await waitUntil('it arrives', () => receiver.received.some(matchesEvent(sent.eventId)));
  return sent.id;
}

const matchesEvent =
  (eventId: string) =>
  ({ id }: { id: string }): boolean =>
    id === eventId;

/** The process id of the listening backend, once it differs from `former`. Its pings follow its `listen`. */
const findListener = (former: number): Promise<number> =>
  waitUntil('it listens', async () => {
    const [listener] = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity
       where application_name = ${LISTENING} and query ~ '^(listen|select 1$)' and state = 'idle'
         and datname = current_database() and pid <> ${former}`;
    return listener?.pid;
  });

t.test(
  'a test event and a replay of a named dead letter arrive without the reconciler',
  async (t) => {
    await findListener(0);
    const id = await sendTest();
    await waitUntil('it is recorded', async () => {
      const rows =
        await sql`select 1 from webhook_deliveries where id = ${id} and status = 'delivered'`;
      return rows.length > 0;
    });
    // Until then a replay changes nothing in Redis, and the reconciler would find it a second later.
    await waitUntil('Redis holds it no more', async () => (await countKept(redisClient)) === 0);
    const before = receiver.received.length;
    await sql`update webhook_deliveries set status = 'dead' where id = ${id}`;
    const by = { actor: 'test', address: null };
    const replayed = await replayDeadLetters(sql, { ids: [id], merchantId }, by);
    t.strictSame([...replayed], [{ id, outcome: 'replayed' }]);
    await waitUntil('it arrives again', () => receiver.received.length > before);
  },
);

t.test('a test event arrives after the listening connection was lost four times', async (t) => {
  let listener = await findListener(0);
  for (let kill = 0; kill < KILLS; kill += 1) {
    await sql`select pg_terminate_backend(${listener}::integer)`;
    listener = await findListener(listener);
  }
  await sendTest();
  t.ok(webhooks.isRunning());
});
