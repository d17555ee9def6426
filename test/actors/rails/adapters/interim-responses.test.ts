// A rail, or a proxy in front of it, that sends interim responses before the answer.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import {
  openRailClient,
  type RailClient,
  type RailRequest,
} from '#actors/rails/adapters/rail-client.js';
import { createRequestBudget } from '#actors/rails/adapters/request-budget.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { UNLIMITED } from '#test/support/rails/simulator.js';

const TIMEOUT_MS = 60_000;
const POST: RailRequest = { method: 'POST', operation: 'charge', path: '/charge', body: { a: 1 } };
const GET: RailRequest = { method: 'GET', path: '/orders/1' };
const { signal } = new AbortController();

interface StartedRail {
  readonly client: RailClient;
  readonly server: Server;
  /** `<method> <path> <credential> <body>` of each request. */
  readonly received: readonly string[];
  /** Sent before each answer; null: nothing is sent at all. */
  interim: string | null;
}

async function startRail(t: Test): Promise<StartedRail> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const { method, url, headers } = request;
      received.push([method, url, headers.authorization, body].join(' '));
      if (rail.interim === null) return;
      response.socket?.write(rail.interim);
      response.writeHead(201).end(`{"taken":${received.length}}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = openRailClient({
    url: `http://127.0.0.1:${port}/v2/`,
    headers: { authorization: 'Basic abc' },
    timeoutMs: TIMEOUT_MS,
    budget: createRequestBudget('xendit', { ...UNLIMITED, numbers: new Map() }),
  });
  const rail: StartedRail = { client, server, received, interim: '' };
  t.teardown(async () => {
    await client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return rail;
}

const answer = (body: string) => ({ kind: 'answer', status: 201, body: Buffer.from(body) });
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

t.test(
  'a request that gets 100 Continue is silent once, and later ones are answered',
  async (t) => {
    const rail = await startRail(t);
    rail.interim = CONTINUE;
    t.same(await rail.client.send(POST, signal), { kind: 'silent' }, 'the rail may have taken it');
    t.same(await rail.client.send(GET, signal), answer('{"taken":2}'));
    rail.interim = CONTINUE + CONTINUE;
    t.same(await rail.client.send(POST, signal), answer('{"taken":3}'));
    rail.interim = '';
    t.same(await rail.client.send(POST, signal), answer('{"taken":4}'));
    const charge = 'POST /v2/charge Basic abc {"a":1}';
    t.same(
      rail.received,
      [charge, 'GET /v2/orders/1 Basic abc ', charge, charge],
      'each sent once',
    );
  },
);

t.test('behind 100 Continue, silence and a refused connection are told apart', async (t) => {
  const rail = await startRail(t);
  rail.interim = CONTINUE;
  await rail.client.send(GET, signal);
  rail.interim = null;
  const giveUp = new AbortController();
  const sent = rail.client.send(POST, giveUp.signal);
  await waitUntil('the rail has it', () => rail.received.length === 2);
  giveUp.abort();
  t.same(await sent, { kind: 'silent' });
  rail.server.closeAllConnections();
  await new Promise((resolve) => rail.server.close(resolve));
  t.same(await rail.client.send(POST, signal), { kind: 'not_sent' });
});
