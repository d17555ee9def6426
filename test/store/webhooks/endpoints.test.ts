// Webhook endpoints in Postgres: creation, changes, deletion, rotation, test events.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { makeEndpointId, makeId, type MerchantId } from '#actors/core/ids.js';
import { makeTestEvent } from '#actors/core/webhooks/envelope.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { findDelivery } from '#store/postgres/webhooks/list-deliveries.js';
import { listMerchantDeliveries } from '#store/postgres/webhooks/list-merchant-deliveries.js';
import { sendTestEvent } from '#store/postgres/webhooks/send-test-event.js';
import { loadDeliveries } from '#store/postgres/webhooks/due-deliveries.js';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  type EndpointInput,
  MAX_ENDPOINTS,
} from '#store/postgres/webhooks/change-endpoints.js';
import { findEndpoint, listEndpoints } from '#store/postgres/webhooks/list-endpoints.js';
import {
  loadLiveEndpoints,
  rotateEndpointSecret,
} from '#store/postgres/webhooks/endpoint-secrets.js';
import { countLockWaits } from '#test/support/waits/lock-waits.js';
import { createTestMerchant } from '#test/support/processes.js';
import { createDatabase } from '#test/support/servers.js';

const HOUR_MS = 3_600_000;
const ACTOR = { userId: makeId('usr', randomBytes(16)), address: '127.0.0.1' };
const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 8);
t.teardown(() => sql.end({ timeout: 1 }));
let merchantId = '' as MerchantId;
t.beforeEach(async () => {
  ({ merchantId } = await createTestMerchant(databaseUrl));
});

const buildInput = (given: Partial<EndpointInput> = {}): EndpointInput => ({
  ...{ id: makeEndpointId(randomBytes(16)), merchantId, environment: 'TEST', allowsMany: false },
  ...{ url: 'https://example.com/hook', events: ['*'], sealedSecret: 'v1.key.first' },
  ...given,
});
const NO_CHANGE = { url: null, events: null, active: null, allowsMany: false };

async function create(given: Partial<EndpointInput> = {}) {
  const made = await createEndpoint(sql, ACTOR, buildInput(given));
  if (typeof made === 'string') throw new Error(made);
  return made;
}

t.test('an endpoint is found and listed for its merchant only', async (t) => {
  const made = await create({ events: ['payment.paid', 'payment.failed'] });
  t.match(made, { merchantId, environment: 'TEST', active: true, switchAt: null });
  t.strictSame(made.events, ['payment.paid', 'payment.failed']);
  t.ok(Math.abs(made.createdAt.getTime() - Date.now()) < 60_000);
  t.strictSame(await findEndpoint(sql, made), made);
  t.equal(await findEndpoint(sql, { id: made.id, merchantId: 'mer_other' }), undefined);
  const live = await create({ environment: 'LIVE' });
  t.strictSame([...(await listEndpoints(sql, { merchantId, environment: null }))], [live, made]);
  t.strictSame([...(await listEndpoints(sql, { merchantId, environment: 'TEST' }))], [made]);
  t.notOk(JSON.stringify(made).includes('first'), 'the secret is not included');
});

t.test(
  'an environment has one active endpoint unless more are allowed, also after ten concurrent requests',
  async (t) => {
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => createEndpoint(sql, ACTOR, buildInput())),
    );
    t.equal(outcomes.filter((outcome) => outcome === 'active_exists').length, 9);
    const first = outcomes.find((outcome) => typeof outcome !== 'string');
    const second = await create({ allowsMany: true });
    t.equal((await listEndpoints(sql, { merchantId, environment: 'TEST' })).length, 2);

    t.match(await changeEndpoint(sql, ACTOR, second, { ...NO_CHANGE, active: false }), {
      active: false,
    });
    const on = { ...NO_CHANGE, active: true };
    t.equal(await changeEndpoint(sql, ACTOR, second, on), 'active_exists');
    t.match(await changeEndpoint(sql, ACTOR, second, { ...on, allowsMany: true }), {
      active: true,
    });
    t.ok(first);
  },
);

t.test('concurrent changes of one merchant wait for each other', async (t) => {
  let made: Promise<unknown> = Promise.resolve();
  await sql.begin(async (holder) => {
    await holder`select lock_webhook_endpoints(${merchantId})`;
    made = createEndpoint(sql, ACTOR, buildInput());
    await waitUntil('it waits', async () => (await countLockWaits(sql)) === 1);
  });
  t.match(await made, { merchantId });
});

t.test('creation beyond MAX_ENDPOINTS is rejected as too_many', async (t) => {
  const inputs = Array.from({ length: MAX_ENDPOINTS + 2 }, () => buildInput({ allowsMany: true }));
  const outcomes = await Promise.all(inputs.map((one) => createEndpoint(sql, ACTOR, one)));
  t.equal(outcomes.filter((outcome) => outcome === 'too_many').length, 2);
});

t.test('a change affects the given fields only', async (t) => {
  const made = await create();
  const url = 'https://example.com/other';
  t.strictSame(await changeEndpoint(sql, ACTOR, made, { ...NO_CHANGE, url }), { ...made, url });
  const events = ['payment.refunded'] as const;
  const changed = await changeEndpoint(sql, ACTOR, made, { ...NO_CHANGE, events });
  t.strictSame(changed, { ...made, url, events: ['payment.refunded'] });
  const otherMerchant = { id: made.id, merchantId: 'mer_other' };
  t.equal(await changeEndpoint(sql, ACTOR, otherMerchant, { ...NO_CHANGE, url }), 'missing');
});

