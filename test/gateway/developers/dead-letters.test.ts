// Dead letters over HTTP: only their own merchant lists, replays and drops them. The webhooks process sends a replayed
// one again with the same event id and body.
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { beginSession, makeMerchant, makePerson } from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { startProcess } from '#test/support/processes.js';
import { answerWith } from '#test/support/webhooks/receiver.js';
import { startWebhookStage } from '#test/support/webhooks/stage.js';
import type { MerchantId } from '#actors/core/ids.js';

const DLQ = '/v1/merchants/me/webhooks/dlq';
const stage = await startWebhookStage(t);
const { sql, receiver } = stage;
const { baseUrl } = await startProcess(t, 'gateway', {
  REDIS_URL: stage.redis.url,
  DATABASE_URL: stage.databaseUrl,
});
const developer = await makePerson(sql, 'developer', stage.merchantId as MerchantId);
const api = openApi(baseUrl, await beginSession(sql, developer));
const otherMerchant = openApi(
  baseUrl,
  await beginSession(sql, await makePerson(sql, 'owner', await makeMerchant(sql))),
);

function assertError(t: Test, answer: ApiAnswer, status: number, code: string): void {
  t.same([answer.status, answer.code], [status, code], answer.text);
}

const post = (client: Api, path: string, body?: object): Promise<ApiAnswer> =>
  client.call(path, { method: 'POST', ...(body === undefined ? {} : { body }) });
const remove = (client: Api, path: string): Promise<ApiAnswer> =>
  client.call(path, { method: 'DELETE' });

interface Row {
  readonly id: string;
  readonly event_id: string;
}

const readRows = (answer: ApiAnswer): Row[] => answer.body['data'] as Row[];

/** Emits events that become dead letters at once, and returns their deliveries, the latest first. */
async function makeDeadLetters(count: number, type: string): Promise<Row[]> {
  receiver.behave(answerWith(410));
  await stage.emit(count, type);
  const rows = await waitUntil('all deliveries are dead', async () => {
    const found = readRows(await api.call(`${DLQ}?type=${type}&limit=100`));
    return found.length === count ? found : null;
  });
  receiver.behave(answerWith(200));
  return rows;
}

