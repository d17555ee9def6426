// Rails that an administrator sets for one merchant: its LIVE payments go there, to the second one when the first refuses;
// other merchants are not affected.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { createTestMerchant, uniqueWord } from '#test/support/processes.js';
import { startRails, startRailService } from '#test/support/rails/service.js';

const UNKNOWN_ID = `mer_${'0'.repeat(26)}`;

t.test('rails of a merchant', async (t) => {
  const service = await startRailService(t, { RAIL_TIMEOUT_MS: '5000' });
  const { simulated, sql, databaseUrl, baseUrl, live } = service;
  const { plan } = simulated;
  await startRails(service);
  const admin = await makePerson(sql, 'admin', null);
  const office = openApi(baseUrl, await beginSession(sql, admin));
  const merchant = await createTestMerchant(databaseUrl, { isLiveEnabled: true });
  const { merchantId } = merchant;
  const own = openApi(baseUrl, merchant.liveKey);
  const path = `/v1/admin/merchants/${merchantId}/rails`;
  const put = (body: object, to = path) => office.call(to, { method: 'PUT', body });
  const create = (api = own) =>
    api.create({ amount: '25000', payment_method: 'QRIS' }, uniqueWord());
  const railsOf = async (paymentId: unknown) => {
    const rows = await sql`
      select rail from rail_calls
       where payment_id = ${String(paymentId)} and operation = 'charge' order by due_at, id`;
    return rows.map(({ rail }) => String(rail));
  };
  const methodsOf = async () => {
    const { body } = await own.call('/v1/payment-methods');
    return (body['data'] as { id: string }[]).map(({ id }) => id);
  };

  await t.test('a new merchant has no rails of its own and uses the default route', async (t) => {
    t.same((await office.call(path)).body, { data: [] });
    t.same(await railsOf((await create()).body['id']), ['midtrans']);
  });

  await t.test('rails of a merchant apply to its next create', async (t) => {
    const set = await put({ payment_method: 'QRIS', rails: ['xendit', 'midtrans'] });
    t.equal(set.status, 200, set.text);
    const shown = { data: [{ payment_method: 'QRIS', rails: ['xendit', 'midtrans'] }] };
    t.same(set.body, shown);
    t.same((await office.call(path)).body, shown);
    const made = await create();
    t.equal(made.status, 201, made.text);
    t.same(await railsOf(made.body['id']), ['xendit']);
    t.notMatch(made.text, /xendit|midtrans/i);
    t.same(
      await railsOf((await create(live)).body['id']),
      ['midtrans'],
      'other merchants keep the default route',
    );
  });

  await t.test('a create that the first rail refuses goes to the second one', async (t) => {
    await plan({ kind: 'refuse', operation: 'charge', rail: 'xendit' });
    const made = await create();
    t.equal(made.status, 201, made.text);
    t.same(await railsOf(made.body['id']), ['xendit', 'midtrans']);
    await plan();
  });

  await t.test('a rail that is not set is neither called nor offered', async (t) => {
    await put({ payment_method: 'QRIS', rails: ['xendit'] });
    await plan({ kind: 'refuse', operation: 'charge', rail: 'xendit' });
    const refused = await create();
    t.equal(refused.status, 502, refused.text);
    const { payment_id: id } = refused.body['error'] as Record<string, unknown>;
    t.same(await railsOf(id), ['xendit']);
    await plan();
    await sql`insert into switches (name, is_on) values ('rail:xendit', false)`;
    await waitUntil('it is not offered', async () => {
      return !(await methodsOf()).includes('QRIS');
    });
    t.equal((await create()).code, 'payment_method_unavailable');
    t.ok((await service.methods()).includes('QRIS'), 'other merchants are offered it');
    t.equal((await create(live)).status, 201);
    await sql`delete from switches`;
  });

  await t.test('a merchant whose rails are deleted uses the default route', async (t) => {
    const ended = await put({ payment_method: 'QRIS', rails: [] });
    t.same(ended.body, { data: [] });
    t.same(await railsOf((await create()).body['id']), ['midtrans']);
  });

  await t.test('each change of the rails is in the audit log with its actor', async (t) => {
    const { body } = await office.call(
      `/v1/admin/audit-log?target=${encodeURIComponent(`${merchantId} QRIS`)}`,
    );
    t.match(body['data'], [
      { action: 'merchant_rail_routes.delete', before: { rails: ['xendit'] }, actor: admin.userId },
      { action: 'merchant_rail_routes.update', after: { rails: ['xendit'] } },
      {
        action: 'merchant_rail_routes.insert',
        after: { rails: ['xendit', 'midtrans'] },
        actor: admin.userId,
      },
    ]);
    const requests = await office.call(`/v1/admin/audit-log?actor=${admin.userId}&limit=100`);
    const actions = (requests.body['data'] as { action: string }[]).map(({ action }) => action);
    t.ok(actions.includes('PUT /v1/admin/merchants/{merchant_id}/rails'), 'the request too');
  });

  await t.test('invalid rails and unknown merchants are refused', async (t) => {
    for (const body of [
      { payment_method: 'VA', rails: ['xendit'] },
      { payment_method: 'QRIS', rails: ['sandbox'] },
      { payment_method: 'QRIS', rails: ['xendit', 'xendit'] },
      { payment_method: 'QRIS', rails: ['other'] },
      { payment_method: 'QRIS', rails: ['X'] },
      { payment_method: 'QRIS' },
    ]) {
      t.equal((await put(body)).status, 400, JSON.stringify(body));
    }
    const elsewhere = `/v1/admin/merchants/${UNKNOWN_ID}/rails`;
    t.equal((await office.call(elsewhere)).code, 'merchant_not_found');
    const set = await put({ payment_method: 'QRIS', rails: ['xendit'] }, elsewhere);
    t.equal(set.code, 'merchant_not_found');
    const openapi = await (await fetch(`${baseUrl}/docs/openapi.json`)).text();
    t.notMatch(openapi, /midtrans|xendit/i);
  });
});
