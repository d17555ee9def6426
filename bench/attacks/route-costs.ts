// What does a request of each public route cost the event loop of a gateway? One request after the other on one connection, and
// the CPU of the gateway's main thread before and after, without that of a gateway that has nothing to do. The limits of a route follow from its declared cost (`cpuUs`), so the
// measured cost must not be above it.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, WebSocket } from 'undici';
import { LIVE_CPU_US } from '#gateway/selling/checkout/push.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { readThreadCpu } from '../figures/cpu.js';
import type { NodeProcess } from '../stage/node-process.js';
import type { Service } from '../stage/service.js';
import type { Stage } from '../stage/stage.js';
import {
  type MeasuredCall,
  type MeasuredRoute,
  preparePublicRoutes,
  type PublicCall,
} from './public-calls.js';

/** RATE_LIMIT_PUBLIC by default, in ms of CPU a second. */
const CLIENT_MS = 50;
const AT_ONCE_SECONDS = 2;
const ALL_FACTOR = 5;
const SECOND_US = 1_000_000;
/** The first part of the requests warms up, and is not measured. */
const WARM_PART = 0.4;
/** Timers and closes of what was measured before. */
const SETTLE_MS = 200;
const IDLE_MS = 2_000;
const STATUS = 'GET /checkout/{payment_id}/status';
const PUSH = { name: 'WebSocket /checkout/{payment_id}/live', cpuUs: LIVE_CPU_US } as const;
const HEAD = [
  ...['route', 'declared', 'measured', 'one client at once: ≤ 100 ms', 'then: ≤ 5 % of a core'],
  ...['all clients: ≤ 25 % of a core', ''],
];

interface Cost {
  readonly loopUs: number;
  readonly statuses: string;
}

/** The table with the three figures of each route, and what a refusal costs. */
export async function measureRouteCosts(
  { service }: Stage,
  count: number,
  idKey: Buffer,
): Promise<string> {
  const [gateway] = service.gateways;
  if (gateway === undefined) throw new Error('there is no gateway');
  const routes = await preparePublicRoutes(service, count, idKey);
  await measureIdle(gateway);
  const rows: (readonly string[])[] = [HEAD, HEAD.map(() => '---')];
  const note = ({ name, cpuUs }: Pick<MeasuredRoute, 'name' | 'cpuUs'>, cost: Cost): void => {
    console.log(`  ${name}: ${cost.loopUs.toFixed(0)} of ${cpuUs} µs (${cost.statuses})`);
    rows.push(buildRow(name, cpuUs, cost));
  };
  for (const route of routes) note(route, await measureDearest(service.port, gateway, route));
  const [status] = routes.find(({ name }) => name === STATUS)?.calls ?? [];
  if (status !== undefined) note(PUSH, await measurePush(service.port, gateway, status));
  const table = rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  return `${table}\n\n${await measureRefusals(service, count)}`;
}

function buildRow(name: string, cpuUs: number, { loopUs }: Cost): readonly string[] {
  const burst = Math.max(1, Math.floor((CLIENT_MS * AT_ONCE_SECONDS * 1_000) / cpuUs));
  const describeRate = (factor: number): string => {
    const perSecond = (CLIENT_MS * factor * 1_000) / cpuUs;
    return `${Math.round(perSecond)}/s, ${((100 * perSecond * loopUs) / SECOND_US).toFixed(1)} %`;
  };
  return [
    ...[`\`${name}\``, `${cpuUs} µs`, `${Math.round(loopUs)} µs`],
    `${burst}, ${((burst * loopUs) / 1_000).toFixed(0)} ms`,
    ...[describeRate(1), describeRate(ALL_FACTOR)],
    loopUs <= cpuUs ? 'reached' : '**missed**',
  ];
}

