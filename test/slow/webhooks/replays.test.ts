// Replay jobs at running workers: they continue after a crash, repeat only deliveries that were under way, and do not wait
// for the schedule.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { makeReplayId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import {
  findReplay,
  type ReplayScope,
  startReplay,
} from '#store/postgres/webhooks/dead-letters/replay-jobs.js';
import { FULL_SCOPE } from '#store/postgres/webhooks/dead-letters/dead-letter-scope.js';
import { addEndpoint, countDeliveries } from '#test/support/webhooks/outbox.js';
import { answerWith, startReceiver } from '#test/support/webhooks/receiver.js';
import { startWebhookStage } from '#test/support/webhooks/stage.js';

const LETTERS = 600;
/** Deliveries of an endpoint that may be under way at a killed process. */
const IN_FLIGHT = 64;

const stage = await startWebhookStage(t, {
  processes: 2,
  variables: { WEBHOOK_RETRY_SCHEDULE: '3600,3600' },
});
const { sql, receiver, merchantId, endpoint } = stage;

const startJob = async (given: Partial<ReplayScope>): Promise<string> => {
  const id = makeReplayId(randomBytes(16));
  const scope = { ...FULL_SCOPE, merchantId, withPending: false, ...given };
  const job = await startReplay(sql, id, scope, { actor: 'test', address: null });
  if (job === 'replay_running') throw new Error(job);
  return id;
};
const waitUntilComplete = (id: string) =>
  waitUntil('the job is complete', async () => {
    const job = await findReplay(sql, { id, merchantId });
    return job?.status === 'completed' ? job : null;
  });

t.test(
  'a replay whose processes are killed half-way continues and enqueues each event once',
  async (t) => {
    const other = await startReceiver(t);
    const bystander = await addEndpoint(sql, merchantId, other.url);
    await stage.emit(LETTERS);
    await waitUntil('they are delivered', async () => {
      return (await countDeliveries(sql))['delivered'] === 2 * LETTERS;
    });
    // Real failures in this number would open the breaker.
    await sql`update webhook_deliveries set status = 'dead', reason = 'http_status'`;
    const before = receiver.received.length;
    const otherBefore = other.received.length;
    receiver.behave((received, response) => {
      setTimeout(() => {
        answerWith(200)(received, response);
      }, 5);
    });
    const id = await startJob({ endpointId: endpoint.id });
    await waitUntil('a third is replayed', () => receiver.received.length - before > LETTERS / 3);
    await Promise.all(stage.processes.map((process) => process.kill()));
    t.match(await findReplay(sql, { id, merchantId }), { status: 'running', total: LETTERS });
    await Promise.all(stage.processes.map((process) => process.start()));
    t.match(await waitUntilComplete(id), { total: LETTERS, done: LETTERS, failed: 0 });
    await waitUntil('all are delivered', async () => {
      const rows = await sql`select from webhook_deliveries
                            where endpoint_id = ${endpoint.id} and status <> 'delivered'`;
      return rows.length === 0;
    });
    const again = receiver.received.slice(before).map((received) => received.id);
    t.equal(new Set(again).size, LETTERS, 'every event');
    t.ok(again.length - LETTERS <= 2 * IN_FLIGHT, `${again.length - LETTERS} twice`);
    const rows = await sql`select distinct status from webhook_deliveries
                          where endpoint_id = ${bystander.id}`;
    t.strictSame(
      rows.map((row) => row['status'] as string),
      ['dead'],
      'the other endpoint is not replayed',
    );
    t.equal(other.received.length, otherBefore);
    await sql`update webhook_endpoints set active = false where id = ${bystander.id}`;
  },
);

t.test(
  'a replay with pending deliveries delivers at once what waits an hour for its next attempt',
  async (t) => {
    receiver.behave(answerWith(503));
    const since = new Date();
    const ids = await stage.emit(5);
    await waitUntil('each failed once', async () => {
      const rows = await sql`select from webhook_deliveries where status = 'pending' and step = 1`;
      return rows.length === ids.length;
    });
    receiver.behave(answerWith(200));
    const job = await waitUntilComplete(await startJob({ withPending: true, from: since }));
    t.match(job, { total: 5, done: 5 });
    await waitUntil('they are delivered', async () => {
      return (await countDeliveries(sql))['pending'] === undefined;
    });
  },
);
