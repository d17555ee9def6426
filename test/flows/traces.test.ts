// The trace of one LIVE payment, from the request of its merchant to the webhook, over all processes: which spans it has, whose
// children they are, and what a request that is not sampled leaves behind.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { encodeBase32 } from '#actors/core/ids.js';
import { makeWebhookSecret } from '#actors/core/webhooks/sign.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { sealSecret } from '#ops/runtime/sealed-secrets.js';
import { putEndpoint } from '#store/postgres/webhooks/change-endpoints.js';
import { type ReceivedSpan, startCollector } from '#test/ops/runtime/tracing/collector.js';
import type { ApiAnswer } from '#test/support/api.js';
import { readMetrics, startProcess, uniqueWord } from '#test/support/processes.js';
import { startRails, startRailService } from '#test/support/rails/service.js';
import { secretsKeys } from '#test/support/webhooks/outbox.js';
import { receiverVariables, startReceiver } from '#test/support/webhooks/receiver.js';

const PARENT = '00f067aa0ba902b7';
const HEADERS = 'x-tenant=toko';
/** So many digits that no id holds them by chance. */
const AMOUNT = '9876543';

const collector = await startCollector(t);
const receiver = await startReceiver(t);
const service = await startRailService(t, {
  RAIL_SYNC_SCHEDULE: '3600',
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_HEADERS: HEADERS,
  OTEL_BSP_SCHEDULE_DELAY: '100',
  ...(await receiverVariables(t)),
});
const { sql, live, simulated } = service;
await startRails(service);
await startProcess(t, 'webhooks', service.variables);

const makeTraceId = (): string => randomBytes(16).toString('hex');

/** `flags`: `01` sampled, `00` not. */
const create = (traceId: string, flags: string): Promise<ApiAnswer> =>
  live.call('/v1/payments', {
    method: 'POST',
    body: { amount: AMOUNT, payment_method: 'QRIS', metadata: { note: 'rahasia-pelanggan' } },
    headers: {
      'idempotency-key': uniqueWord(),
      traceparent: `00-${traceId}-${PARENT}-${flags}`,
    },
  });

/** Sends all events of the payment's merchant to the receiver. */
async function addLiveEndpoint(paymentId: unknown): Promise<void> {
  const [row] = await sql<{ merchantId: string }[]>`
    select merchant_id as "merchantId" from payments where id = ${String(paymentId)}`;
  const id = `we_${encodeBase32(randomBytes(16))}`;
  const sealedSecret = sealSecret(secretsKeys, id, makeWebhookSecret(randomBytes(32)));
  const { merchantId = '' } = row ?? {};
  const endpoint = { id, merchantId, url: receiver.url, events: ['*'], sealedSecret };
  await putEndpoint(sql, { ...endpoint, environment: 'LIVE' });
}

const waitForWebhook = (paymentId: unknown) =>
  waitUntil('payment.paid is received', () =>
    receiver.received.find(
      ({ type, body }) => type === 'payment.paid' && body.includes(String(paymentId)),
    ),
  );

/** The service of the span's process, its name, and the name of the span above it. */
function describeTrace(spans: readonly ReceivedSpan[]): string[] {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  const lines = spans.map(({ resource, name, parentSpanId }) => {
    const above = names.get(parentSpanId) ?? (parentSpanId === PARENT ? 'the caller' : 'unknown');
    return `${String(resource['kasir.process'])}: ${name} < ${above}`;
  });
  return [...new Set(lines)].sort();
}

const EXPECTED = [
  'gateway: POST /v1/payments < the caller',
  'gateway: send command < POST /v1/payments',
  'payments: apply create < send command',
  'payments: commit batch < apply create',
  'rails: charge at midtrans < apply create',
  'payments: apply charge_answered < charge at midtrans',
  'payments: commit batch < apply charge_answered',
  'rails: process callback of midtrans < apply create',
  'rails: look_up at midtrans < apply create',
  'payments: apply settle < look_up at midtrans',
  'payments: commit batch < apply settle',
  'webhooks: POST webhook < apply settle',
].sort();