/** Requests beyond the limit of their client, at a gateway with the lowest limit. */
async function measureRefusals(service: Service, count: number): Promise<string> {
  const port = await findFreePort();
  const own = { PORT: String(port), PORT_SHARED: '0', RATE_LIMIT_PUBLIC: '1' };
  const gateway = await service.startGateway(own);
  const ask = async (path: string, accept: string): Promise<Cost> => {
    const build = (): PublicCall => ({ path, headers: { accept } });
    return measureCall(port, gateway, { method: 'GET', most: count, build });
  };
  const search = '/docs/search?q=refund';
  const costs = {
    'refused as JSON': await ask(search, 'application/json'),
    'refused with a page': await ask('/pay/5jz8q4m1n7v2c9k3', 'text/html'),
    'of an unknown path': await ask('/nothing', 'application/json'),
  };
  const texts = Object.entries(costs).map(([what, { loopUs, statuses }]) => {
    console.log(`  ${what}: ${statuses}`);
    return `${what} ${Math.round(loopUs)} µs`;
  });
  return `A request ${texts.join(', ')}.`;
}

async function measureDearest(
  port: number,
  gateway: NodeProcess,
  { method, calls }: MeasuredRoute,
): Promise<Cost> {
  let dearest: Cost = { loopUs: 0, statuses: '' };
  for (const call of calls) {
    const cost = await measureCall(port, gateway, { method, ...call });
    if (cost.loopUs > dearest.loopUs) dearest = cost;
  }
  return dearest;
}

async function measureCall(
  port: number,
  gateway: NodeProcess,
  { method, most, build }: MeasuredCall & Pick<MeasuredRoute, 'method'>,
): Promise<Cost> {
  const client = new Client(`http://127.0.0.1:${port}`, { pipelining: 1 });
  const counts = new Map<number, number>();
  const send = async ({ path, headers, body }: PublicCall): Promise<void> => {
    const answer = await client.request({
      ...{ method, path },
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body }),
    });
    await answer.body.dump();
    counts.set(answer.statusCode, (counts.get(answer.statusCode) ?? 0) + 1);
  };
  const loopUs = await measureEach(gateway, most, (index) => send(build(index)));
  await client.close();
  return { loopUs, statuses: [...counts].map((pair) => pair.join(' × ')).join(', ') };
}

/** Opens a connection, waits for the first text, and closes it. */
async function measurePush(
  port: number,
  gateway: NodeProcess,
  status: MeasuredCall,
): Promise<Cost> {
  const loopUs = await measureEach(gateway, status.most, (index) => {
    const { path } = status.build(index);
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path.replace('/status', '/live')}`);
    return new Promise((resolve, reject) => {
      socket.addEventListener('message', () => socket.close());
      socket.addEventListener('close', () => resolve());
      socket.addEventListener('error', () => reject(new Error(`${path} opened no WebSocket`)));
    });
  });
  return { loopUs, statuses: `101 × ${status.most}` };
}

/** In seconds. */
const readMoment = ({ pid }: NodeProcess): { readonly cpu: number; readonly wall: number } => ({
  ...{ cpu: readThreadCpu(pid), wall: performance.now() / 1_000 },
});

/** The part of a core that a gateway uses for itself. A request that waits for its turn would be charged with it. */
let idlePart = 0;

async function measureIdle(gateway: NodeProcess): Promise<void> {
  const before = readMoment(gateway);
  await sleep(IDLE_MS);
  const after = readMoment(gateway);
  idlePart = (after.cpu - before.cpu) / (after.wall - before.wall);
  console.log(`  idle: ${(100 * idlePart).toFixed(2)} % of a core`);
}

async function measureEach(
  gateway: NodeProcess,
  count: number,
  send: (index: number) => Promise<void>,
): Promise<number> {
  const warm = Math.floor(count * WARM_PART);
  for (let index = 0; index < warm; index += 1) await send(index);
  await sleep(SETTLE_MS);
  const before = readMoment(gateway);
  for (let index = warm; index < count; index += 1) await send(index);
  const after = readMoment(gateway);
  const ownSeconds = after.cpu - before.cpu - (after.wall - before.wall) * idlePart;
  return (Math.max(0, ownSeconds) * SECOND_US) / (count - warm);
}
