// The HTTP side that all controls share: Fastify, schemas compiled, keys found by digest and cached, logger off. A control says
// only how it makes the payment.
import { createHash } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type postgres from 'postgres';
import type { Caller, CreateAnswer, CreateRequest, CreateBody } from './payments.js';
import { createBody, createHeaders, payment } from './schemas.js';

const KEY_TTL_MS = 60_000;

export type Authenticate = (request: FastifyRequest) => Promise<Caller | undefined>;

export function openApp(): FastifyInstance {
  return fastify({ logger: false });
}

export function cacheCallers(sql: postgres.Sql): Authenticate {
  const callers = new Map<string, { caller: Caller; untilMs: number }>();
  return async (request) => {
    const authorization = request.headers.authorization ?? '';
    if (!authorization.startsWith('Bearer ')) return undefined;
    const digest = createHash('sha256').update(authorization.slice(7)).digest();
    const cached = callers.get(digest.toString('base64'));
    if (cached !== undefined && cached.untilMs > Date.now()) return cached.caller;
    const [row] = await sql<{ merchant_id: string; environment: string }[]>`
      select merchant_id, environment from api_keys where digest = ${digest}`;
    if (row === undefined) return undefined;
    const caller = { merchantId: row.merchant_id, environment: row.environment };
    callers.set(digest.toString('base64'), { caller, untilMs: Date.now() + KEY_TTL_MS });
    return caller;
  };
}

export function refuse(reply: FastifyReply, status: number, code: string): FastifyReply {
  return reply.code(status).send({ error: { code } });
}

export function addCreate(
  app: FastifyInstance,
  authenticate: Authenticate,
  path: string,
  create: (request: CreateRequest) => Promise<CreateAnswer>,
): void {
  const schema = {
    body: createBody,
    headers: createHeaders,
    response: { 200: payment, 201: payment },
  };
  app.post<{ Body: CreateBody; Headers: { 'idempotency-key': string } }>(
    path,
    { schema },
    async (request, reply) => {
      const caller = await authenticate(request);
      if (caller === undefined) return refuse(reply, 401, 'credential_invalid');
      const key = request.headers['idempotency-key'];
      const answer = await create({ caller, key, body: request.body });
      if (answer.kind === 'conflict') return refuse(reply, 409, 'idempotency_conflict');
      return reply.code(answer.kind === 'created' ? 201 : 200).send(answer.payment);
    },
  );
}

export async function listen(app: FastifyInstance, port: number): Promise<void> {
  await app.listen({ port, host: '127.0.0.1' });
  reportReady(() => app.close());
}

/** Tells the bench that it may begin, and ends when the bench says so or is gone. */
export function reportReady(close: () => Promise<unknown>): void {
  process.send?.({ type: 'ready' });
  process.once('SIGTERM', () => {
    void close().then(() => process.exit(0));
  });
  // An interrupted bench stops nothing itself.
  process.once('disconnect', () => process.exit(0));
}