const waitForDelivery = (ids: readonly string[]): Promise<unknown> =>
  waitUntil('all deliveries are delivered', async () => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from webhook_deliveries
       where id = any(${[...ids]}::text[]) and status = 'delivered'`;
    return row?.count === ids.length;
  });

const readAudit = (action: string) =>
  sql`select actor, address, target from audit_log where action = ${action} order by id`;

t.test('dead letters are listed by page and filter', async (t) => {
  const rows = await makeDeadLetters(3, 'payment.paid');
  const pages: string[] = [];
  for (let more: string | null = ''; more !== null;) {
    const page: ApiAnswer = await api.call(`${DLQ}?limit=2${more}`);
    pages.push(...readRows(page).map(({ id }) => id));
    const cursor = page.body['next_cursor'] as string | null;
    more = cursor === null ? null : `&cursor=${cursor}`;
  }
  t.same(
    pages,
    rows.map(({ id }) => id),
  );
  t.match(rows[0], { status: 'dead', reason: 'http_410', meaning: /gone/, attempts: 1 });
  const count = async (query: string): Promise<number> =>
    readRows(await api.call(`${DLQ}?${query}`)).length;
  t.equal(await count(`endpoint_id=${stage.endpoint.id}`), 3);
  t.equal(await count('reason=http_410&environment=TEST&from=2026-01-01'), 3);
  t.equal(await count('environment=LIVE'), 0);
  t.equal(await count('reason=dns'), 0);
  t.equal(await count('to=2026-01-01'), 0);
  t.equal(readRows(await otherMerchant.call(DLQ)).length, 0, 'another merchant sees none');
  for (const query of ['from=yesterday', 'to=2026-02-31', 'type=x', 'reason=x', 'cursor=x']) {
    assertError(t, await api.call(`${DLQ}?${query}`), 400, 'field_invalid');
  }
});

t.test('a dead letter shows its payment, and is found by it', async (t) => {
  const [letter] = readRows(await api.call(`${DLQ}?type=payment.paid`));
  const { payment_id: paymentId } = letter as unknown as { payment_id: string };
  await sql`
    insert into payments (id, merchant_id, environment, status, amount, currency, reference_id, created_at,
                          version, snapshot)
    values (${paymentId}, ${stage.merchantId}, 'TEST', 'cancelled', 125000, 'IDR', 'order-77', now(), 2, '{}')`;
  const found = {
    payment_id: paymentId,
    reference_id: 'order-77',
    amount: '125000',
    currency: 'IDR',
  };
  for (const query of [
    `payment_id=${paymentId}`,
    'reference_id=order-77',
    'amount=125000',
    `amount=125000&reference_id=order-77&payment_id=${paymentId}&type=payment.paid`,
  ]) {
    t.match((await api.call(`${DLQ}?${query}`)).body, { data: [found], next_cursor: null }, query);
    const path = '/v1/merchants/me/webhooks/deliveries';
    t.match((await api.call(`${path}?${query}`)).body['data'], [found], query);
  }
  const none = ['amount=125001', 'reference_id=order-7', `reference_id=order-77&reason=dns`];
  for (const query of none) t.same(readRows(await api.call(`${DLQ}?${query}`)), [], query);
  t.same(readRows(await otherMerchant.call(`${DLQ}?reference_id=order-77`)), []);
  for (const query of ['amount=1.5', 'payment_id=x', `reference_id=${'4'.padEnd(16, '1')}`]) {
    t.equal((await api.call(`${DLQ}?${query}`)).status, 400, query);
  }
});

t.test('a replayed dead letter is sent again with the same body', async (t) => {
  const [letter] = await makeDeadLetters(1, 'payment.failed');
  const path = `${DLQ}/${letter?.id ?? ''}/replay`;
  const [sent] = receiver.received.filter(({ id }) => id === letter?.event_id);
  assertError(t, await post(otherMerchant, path), 404, 'delivery_not_found');
  await sql`update webhook_endpoints set active = false where id = ${stage.endpoint.id}`;
  assertError(t, await post(api, path), 409, 'state_conflict');
  await sql`update webhook_endpoints set active = true where id = ${stage.endpoint.id}`;
  // The receiver answers later: otherwise the delivery may have arrived before its status is read.
  const answers: (() => void)[] = [];
  receiver.behave((_received, response) => answers.push(() => response.writeHead(200).end()));
  const replayed = await post(api, path);
  t.match(replayed, { status: 200, body: { id: letter?.id, status: 'pending', attempts: 1 } });
  await waitUntil('it is sent again', () => answers.length > 0);
  for (const answer of answers) answer();
  await waitForDelivery([letter?.id ?? '']);
  const again = receiver.received.filter(({ id }) => id === letter?.event_id).at(-1);
  t.same(again?.body, sent?.body, 'the body is the same');
  assertError(t, await post(api, path), 409, 'state_conflict');
  t.match((await readAudit('webhooks.replay')).at(-1), {
    actor: developer.userId,
    address: '127.0.0.1',
    target: letter?.id,
  });
});

t.test('a replay job sends all matching dead letters again', async (t) => {
  const letters = await makeDeadLetters(4, 'payment.cancelled');
  const filter = { type: 'payment.cancelled', endpoint_id: stage.endpoint.id };
  t.same((await post(api, `${DLQ}/replay`, { ...filter, dry_run: true })).body, { count: 4 });
  const other = { ...filter, reason: 'dns', dry_run: true };
  t.same((await post(api, `${DLQ}/replay`, other)).body, { count: 0 }, 'none has this reason');
  t.same((await post(otherMerchant, `${DLQ}/replay`, { dry_run: true })).body, { count: 0 });
  assertError(t, await post(otherMerchant, `${DLQ}/replay`, filter), 404, 'webhook_not_found');
  assertError(t, await post(api, `${DLQ}/replay`, { from: 'now' }), 400, 'field_invalid');
  const job = await post(api, `${DLQ}/replay`, filter);
  t.match(job, { status: 201, body: { total: 4, failed: 0, object: 'webhook_replay' } });
  await waitForDelivery(letters.map(({ id }) => id));
  const path = `/v1/merchants/me/webhooks/replays/${String(job.body['id'])}`;
  const ended = await waitUntil('the job is completed', async () => {
    const { body } = await api.call(path);
    return body['status'] === 'completed' ? body : null;
  });
  t.match(ended, { id: job.body['id'], total: 4, done: 4, failed: 0, completed_at: /Z$/ });
  assertError(t, await otherMerchant.call(path), 404, 'replay_not_found');
  t.match((await readAudit('webhooks.replay')).at(-1), { target: job.body['id'] });
});

t.test('a second replay job of a merchant returns 409', async (t) => {
  await sql`insert into webhook_replays (id, merchant_id, from_at, until_at, with_pending)
            values ('rpl_open', ${stage.merchantId}, now(), now(), false)`;
  await sql`insert into webhook_replay_parts (replay_id, endpoint_id, total, reached_at)
            values ('rpl_open', ${stage.endpoint.id}, 1, now())`;
  await sql.begin(async (held) => {
    await held`select from webhook_replays where id = 'rpl_open' for update`;
    await held`select from webhook_replay_parts where replay_id = 'rpl_open' for update`;
    assertError(t, await post(api, `${DLQ}/replay`, {}), 409, 'state_conflict');
  });
  await sql`delete from webhook_replays where id = 'rpl_open'`;
});

t.test('a dropped dead letter is deleted and audited', async (t) => {
  const [letter] = await makeDeadLetters(1, 'payment.refunded');
  const path = `${DLQ}/${letter?.id ?? ''}`;
  assertError(t, await remove(otherMerchant, path), 404, 'delivery_not_found');
  t.equal((await remove(api, path)).status, 204);
  assertError(t, await remove(api, path), 404, 'delivery_not_found');
  t.match((await readAudit('webhooks.drop')).at(-1), {
    actor: developer.userId,
    target: letter?.id,
  });
});
