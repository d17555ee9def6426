// `/readyz` of gateways while no payments process lives. The lease ends by itself after a kill; the process is started again.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { hasValidLease } from '#store/postgres/payments/partition-leases.js';
import { openApi } from '../support/api.js';
import { readMetrics, startProcess } from '../support/processes.js';
import { startServingService } from '../support/serving.js';

const service = await startServingService(t, { variables: { LEASE_MS: '1500' } });
const strict = await startProcess(t, 'gateway', {
  ...service.variables,
  READY_NEEDS_PAYMENTS: 'true',
});
const [payments] = service.payments;
const [gateway] = service.gateways;
const apis = [service.api, openApi(strict.baseUrl, service.merchant.testKey)];

async function readAlive(): Promise<string | undefined> {
  const page = gateway === undefined ? '' : await readMetrics(gateway);
  return /^kasir_gateway_has_payments (\d)$/m.exec(page)?.[1];
}

t.test('with a payments process every gateway is ready', async (t) => {
  for (const api of apis) {
    t.match(await api.call('/readyz'), { status: 200, body: { status: 'ok', payments: 'ready' } });
  }
  t.equal(await readAlive(), '1');
});

t.test('without one it says so, and is 503 only with READY_NEEDS_PAYMENTS', async (t) => {
  await payments?.kill();
  const [lax, needy] = apis;
  await waitUntil('the gateway notices', async () => {
    return (await lax?.call('/readyz'))?.body['payments'] === 'none';
  });
  t.match(await lax?.call('/readyz'), { status: 200, body: { status: 'ok', payments: 'none' } });
  t.equal(await readAlive(), '0');
  const refused = await waitUntil('the other one refuses', async () => {
    const answer = await needy?.call('/readyz');
    return answer?.status === 503 ? answer : null;
  });
  t.match(refused.body['error'], { code: 'dependency_unavailable', param: 'payments' });
  t.match(refused.text, /No payments process lives.*Start one/);
  t.equal((await needy?.call('/healthz'))?.status, 200, 'a supervisor does not restart it');
  const created = await needy?.create({ amount: '15000' });
  t.equal(created?.status, 504, 'commands are still taken, and are applied later');
});

t.test('the next payments process makes it ready again', async (t) => {
  await payments?.start();
  for (const api of apis) {
    await waitUntil('it is ready', async () => {
      const { status, body } = await api.call('/readyz');
      return status === 200 && body['payments'] === 'ready';
    });
  }
  t.equal(await readAlive(), '1');
});

t.test('the question about leases is refused where nothing can be written', async (t) => {
  const sql = openPostgres(service.databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  t.equal(await hasValidLease(sql), true);
  await sql`set default_transaction_read_only = on`;
  await t.rejects(hasValidLease(sql), { code: '25006' });
});
