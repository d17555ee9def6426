// Webhooks of payouts over HTTP: from the end of a payout to the signed request at a receiver whose endpoint names the type,
// and the same bytes in the lists. Endpoints with `*` receive none.
import t from 'tap';
import type { PayoutId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { applyCommand } from '#store/postgres/payouts/apply-command.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { prepareProcess, startProcess, uniqueWord } from '#test/support/processes.js';
import { hasStatus, payOut } from '#test/support/rails/payouts.js';
import { startServingService } from '#test/support/serving.js';
import { addEndpoint } from '#test/support/webhooks/outbox.js';
import {
  answerWith,
  type Received,
  receiverVariables,
  startReceiver,
} from '#test/support/webhooks/receiver.js';
import { isSignatureRight } from '#test/support/webhooks/verify.js';

const TYPES = ['payout.completed', 'payout.failed', 'payout.reversed'];
const ENDPOINTS = '/v1/merchants/me/webhooks';

const receiver = await startReceiver(t);
const starred = await startReceiver(t);
const service = await startServingService(t, { variables: await receiverVariables(t) });
const { api, merchant } = service;
const sql = openPostgres(service.databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
const { merchantId } = merchant;
const endpoint = await addEndpoint(sql, merchantId, receiver.url, TYPES);
await addEndpoint(sql, merchantId, starred.url);
const rails = await prepareProcess(t, 'rails', service.variables);
await rails.start();
await startProcess(t, 'webhooks', service.variables);
const owner = openApi(
  service.baseUrl,
  await beginSession(sql, await makePerson(sql, 'owner', merchantId)),
);
const admin = openApi(
  service.baseUrl,
  await beginSession(sql, await makePerson(sql, 'admin', null)),
);
const { body: paid } = await api.create({ amount: '1000000' });
await api.simulate(paid['id'], 'paid');

async function make(body: object = {}): Promise<PayoutId> {
  const made = await payOut(api, { amount: '100', reference_id: 'gaji-1', ...body }, uniqueWord());
  if (made.status !== 201) throw new Error(made.text);
  return String(made.body['id']) as PayoutId;
}

const listReceived = (id: string): readonly Received[] =>
  receiver.received.filter(({ body }) => body.toString().includes(id));
const waitForWebhooks = (id: string, count: number): Promise<readonly Received[]> =>
  waitUntil(`${count} webhooks of ${id}`, () => {
    const found = listReceived(id);
    return found.length >= count ? found : undefined;
  });
const rowsOf = (body: Readonly<Record<string, unknown>>) =>
  body['data'] as Record<string, unknown>[];
const tell = (id: PayoutId, answer: object) =>
  applyCommand(
    sql,
    id,
    { type: 'answer', answer: answer as never },
    {
      nowMs: Date.now(),
      dueInMs: () => null,
    },
  );

t.test(
  'a completed payout is delivered once, signed, and listed with the same bytes',
  async (t) => {
    const id = await make();
    const [received] = await waitForWebhooks(id, 1);
    if (received === undefined) throw new Error('nothing arrived');
    const text = received.body.toString();
    t.match(JSON.parse(text), {
      type: 'payout.completed',
      data: { id, status: 'COMPLETED', amount: '100', currency: 'IDR', reference_id: 'gaji-1' },
    });
    t.notMatch(text, /1234567890|Budi/, 'the bank account is not sent');
    t.ok(isSignatureRight(received.headers, received.body, endpoint.secret));
    t.equal((await api.call(`/v1/events/${received.id}`)).text, text);
    const listed = await api.call('/v1/events?type=payout.completed');
    t.equal(rowsOf(listed.body)[0]?.['id'], received.id);
    t.ok(listed.text.includes(text));
    const delivered = await owner.call(`${ENDPOINTS}/${endpoint.id}/deliveries`);
    t.match(rowsOf(delivered.body)[0], {
      payout_id: id,
      payment_id: null,
      type: 'payout.completed',
    });
    t.equal(listReceived(id).length, 1);
  },
);

t.test('a failed and a cancelled payout send payout.failed', async (t) => {
  const failed = await make({ account_number: '1234560000' });
  const [one] = await waitForWebhooks(failed, 1);
  t.match(JSON.parse(String(one?.body)), { type: 'payout.failed', data: { status: 'FAILED' } });
  await rails.stop();
  const cancelled = await make();
  await Promise.all(
    [1, 2].map(() => api.call(`/v1/payouts/${cancelled}/cancel`, { method: 'POST' })),
  );
  const [two] = await waitForWebhooks(cancelled, 1);
  t.match(JSON.parse(String(two?.body)), { data: { failure_code: 'cancelled' } });
  t.equal(listReceived(cancelled).length, 1, 'the repeated cancellation sends none');
  await rails.start();
});

t.test('a correction sends payout.completed, a return payout.reversed', async (t) => {
  const id = await make({ account_number: '1234560000' });
  await hasStatus(api, id, 'FAILED');
  await tell(id, { result: 'completed', railReference: null });
  const body = { external_reference: 'BANK-1', reason: 'it was paid' };
  const corrected = await admin.call(`/v1/admin/payouts/${id}/complete`, { method: 'POST', body });
  t.match(corrected.body, { status: 'COMPLETED' }, corrected.text);
  await tell(id, { result: 'reversed', railReference: null });
  const types = (await waitForWebhooks(id, 3)).map(({ type }) => type);
  t.strictSame([...types].sort(), TYPES, 'after payout.failed');
});

t.test('a dead letter of a payout is replayed with its id and bytes', async (t) => {
  receiver.behave(answerWith(410));
  const id = await make();
  const [first] = await waitForWebhooks(id, 1);
  const letter = await waitUntil('it is a dead letter', async () => {
    const { body } = await owner.call(`${ENDPOINTS}/dlq?type=payout.completed`);
    return rowsOf(body).find((row) => row['payout_id'] === id);
  });
  receiver.behave(answerWith(200));
  await owner.call(`${ENDPOINTS}/dlq/${String(letter['id'])}/replay`, { method: 'POST' });
  const [, second] = await waitForWebhooks(id, 2);
  t.same(second?.body, first?.body);
  t.equal(second?.id, first?.id);
});

t.test('a test event of a payout is delivered', async (t) => {
  const sent = await owner.call(`${ENDPOINTS}/${endpoint.id}/test`, {
    method: 'POST',
    body: { type: 'payout.reversed' },
  });
  t.match(sent.body, { type: 'payout.reversed', payout_id: /^po_/, payment_id: null }, sent.text);
  const [received] = await waitForWebhooks(String(sent.body['payout_id']), 1);
  t.match(JSON.parse(String(received?.body)), { data: { status: 'REVERSED', test: true } });
});

t.test('pages of events hold those of payments and payouts, each once, newest first', async (t) => {
  const seen: Record<string, unknown>[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await api.call(
      `/v1/events?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    seen.push(...rowsOf(body));
    cursor = body['next_cursor'] as string | null;
  }
  const whole = await api.call('/v1/events?limit=100');
  t.same(seen, rowsOf(whole.body));
  const times = seen.map(({ created_at: at }) => String(at));
  t.same(times, times.toSorted().reverse());
  t.equal(new Set(seen.map(({ id }) => id)).size, seen.length);
  t.ok(seen.some(({ type }) => type === 'payment.paid'));
  t.equal(seen.filter(({ type }) => String(type).startsWith('payout.')).length, 7);
  const mine = await owner.call('/v1/merchants/me/events?limit=100');
  t.same(rowsOf(mine.body), seen, 'sessions see the same');
});

t.test('an endpoint with * receives no event of a payout', async (t) => {
  await waitUntil('its payment arrives', () => starred.received.length > 0);
  t.strictSame([...new Set(starred.received.map(({ type }) => type))], ['payment.paid']);
  const { body } = await owner.call(`${ENDPOINTS}?environment=TEST`);
  t.ok(rowsOf(body).some(({ events }) => String(events) === TYPES.join()));
});
