// A whole service whose rails carry canaries, with a LIVE merchant, and an ear for every byte that reaches the merchant
// and its customers: answers and pages, pushes, webhooks, mails.
import { WebSocket } from 'undici';
import { buildCallbackPath } from '#actors/core/rails/live-rails.js';
import type { MerchantId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { beginSession, makePerson, type Person } from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { type SmtpServer, startSmtp } from '#test/support/peers/smtp.js';
import {
  createTestMerchant,
  startProcess,
  startService,
  TEST_KEYS,
} from '#test/support/processes.js';
import { makeKey } from '#test/support/rails/payouts.js';
import { SIMULATED, simulateRails, type SimulatedRails } from '#test/support/rails/simulator.js';
import { BASE_URL } from '#test/support/serving.js';
import type { TestScope } from '#test/support/servers.js';
import {
  type Receiver,
  receiverVariables,
  startReceiver,
} from '#test/support/webhooks/receiver.js';
import { type CanaryRails, startCanaryRails } from './canary-rails.js';

/** A captured message and its place: a request with its answer, a delivery, a mail. */
export interface Heard {
  readonly where: string;
  readonly bytes: Buffer;
}

export interface WhiteLabelStage {
  readonly simulated: SimulatedRails;
  readonly canaries: CanaryRails;
  readonly sql: Postgres;
  readonly merchantId: MerchantId;
  readonly owner: Person;
  /** Everything that these are answered is heard. */
  readonly live: Api;
  readonly anonymous: Api;
  readonly openSession: (person: Person) => Promise<Api>;
  /** The administrators' own: not for merchants, and not heard. */
  readonly openAdmin: () => Promise<Api>;
  readonly receiver: Receiver;
  /** Fails all deliveries. */
  readonly deadReceiver: Receiver;
  readonly smtp: SmtpServer;
  /** Listens to what is pushed to the page of a payment. */
  readonly watchPage: (paymentId: unknown) => void;
  readonly heard: () => readonly Heard[];
}

const ROUTES = [
  'QRIS=midtrans,xendit',
  'VA_BCA=xendit',
  'VA_BNI=midtrans',
  'VA_BRI=xendit',
  'VA_MANDIRI=midtrans',
  'VA_PERMATA=midtrans',
].join(';');

export async function startWhiteLabel(t: TestScope): Promise<WhiteLabelStage> {
  const simulated = await simulateRails(t, { bankMs: 300 });
  const canaries = await startCanaryRails(t, simulated.simulator.baseUrl);
  const [smtp, receiver, deadReceiver] = await Promise.all([
    startSmtp(t),
    startReceiver(t),
    startReceiver(t),
  ]);
  const service = await startService(t, {
    variables: {
      ...{ BASE_URL, SMTP_URL: smtp.url, MAIL_FROM: 'Kasir <kasir@example.com>' },
      ...{ RAIL_MIDTRANS_URL: canaries.midtransUrl, RAIL_XENDIT_URL: canaries.xenditUrl },
      RAIL_MIDTRANS_SERVER_KEY: SIMULATED.midtransServerKey,
      RAIL_XENDIT_SECRET_KEY: SIMULATED.xenditSecretKey,
      RAIL_XENDIT_CALLBACK_TOKEN: SIMULATED.xenditCallbackToken,
      ...{ RAIL_ROUTES: ROUTES, RAIL_TIMEOUT_MS: '1500', RAIL_SYNC_SCHEDULE: '1' },
      ...{ LIVE_WAIT_MS: '6000', WEBHOOK_RETRY_SCHEDULE: '1' },
      ...(await receiverVariables(t)),
    },
  });
  await Promise.all(
    (['rails', 'webhooks'] as const).map((name) => startProcess(t, name, service.variables)),
  );
  const { baseUrl, databaseUrl } = service;
  await simulated.control('PUT', 'targets', canaries.callbacksTo(callbacksOf(baseUrl)));
  const sql = openPostgres(databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  const { merchantId } = await createTestMerchant(databaseUrl, { isLiveEnabled: true });
  const owner = await makePerson(sql, 'owner', merchantId);

  const answers: Heard[] = [];
  const hear = (asked: string, { status, headers, bytes }: ApiAnswer): void => {
    const where = `${asked} (${status})`;
    answers.push({ where: `${where}: headers`, bytes: Buffer.from(JSON.stringify(headers)) });
    answers.push({ where, bytes });
  };
  const open = (key?: string): Api => openApi(baseUrl, key, hear);
  const live = open(await makeKey(sql, merchantId, 'LIVE', ['read', 'write', 'payouts']));
  await waitUntil('methods are offered', async () => {
    const { body } = await live.call('/v1/payment-methods');
    return (body['data'] as object[]).length > 6;
  });
  return {
    ...{ simulated, canaries, sql, merchantId, owner, live, anonymous: open() },
    openSession: async (person) => open(await beginSession(sql, person)),
    openAdmin: async () =>
      openApi(baseUrl, await beginSession(sql, await makePerson(sql, 'admin', null))),
    ...{ receiver, deadReceiver, smtp },
    watchPage: (paymentId) => {
      const url = `${baseUrl.replace('http', 'ws')}/checkout/${String(paymentId)}/live`;
      const socket = new WebSocket(url);
      socket.addEventListener('message', ({ data }) => {
        answers.push({ where: `push to ${String(paymentId)}`, bytes: Buffer.from(String(data)) });
      });
      t.teardown(() => {
        socket.close();
      });
    },
    heard: () => [
      ...answers,
      ...[receiver, deadReceiver].flatMap(({ received }) => received.flatMap(heardAtReceiver)),
      ...smtp.messages.map((message) => ({ where: 'a mail', bytes: Buffer.from(message) })),
    ],
  };
}

function heardAtReceiver({ type, id, headers, body }: Receiver['received'][number]): Heard[] {
  const where = `the webhook ${type} ${id}`;
  return [
    { where: `${where}: headers`, bytes: Buffer.from(JSON.stringify(headers)) },
    { where, bytes: body },
  ];
}

function callbacksOf(baseUrl: string): { midtrans: string; xendit: string } {
  const idKey = Buffer.from(TEST_KEYS.ID_KEY, 'base64');
  return {
    midtrans: baseUrl + buildCallbackPath(idKey, 'midtrans'),
    xendit: baseUrl + buildCallbackPath(idKey, 'xendit'),
  };
}
