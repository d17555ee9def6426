// The stored examples are the real answers of the service: the story is told again, and its record must equal them, apart
// from ids, times and secrets. KASIR_RECORD=1 stores the record instead.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readExamples } from '#gateway/developers/openapi/examples.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { startProcess, startService } from '#test/support/processes.js';
import { openKey } from '#test/support/rails/payouts.js';
import { receiverVariables, startReceiver } from '#test/support/webhooks/receiver.js';
import { tellAdminStory } from '#test/gateway/developers/openapi/admin-story.js';
import { tellDashboardStory } from '#test/gateway/developers/openapi/dashboard-story.js';
import { tellMerchantStory } from '#test/gateway/developers/openapi/merchant-story.js';
import { createRecorder } from '#test/gateway/developers/openapi/recorder.js';

/** A public address is allowed in production and in development. */
const VARIABLES = { BASE_URL: 'https://pay.example', NODE_ENV: 'development' };

t.test('the examples are what the service answers', async (t) => {
  const service = await startService(t, {
    variables: { ...VARIABLES, ...(await receiverVariables(t)) },
  });
  const { baseUrl, merchant } = service;
  const sql = openPostgres(service.databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  const { merchantId } = merchant;
  await sql`update merchants set verification_status = 'APPROVED', live_enabled = true
             where id = ${merchantId}`;
  const openOffice = async (name: string) => {
    const person = await makePerson(sql, 'admin', null);
    await sql`update users set email = ${`${name}@kasir.example`} where id = ${person.userId}`;
    return openApi(baseUrl, await beginSession(sql, person));
  };
  const recorder = createRecorder();
  const cast = {
    ...{ recorder, baseUrl, sql, merchantId },
    test: openApi(baseUrl, merchant.testKey),
    live: await openKey(baseUrl, sql, merchantId, 'LIVE', ['payouts', 'read']),
    admin: await openOffice('sari'),
    second: await openOffice('dewi'),
    startRails: () => startProcess(t, 'rails', service.variables),
  };
  await tellMerchantStory(cast);
  const receiver = await startReceiver(t);
  await startProcess(t, 'webhooks', { ...service.variables, ...(await receiverVariables(t)) });
  await tellDashboardStory({ recorder, baseUrl, sql, receiver });
  await tellAdminStory(cast);
  const record = recorder.finish();
  if (process.env['KASIR_RECORD'] === '1') {
    const path = join(findPackageRoot(), 'gateway/developers/openapi/examples.json');
    writeFileSync(path, JSON.stringify(record, null, 2));
  }
  t.strictSame(record, readExamples());
});
