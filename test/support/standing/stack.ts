// Starts a standing stack: one service with a database of its own, in which each test file makes its own merchants. The runner
// starts it for all files of a run; a file that is run by itself starts its own.
import { waitForService } from '#ops/dev/launch/readiness.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { readConfig } from '#ops/runtime/config.js';
import type { Controlled } from '../controlled.js';
import { createTestMerchant, startProcess, TEST_KEYS } from '../processes.js';
import { createDatabase, startRedis, type TestScope } from '../servers.js';
import { openServing } from '../serving.js';
import { readGivenStacks, type StackAddresses, type StackKind } from './addresses.js';

const STARTS_MS = 60_000;
/** The processes beside the gateways. */
const OTHERS = {
  payments: ['payments'],
} as const satisfies Record<StackKind, readonly string[]>;

export interface Stack {
  readonly addresses: StackAddresses;
  /** Its processes and its Redis. */
  readonly programs: readonly Controlled[];
}

/** Resolves when every gateway has created payments. */
export async function startStack(t: TestScope, kind: StackKind): Promise<Stack> {
  const redis = await startRedis(t);
  const databaseUrl = await createDatabase(t);
  const port = await findFreePort();
  const publicUrl = `http://localhost:${port}`;
  const variables = { BASE_URL: publicUrl, REDIS_URL: redis.url, DATABASE_URL: databaseUrl };
  const [gateways, others] = await Promise.all([
    Promise.all([
      startProcess(t, 'gateway', { ...variables, PORT: String(port) }),
      startProcess(t, 'gateway', variables),
    ]),
    Promise.all(OTHERS[kind].map((name) => startProcess(t, name, variables))),
  ]);
  const { partitions } = readConfig('gateway', { ...TEST_KEYS, ...variables });
  for (const gateway of gateways) {
    const address = { port: gateway.port, partitions, redisUrl: redis.url };
    await waitForService(address, STARTS_MS);
  }
  const { testKey } = await createTestMerchant(databaseUrl);
  await openServing(gateways, testKey).serves();
  const baseUrls = gateways.map(({ baseUrl }) => baseUrl);
  return {
    addresses: { baseUrls, publicUrl, databaseUrl },
    programs: [redis, ...gateways, ...others],
  };
}

const own = new Map<StackKind, Promise<StackAddresses>>();

/** That of the run; a test file that runs without the runner has one of its own, which ends with the file. */
export async function findStack(kind: StackKind): Promise<StackAddresses> {
  const given = readGivenStacks()[kind];
  if (given !== undefined) return given;
  const started = own.get(kind) ?? startOwn(kind);
  own.set(kind, started);
  return started;
}

async function startOwn(kind: StackKind): Promise<StackAddresses> {
  const { default: tap } = await import('tap');
  return (await startStack(tap, kind)).addresses;
}