t.test('a LIVE payment has one trace, from the request to the webhook', async (t) => {
  const traceId = makeTraceId();
  const created = await create(traceId, '01');
  t.equal(created.status, 201, created.text);
  const { id } = created.body;
  await addLiveEndpoint(id);
  await simulated.control('POST', 'pay', { order_id: created.body['order_id'] });
  const { headers } = await waitForWebhook(id);
  const listSpans = (): ReceivedSpan[] =>
    collector.spans.filter((span) => span.traceId === traceId);
  const spans = await waitUntil('all spans are exported', () => {
    const described = describeTrace(listSpans());
    return EXPECTED.every((line) => described.includes(line)) ? listSpans() : undefined;
  }).catch(listSpans);
  t.strictSame(describeTrace(spans), EXPECTED);

  const find = (name: string): ReceivedSpan | undefined => spans.find((one) => one.name === name);
  const webhook = find('POST webhook');
  t.equal(headers['traceparent'], `00-${traceId}-${String(webhook?.spanId)}-01`);
  t.match(webhook?.attributes, {
    'http.response.status_code': 200,
    'http.request.resend_count': 0,
  });
  t.match(find('POST /v1/payments')?.attributes, {
    'http.request.method': 'POST',
    'http.response.status_code': 201,
    'kasir.request.id': /^req_/,
  });
  t.match(find('apply create')?.attributes, { 'kasir.payment.id': id });
  t.match(find('charge at midtrans')?.attributes, { 'kasir.rail.outcome': 'accepted' });
  t.match(find('look_up at midtrans')?.attributes, { 'kasir.rail.outcome': 'settled' });
  t.notOk(spans.some(({ isError }) => isError));

  const [link] = find('process callback of midtrans')?.links ?? [];
  const callback = await collector.find('callback', ({ spanId }) => spanId === link?.spanId);
  t.equal(callback.name, 'POST /v1/rails/{callback_id}/callbacks', 'it is linked to its request');
  t.equal(callback.parentSpanId, '');
});

t.test('no span holds an amount, a text of a customer or a secret', async (t) => {
  const times = /"\d{19}"/g;
  const sent = collector.bodies.join('\n').replaceAll(times, '');
  for (const hidden of [AMOUNT, 'rahasia-pelanggan', 'm-key', 'kasir_live_', 'Bearer']) {
    t.notOk(sent.includes(hidden), hidden);
  }
  t.equal(collector.headers()['x-tenant'], 'toko');
  const [gateway] = service.gateways;
  if (gateway === undefined) throw new Error('a service has a gateway');
  t.match(await readMetrics(gateway), /^kasir_spans_dropped_total 0$/m);
  t.notOk(gateway.lines().some((line) => line.includes(PARENT)));
});

t.test('a request that is not sampled leaves no span and no context behind', async (t) => {
  const traceId = makeTraceId();
  const created = await create(traceId, '00');
  t.equal(created.status, 201, created.text);
  const { id } = created.body;
  const before = collector.spans.length;
  await simulated.control('POST', 'pay', { order_id: created.body['order_id'] });
  const { headers } = await waitForWebhook(id);
  t.equal(headers['traceparent'], undefined);
  const [stored] = await sql<{ calls: number; events: number }[]>`
    select (select count(*)::int from rail_calls where payment_id = ${String(id)}
                and request like '%traceparent%') as calls,
           (select count(*)::int from payment_events where payment_id = ${String(id)}
                and event like '%traceparent%') as events`;
  t.strictSame({ ...stored }, { calls: 0, events: 0 });
  // The callback's own request has a trace, which is exported after all spans of the payment have ended.
  await waitUntil('the callback is exported', () => collector.spans.length > before);
  t.notOk(collector.spans.some((span) => span.traceId === traceId));
});

t.test('each process exports what it has when it stops', async (t) => {
  const [gateway] = service.gateways;
  const traceId = makeTraceId();
  const answer = await live.call('/v1/payments/pay_00000000000000000000000000', {
    headers: { traceparent: `00-${traceId}-${PARENT}-01` },
  });
  t.equal(answer.status, 404);
  await gateway?.stop();
  const span = await collector.find('the get', (one) => one.traceId === traceId);
  t.match(span.attributes, { 'kasir.error.code': 'payment_not_found' });
  t.equal(span.isError, false, 'an error of the client is none of the server');
});