t.test('a deleted endpoint is not found, has no secrets, and makes room for another', async (t) => {
  const made = await create();
  t.notOk(await deleteEndpoint(sql, ACTOR, { id: made.id, merchantId: 'mer_other' }));
  t.ok(await deleteEndpoint(sql, ACTOR, made));
  t.notOk(await deleteEndpoint(sql, ACTOR, made), 'the second time');
  t.equal(await findEndpoint(sql, made), undefined);
  t.equal((await listEndpoints(sql, { merchantId, environment: null })).length, 0);
  t.equal(await changeEndpoint(sql, ACTOR, made, { ...NO_CHANGE, active: true }), 'missing');
  t.equal(
    await rotateEndpointSecret(sql, ACTOR, made, { sealedSecret: 's', overlapMs: 0 }),
    'missing',
  );
  const [row] = await sql`select secret, active from webhook_endpoints where id = ${made.id}`;
  t.strictSame({ ...row }, { secret: '', active: false });
  await create();
});

t.test(
  'a rotation overlaps, rejects a second one, switches; a revocation applies at once',
  async (t) => {
    const made = await create();
    const stored = async () => (await loadLiveEndpoints(sql, [made.id]))[0];
    const rotate = (sealedSecret: string, overlapMs: number) =>
      rotateEndpointSecret(sql, ACTOR, made, { sealedSecret, overlapMs });

    const rotated = await rotate('v1.key.second', HOUR_MS);
    const switchAt = typeof rotated === 'string' ? null : rotated.switchAt;
    t.ok(Math.abs(Number(switchAt?.getTime()) - Date.now() - HOUR_MS) < 60_000);
    t.match(await stored(), { secret: 'v1.key.first', nextSecret: 'v1.key.second' });
    t.equal(await rotate('v1.key.third', HOUR_MS), 'rotation_overlaps');

    await sql`update webhook_endpoints set switch_at = now() - interval '1 second' where id = ${made.id}`;
    t.match(await findEndpoint(sql, made), { switchAt: null });
    await rotate('v1.key.third', HOUR_MS);
    t.match(await stored(), { secret: 'v1.key.second', nextSecret: 'v1.key.third' });
    t.match(await rotate('v1.key.fourth', 0), { switchAt: null });
    t.match(await stored(), { secret: 'v1.key.fourth', nextSecret: null, switchInMs: null });
  },
);

t.test('one of several concurrent rotations is applied', async (t) => {
  const made = await create();
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      rotateEndpointSecret(sql, ACTOR, made, {
        sealedSecret: `v1.key.${index}`,
        overlapMs: HOUR_MS,
      }),
    ),
  );
  t.equal(outcomes.filter((outcome) => outcome === 'rotation_overlaps').length, 7);
});

t.test('a test event is a listed delivery with its own bytes', async (t) => {
  const made = await create({ events: ['payment.failed'] });
  const events = Array.from({ length: 5 }, () =>
    makeTestEvent('payment.paid', randomBytes(16), Date.now()),
  );
  const ids: string[] = [];
  for (const event of events) {
    const sent = await sendTestEvent(sql, made, event);
    if (typeof sent !== 'string') ids.unshift(sent.id);
  }
  const [event] = events;
  const found = await findDelivery(sql, { id: ids.at(-1) ?? '', merchantId });
  t.match(found, { eventId: event?.eventId, status: 'pending', attempts: 0, reason: null });
  t.equal(found?.body, event?.body);
  t.equal(found?.attemptsMade.length, 0);
  t.equal(await findDelivery(sql, { id: ids[0] ?? '', merchantId: 'mer_other' }), undefined);
  const loaded = await loadDeliveries(sql, ids);
  t.equal(loaded.size, 5);
  t.equal(loaded.get(ids.at(-1) ?? '')?.body, event?.body);

  const filter = {
    ...{ merchantId, endpointId: made.id, environment: null, status: null },
    ...{ eventId: null, subjectIds: null, type: null, reason: null, amount: null },
  };
  const first = await listMerchantDeliveries(sql, filter, { limit: 2, after: null });
  t.strictSame(
    first.rows.map(({ id }) => id),
    ids.slice(0, 3),
    'one more row means that a page follows',
  );
  const after = first.rows[1] ?? null;
  const second = await listMerchantDeliveries(sql, filter, { limit: 10, after });
  t.strictSame(
    second.rows.map(({ id }) => id),
    ids.slice(2),
  );
  const dead = { ...filter, status: 'dead' } as const;
  t.same(await listMerchantDeliveries(sql, dead, { limit: 10, after: null }), {
    ...{ rows: [], stoppedAt: null },
  });

  await changeEndpoint(sql, ACTOR, made, { ...NO_CHANGE, active: false });
  t.equal(
    await sendTestEvent(sql, made, makeTestEvent('payment.paid', randomBytes(16), 0)),
    'inactive',
  );
  const otherMerchant = { id: made.id, merchantId: 'mer_other' };
  t.equal(
    await sendTestEvent(sql, otherMerchant, makeTestEvent('payment.paid', randomBytes(16), 0)),
    'missing',
  );
});
