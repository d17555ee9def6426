// A whole service on two hosts: a gateway and a payments process on each, rails and webhooks processes on the second. Redis,
// Postgres and the receiver of webhooks are on this machine.
import type { Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { createTestMerchant, type RunningProcess, startProcess } from '#test/support/processes.js';
import { startPostgres, startRedis } from '#test/support/servers.js';
import { BASE_URL } from '#test/support/serving.js';
import { createsAt, judge, openService, type Service } from '#test/support/stage.js';
import { startNameServer } from '#test/support/webhooks/name-server.js';
import { addEndpoint } from '#test/support/webhooks/outbox.js';
import {
  type Receiver,
  receiverVariables,
  startReceiver,
} from '#test/support/webhooks/receiver.js';
import { type CabledHost, type Network, startNetwork } from './network.js';

export const ENGINE = 'Two hosts';
const PARTITIONS = '16';
/** All processes share two cores with the load. */
const PER_SECOND = 80;
/** A request to a host that is cut off takes 20 s until its client gives up, and is then repeated. */
const GIVE_UP_MS = 120_000;
const SERVES_MS = 60_000;
const DELIVERED_MS = 120_000;

export type Variables = Readonly<Record<string, string>>;

export interface HostedService extends Service {
  readonly second: CabledHost;
  readonly receiver: Receiver;
  /** All processes of the second host. */
  readonly onSecond: readonly RunningProcess[];
  /** The balancer in front of the gateways sends requests to the first host only, or to both. */
  readonly balance: (to: 'first' | 'both') => void;
  /** Resolves when the gateway of one host has created a payment. */
  readonly serve: (host: 'first' | 'second') => Promise<unknown>;
}

export interface HostedOptions {
  /** Changes those of the second host: how it reaches the stores, or its clock. */
  readonly changeSecond?: (stores: Variables, network: Network) => Promise<Variables>;
}

/** Runs `fault` under load. Then all invariants must hold, and each event must have been delivered. */
export async function underLoadOnHosts(
  t: Test,
  options: HostedOptions,
  fault: (service: HostedService) => Promise<void>,
): Promise<void> {
  const service = await startHosts(t, options);
  await judge(t, service, {}, () => fault(service));
  await waitUntil('all events are delivered', () => isAllDelivered(service), DELIVERED_MS);
  for (const one of service.onSecond) t.ok(one.isRunning(), `${one.name} did not end by itself`);
}

async function isAllDelivered({ sql, receiver }: HostedService): Promise<boolean> {
  const rows = await sql<{ id: string }[]>`
    select envelope::json ->> 'id' as id from payment_events where envelope is not null`;
  const arrived = new Set(receiver.received.map(({ id }) => id));
  return rows.length > 0 && rows.every(({ id }) => arrived.has(id));
}

async function startHosts(t: Test, { changeSecond }: HostedOptions): Promise<HostedService> {
  const network = await startNetwork(t);
  const stores = await startStores(t, network.address);
  const { redisUrl, databaseUrl } = stores;
  const merchant = await createTestMerchant(databaseUrl);
  const receiver = await startReceiver(t, network.address);
  const names = await startNameServer(t, { 'receiver.test': [network.address] }, network.address);
  const variables: Variables = {
    ...{ PARTITIONS, BASE_URL, LOG_LEVEL: 'warn', LEASE_MS: '5000' },
    ...{ REDIS_URL: redisUrl, DATABASE_URL: databaseUrl },
    ...(await receiverVariables(t)),
    ...{ WEBHOOK_ALLOW_TARGETS: `${network.address}/32`, WEBHOOK_DNS_SERVERS: names.address },
  };
  const [first, second] = [await network.addHost('first'), await network.addHost('second')];
  const changed = { ...variables, ...(await changeSecond?.(variables, network)) };
  const [payments, gateway] = [
    await startProcess(t, 'payments', variables, first),
    await startProcess(t, 'gateway', variables, first),
  ];
  const [otherPayments, otherGateway, rails, webhooks] = [
    await startProcess(t, 'payments', changed, second),
    await startProcess(t, 'gateway', changed, second),
    await startProcess(t, 'rails', changed, second),
    await startProcess(t, 'webhooks', changed, second),
  ];
  const balanced = [gateway.baseUrl, otherGateway.baseUrl];
  const service = openService(t, {
    ...{ redisUrl, databaseUrl, variables, balanced, apiKey: merchant.testKey },
    ...{ gateways: [gateway, otherGateway], payments: [payments, otherPayments] },
    ...{ perSecond: PER_SECOND, giveUpMs: GIVE_UP_MS },
  });
  await addEndpoint(service.sql, merchant.merchantId, receiver.url);
  return {
    ...{ ...service, second, receiver },
    onSecond: [otherPayments, otherGateway, rails, webhooks],
    balance: (to) => {
      balanced.splice(0, balanced.length, gateway.baseUrl);
      if (to === 'both') balanced.push(otherGateway.baseUrl);
    },
    serve: (host) =>
      createsAt(service.load, (host === 'first' ? gateway : otherGateway).baseUrl, SERVES_MS),
  };
}

/** Both listen on this machine's address in the network too. */
async function startStores(
  t: Test,
  address: string,
): Promise<{ readonly redisUrl: string; readonly databaseUrl: string }> {
  const redis = await startRedis(t, { settings: [`bind 127.0.0.1 ${address}`] });
  const postgres = await startPostgres(t, { address });
  const reach = (url: string): string => url.replace('127.0.0.1', address);
  return { redisUrl: reach(redis.url), databaseUrl: reach(await postgres.createDatabase('kasir')) };
}
