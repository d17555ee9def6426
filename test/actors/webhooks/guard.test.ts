// The guard against private targets in a running process, on every path to an attempt: events, retries, test events,
// replays by operators. All targets are spellings of this machine, where a canary counts connections; none may come.
import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import t from 'tap';
import { makeTestEvent } from '#actors/core/webhooks/envelope.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { sendTestEvent } from '#store/postgres/webhooks/send-test-event.js';
import { runKasir } from '#test/support/kasir.js';
import { spell4, spell6 } from '#test/support/webhooks/guard-corpus.js';
import { addEndpoint } from '#test/support/webhooks/outbox.js';
import { startWebhookStage } from '#test/support/webhooks/stage.js';

let connections = 0;
const canary = createServer((socket) => {
  connections += 1;
  socket.destroy();
});
await new Promise<void>((resolve) => canary.listen(0, resolve));
t.teardown(() => new Promise((resolve) => canary.close(resolve)));
const { port } = canary.address() as AddressInfo;

const stage = await startWebhookStage(t, { variables: { WEBHOOK_ALLOW_TARGETS: '' } });
const { sql, merchantId } = stage;
const hosts = [...spell4('127.0.0.1'), ...spell6('::1'), 'localhost', 'LOCALHOST', '[::]', '0'];
const endpoints: string[] = [];
for (const host of hosts) {
  endpoints.push((await addEndpoint(sql, merchantId, `https://${host}:${port}/hook`)).id);
}

/** Waits until every delivery with this number of attempts is dead; returns their one reason. */
const waitUntilRefused = (attempts: number) =>
  waitUntil('all are dead', async () => {
    const rows = await sql<{ status: string; count: number; reason: string }[]>`
      select status, reason, count(*)::int from webhook_deliveries where attempts = ${attempts}
       group by status, reason`;
    const [only, ...others] = rows;
    const isAll = others.length === 0 && only?.status === 'dead';
    return isAll && only.count >= endpoints.length ? only.reason : null;
  });

t.test(
  'events, test events, retries and replays to private targets are refused without a connection',
  async (t) => {
    await stage.emit(1);
    t.equal(await waitUntilRefused(1), 'target_refused');
    for (const id of endpoints) {
      await sendTestEvent(
        sql,
        { id, merchantId },
        makeTestEvent('payment.paid', randomBytes(16), 0),
      );
    }
    await waitUntil('the test events are dead', async () => {
      const rows = await sql`select from webhook_deliveries where status = 'pending'`;
      return rows.length === 0;
    });
    await sql`update webhook_deliveries set status = 'pending', settled_at = null, next_attempt_at = now()`;
    t.equal(await waitUntilRefused(2), 'target_refused');
    const replay = await runKasir({ DATABASE_URL: stage.databaseUrl }, 'dlq', 'replay', '--all');
    t.equal(replay.code, 0, replay.stderr);
    t.equal(await waitUntilRefused(3), 'target_refused');
    t.equal(connections, 0);
    t.equal(stage.receiver.received.length, 0);
  },
);
