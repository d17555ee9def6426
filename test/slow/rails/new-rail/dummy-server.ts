// The server of the dummy rail: HTTPS with the certificate of a private authority. It knows its orders and refunds, and accepts
// requests with its key only.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { encodeEmv } from '#actors/core/rails/emv-qr.js';
import type { Certificates } from '#ops/dev/webhook-receiver/certificates.js';
import type { TestScope } from '#test/support/servers.js';

export interface DummyOrder {
  readonly id: string;
  readonly reference: string;
  readonly amount: number;
  readonly qr: string;
  state: 'open' | 'paid' | 'closed';
}

export interface DummyServer {
  readonly url: string;
  readonly orders: ReadonlyMap<string, DummyOrder>;
  readonly refunds: ReadonlyMap<string, object>;
  /** Requests so far, as `GET /orders/{id}`, oldest first. */
  readonly requests: readonly string[];
}

type Given = Readonly<Record<string, unknown>>;

export async function startDummyServer(
  t: TestScope,
  certificates: Certificates,
  apiKey: string,
): Promise<DummyServer> {
  const orders = new Map<string, DummyOrder>();
  const refunds = new Map<string, object>();
  const requests: string[] = [];
  const server = createServer(
    { key: certificates.key, cert: certificates.cert },
    (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const call = `${request.method} ${request.url}`;
        requests.push(call);
        const isAllowed = request.headers['x-dummy-key'] === apiKey;
        const body = text === '' ? {} : (JSON.parse(text) as Given);
        const found = isAllowed ? answer(orders, refunds, call, body) : undefined;
        response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(found ?? {}));
      });
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  return { url, orders, refunds, requests };
}

function answer(
  orders: Map<string, DummyOrder>,
  refunds: Map<string, object>,
  call: string,
  body: Given,
): object | undefined {
  const [, method, kind, id = '', verb] = /^(\w+) \/(\w+)\/?([^/]*)\/?(\w*)$/.exec(call) ?? [];
  if (kind === 'refunds') {
    if (method === 'POST')
      refunds.set(String(body['id']), { ...body, reference: `r-${refunds.size}` });
    return refunds.get(method === 'POST' ? String(body['id']) : id);
  }
  if (method === 'POST' && id === '') {
    const order = makeOrder(String(body['id']), Number(body['amount']));
    orders.set(order.id, order);
    return order;
  }
  const order = orders.get(id);
  if (order !== undefined && verb === 'close' && order.state === 'open') order.state = 'closed';
  return order;
}

function makeOrder(id: string, amount: number): DummyOrder {
  const qr = encodeEmv([
    ['00', '01'],
    ['54', String(amount)],
  ]);
  return { id, reference: `d-${id}`, amount, qr, state: 'open' };
}
