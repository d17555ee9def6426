// A server with a few routes of its own, which count the requests that they handle.
import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { digestApiKey, makeApiKey } from '#actors/core/api-key.js';
import type { Credential } from '#actors/core/api-key.js';
import { makeId, parsePaymentId } from '#actors/core/ids.js';
import { CredentialCache } from '#gateway/auth/credentials.js';
import { reply } from '#gateway/routing/response.js';
import { type HttpServer, type ServerOptions, startHttpServer } from '#gateway/http/server.js';
import { buildHealthRoutes } from '#gateway/health.js';
import {
  buildBodySpec,
  defineKeyRoute,
  defineOpenRoute,
  buildQuerySpec,
  type Route,
} from '#gateway/routing/route.js';

export interface Target {
  readonly port: number;
  readonly key: string;
  /** How often a create with this idempotency key was handled; undefined: it cannot be counted. */
  handled(idempotencyKey: string): number | undefined;
}

export interface OwnTarget extends Target {
  readonly server: HttpServer;
  readonly failures: unknown[];
}

const CreateBody = Type.Object(
  {
    amount: Type.String({ pattern: '^[0-9]{1,15}$', errorCode: 'amount_invalid' }),
    description: Type.Optional(Type.String({ maxLength: 500 })),
    metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { additionalProperties: false },
);

export function makeCredential(text: string, changes: Partial<Credential> = {}): Credential {
  return {
    keyId: makeId('key', randomBytes(16)),
    merchantId: makeId('mer', randomBytes(16)),
    environment: text.startsWith('sk_live_') ? 'LIVE' : 'TEST',
    digest: digestApiKey(text),
    takesPayments: true,
    scopes: [],
    allowedAddresses: [],
    ...changes,
  };
}

/** A cache on a list of credentials instead of a store. */
export function createCredentialCache(credentials: readonly Credential[]): CredentialCache {
  return new CredentialCache({
    findCredentials: (digests) =>
      Promise.resolve(
        credentials.filter(({ digest }) => digests.some((each) => each.equals(digest))),
      ),
    monotonicMs: () => performance.now(),
  });
}

export interface TargetChanges {
  readonly routes?: readonly Route[];
  readonly credentials?: readonly Credential[];
  readonly options?: Partial<ServerOptions>;
  /** How long a create takes. */
  readonly handleMs?: number;
}

export async function startTarget(changes: TargetChanges = {}): Promise<OwnTarget> {
  const key = makeApiKey('TEST', randomBytes(96));
  const counts = new Map<string, number>();
  const failures: unknown[] = [];
  const count = (idempotencyKey: string | undefined): void => {
    const name = idempotencyKey ?? '';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  const server = await startHttpServer({
    port: 0,
    isPortShared: false,
    routes: [...buildOwnRoutes(count, changes.handleMs ?? 0), ...(changes.routes ?? [])],
    credentials: createCredentialCache([makeCredential(key), ...(changes.credentials ?? [])]),
    brandHeader: 'Service',
    baseUrl: 'http://localhost',
    trustedProxies: [],
    connectionsPerAddress: 0,
    log: { error: (failure: unknown) => failures.push(failure), warn: () => undefined },
    ...changes.options,
  });
  return { server, port: server.port, key, failures, handled: (name) => counts.get(name) ?? 0 };
}

function buildOwnRoutes(
  count: (idempotencyKey: string | undefined) => void,
  handleMs: number,
): Route[] {
  const params = { payment_id: { parse: parsePaymentId, code: 'payment_not_found' } } as const;
  return [
    ...buildHealthRoutes({
      findMissing: () => undefined,
      hasPayments: () => true,
      isPaymentsNeeded: false,
    }),
    defineKeyRoute({
      method: 'POST',
      path: '/v1/payments',
      operationId: 'create',
      summary: 'create',
      description: '',
      idempotent: true,
      body: buildBodySpec(CreateBody),
      answers: {},
      handle: async (request) => {
        count(request.idempotencyKey);
        await new Promise((resolve) => setTimeout(resolve, handleMs));
        return reply(201, JSON.stringify(request.body));
      },
    }),
    defineKeyRoute({
      method: 'GET',
      path: '/v1/payments/{payment_id}',
      operationId: 'get',
      summary: 'get',
      description: '',
      params,
      query: buildQuerySpec(
        Type.Object({ expand: Type.Optional(Type.String()) }, { additionalProperties: false }),
      ),
      answers: {},
      handle: ({ params: { payment_id }, query }) =>
        reply(200, JSON.stringify({ id: payment_id, ...query })),
    }),
    defineOpenRoute({
      method: 'GET',
      path: '/v1/sandbox/payments/{payment_id}',
      cpuUs: 100,
      summary: 'open',
      params,
      answers: {},
      handle: (request) => reply(200, JSON.stringify({ address: request.address })),
    }),
  ];
}
