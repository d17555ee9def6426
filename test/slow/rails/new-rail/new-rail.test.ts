// A rail that is new to the sources: one folder and one line are added to a copy of them, whose gateway, payments and rails
// processes then take LIVE payments at an HTTPS server with the wire format of that rail.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { buildCallbackPath } from '#actors/core/rails/live-rails.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import { decodeQrImage } from '#actors/rails/adapters/qr-image.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { makeCertificates } from '#ops/dev/webhook-receiver/certificates.js';
import { openApi } from '#test/support/api.js';
import {
  createTestMerchant,
  prepareProcess,
  startProcess,
  startService,
  TEST_KEYS,
  uniqueWord,
} from '#test/support/processes.js';
import { makeFolder } from '#test/support/servers.js';
import { BASE_URL } from '#test/support/serving.js';
import { ADAPTERS, addRail, compareWithSources } from './added-rail.js';
import { SIGNATURE_HEADER, signCallback } from './dummy/callback.js';
import { startDummyServer } from './dummy-server.js';

const API_KEY = 'dummy-key';
const SECRET = 'dummy-secret';

const build = addRail(t, 'dummy', 'test/slow/rails/new-rail/dummy');
const certificates = await makeCertificates();
const NODE_EXTRA_CA_CERTS = join(makeFolder(t), 'ca.pem');
writeFileSync(NODE_EXTRA_CA_CERTS, certificates.ca);
const rail = await startDummyServer(t, certificates, API_KEY);
const service = await startService(t, { build, variables: { BASE_URL } });
const { liveKey } = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
const live = openApi(service.baseUrl, liveKey);
const variables = {
  ...service.variables,
  ...{ NODE_EXTRA_CA_CERTS, RAIL_SYNC_SCHEDULE: '1', RAIL_DUMMY_URL: rail.url },
};

t.test('the difference to the sources is one folder and one line', (t) => {
  const { added, changedLines, missing } = compareWithSources(build);
  t.ok(added.length > 0);
  t.same(
    added.filter((path) => !path.startsWith(`${ADAPTERS}/dummy/`)),
    [],
  );
  t.match(changedLines, [/^actors\/core\/rails\/rail-names\.ts:\d+$/]);
  t.equal(changedLines.length, 1);
  t.same(missing, []);
  t.end();
});

t.test('the rails process does not start without the secrets of the new rail', async (t) => {
  const running = await prepareProcess(t, 'rails', variables, build);
  await t.rejects(running.start());
  const printed = running.lines().join('\n');
  t.match(printed, 'RAIL_DUMMY_API_KEY is missing (RAIL_DUMMY_URL is given)');
  t.match(printed, 'RAIL_DUMMY_CALLBACK_SECRET is missing (RAIL_DUMMY_URL is given)');
});

t.test('the new rail takes a payment, a callback, an inquiry and a refund', async (t) => {
  const secrets = { RAIL_DUMMY_API_KEY: API_KEY, RAIL_DUMMY_CALLBACK_SECRET: SECRET };
  await startProcess(t, 'rails', { ...variables, ...secrets }, build);
  await waitUntil('the method of the rail is offered', async () =>
    (await live.call('/v1/payment-methods')).text.includes('QRIS'),
  );
  const create = async () => {
    const made = await live.create({ amount: '25000', payment_method: 'QRIS' }, uniqueWord());
    t.equal(made.status, 201, made.text);
    const order = [...rail.orders.values()].at(-1);
    if (order === undefined) throw new Error('the rail has no order');
    const { bytes } = await live.call(`/checkout/${String(made.body['id'])}/qr.png`);
    t.equal(decodeQrImage(bytes), order.qr, 'the customer sees the QR code of the rail');
    return { id: made.body['id'], order };
  };
  const waitUntilPaid = (id: unknown) =>
    waitUntil('the payment is paid', async () => (await live.get(id)).body['status'] === 'paid');

  const reported = await create();
  reported.order.state = 'paid';
  const idKey = Buffer.from(TEST_KEYS.ID_KEY, 'base64');
  // The name is new to the copy only.
  const url = service.baseUrl + buildCallbackPath(idKey, 'dummy' as RailName);
  const body = JSON.stringify({ order: reported.order.id });
  const call = async (signature: string) => {
    const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature };
    return (await fetch(url, { method: 'POST', body, headers })).status;
  };
  t.equal(await call(signCallback(body, 'another')), 401);
  t.equal(await call(signCallback(body, SECRET)), 200);
  await waitUntilPaid(reported.id);
  t.ok(rail.requests.includes(`GET /orders/${reported.order.id}`), 'its order was inquired');

  const unreported = await create();
  unreported.order.state = 'paid';
  await waitUntilPaid(unreported.id);

  const refunded = await live.call('/v1/refunds', {
    method: 'POST',
    body: { payment_id: reported.id, amount: '10000' },
    headers: { 'idempotency-key': uniqueWord() },
  });
  await waitUntil('the refund has succeeded', async () => {
    const { body: shown } = await live.call(`/v1/refunds/${String(refunded.body['id'])}`);
    return shown['status'] === 'SUCCEEDED';
  });
  t.equal(rail.refunds.size, 1);
});
