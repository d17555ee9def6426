// The headers of attempts as the API shows them, against those that arrived at a real receiver.
import { Webhook } from 'standardwebhooks';
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { startProcess } from '#test/support/processes.js';
import { startServingService } from '#test/support/serving.js';
import {
  answerWith,
  type Received,
  receiverVariables,
  startReceiver,
} from '#test/support/webhooks/receiver.js';

const HOOKS = '/v1/merchants/me/webhooks';
/** They belong to the connection. */
const OF_CONNECTION = ['host', 'connection', 'content-length'];
const HOUR_S = 3_600;

const receiver = await startReceiver(t);
const service = await startServingService(t, {
  variables: { ...(await receiverVariables(t)), WEBHOOK_RETRY_SCHEDULE: '1,1,1,1,1,1,1,1' },
});
const sql = openPostgres(service.databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));
// The name of the installation that sends is shown, whatever the gateway has.
await startProcess(t, 'webhooks', { ...service.variables, BRAND_HEADER: 'Warung' });
const owner = await makePerson(sql, 'owner', service.merchant.merchantId);
const api = openApi(service.baseUrl, await beginSession(sql, owner));
const post = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> =>
  (await api.call(`${HOOKS}${path}`, { method: 'POST', body })).body;
const made = await post('', { url: receiver.url, environment: 'TEST' });
const endpoint = `/${String(made['id'])}`;
const secret = String(made['secret']);

interface Attempt {
  readonly attempt: number;
  readonly reason: string | null;
  readonly request_headers: Readonly<Record<string, string>> | null;
}

const readAttempts = ({ body }: ApiAnswer): Attempt[] => body['attempts_made'] as Attempt[];

/** Sends a test event, and waits until `count` attempts are recorded. */
async function sendTest(
  count: number,
): Promise<{ readonly id: string; readonly shown: ApiAnswer }> {
  const id = String((await post(`${endpoint}/test`, {}))['id']);
  const shown = await waitUntil('the attempts are recorded', async () => {
    const answer = await api.call(`${HOOKS}/deliveries/${id}`);
    return readAttempts(answer).length >= count ? answer : undefined;
  });
  return { id, shown };
}

/** The API shows of each attempt the headers that the receiver got. */
function checkHeaders(t: Test, shown: ApiAnswer): readonly Received[] {
  const { event_id: eventId, body } = shown.body;
  const received = receiver.received.filter(({ id }) => id === eventId);
  const attempts = [...readAttempts(shown)].reverse();
  t.equal(attempts.length, received.length);
  for (const [index, { headers, body: bytes }] of received.entries()) {
    const arrived = Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name));
    const recorded = Object.entries(attempts[index]?.request_headers ?? {}).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]);
    t.strictSame(Object.fromEntries(recorded), Object.fromEntries(arrived), `attempt ${index + 1}`);
    t.equal(bytes.toString(), body);
  }
  return received;
}

t.test('each attempt shows the headers that its request had', async (t) => {
  receiver.behave((received, response) => {
    const isFirst = received.headers['x-warung-delivery-attempt'] === '1';
    answerWith(isFirst ? 500 : 200)(received, response);
  });
  const { shown } = await sendTest(2);
  const received = checkHeaders(t, shown);
  t.equal(received.length, 2);
  t.ok(received.every(({ headers }) => 'x-warung-signature' in headers));
  t.notOk(shown.text.includes(secret.slice('whsec_'.length)), 'never the secret');
});

t.test('an attempt keeps its signatures when the secret is rotated', async (t) => {
  receiver.behave(answerWith(200));
  const before = await sendTest(1);
  const rotated = await post(`${endpoint}/rotate`, { overlap_seconds: HOUR_S });
  const { shown } = await waitUntil('a delivery is signed with both secrets', async () => {
    const sent = await sendTest(1);
    return sent.shown.text.includes('-Signature-Next') ? sent : undefined;
  });
  checkHeaders(t, shown);
  const headers = readAttempts(shown)[0]?.request_headers ?? {};
  t.equal(headers['webhook-signature']?.split(' ').length, 2);
  for (const either of [secret, String(rotated['secret'])]) {
    t.doesNotThrow(() => new Webhook(either).verify(String(shown.body['body']), { ...headers }));
  }
  await sql`update webhook_endpoints set switch_at = now() where id = ${String(made['id'])}`;
  const again = await api.call(`${HOOKS}/deliveries/${before.id}`);
  checkHeaders(t, again);
  t.notOk(again.text.includes('-Signature-Next'), 'one signature, of the former secret');
});

t.test('an attempt without a connection shows that nothing was sent', async (t) => {
  await receiver.stop();
  const count = receiver.received.length;
  const { shown } = await sendTest(1);
  t.match(readAttempts(shown).at(-1), { reason: 'connection' });
  t.strictSame(readAttempts(shown).at(-1)?.request_headers, {});
  t.equal(receiver.received.length, count);
});

t.test('an attempt that an earlier version recorded has no headers', async (t) => {
  const [row] = await sql<{ id: string }[]>`
    update webhook_attempts set signatures = null
     where attempt = 1 and status_code = 200 returning delivery_id as id`;
  const shown = await api.call(`${HOOKS}/deliveries/${row?.id ?? ''}`);
  t.strictSame(readAttempts(shown).at(-1)?.request_headers, null);
});
