// The control: the same create and get as an ordinary, well-kept service does them. Fastify and postgres.js,
// one process, schemas compiled, keys cached, logger off, a pool of 16, one transaction a request.
//   node dist/bench/control/main.js <database url> <port>
// POST /v1/payments is the control; POST /statement/payments does the same in one statement.
import { createHash } from 'node:crypto';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import postgres from 'postgres';
import {
  type Caller,
  createPayment,
  type CreateBody,
  getPayment,
  toRow,
  viewOf,
  type Way,
} from './payments.js';
import { createBody, createHeaders, payment } from './schemas.js';

const POOL = 16;
const KEY_TTL_MS = 60_000;

const [databaseUrl = '', portText = ''] = process.argv.slice(2);
const port = Number(portText);
const baseUrl = `http://127.0.0.1:${port}`;
const sql = postgres(databaseUrl, { max: POOL });
const callers = new Map<string, { caller: Caller; untilMs: number }>();
const app = fastify({ logger: false });

async function authenticate(request: FastifyRequest): Promise<Caller | undefined> {
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
}

function refuse(reply: FastifyReply, status: number, code: string): FastifyReply {
  return reply.code(status).send({ error: { code } });
}

function addCreate(path: string, way: Way): void {
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
      const row = toRow(caller, request.headers['idempotency-key'], request.body);
      const created = await createPayment(sql, row, way);
      if (created.kind === 'conflict') return refuse(reply, 409, 'idempotency_conflict');
      return reply.code(created.kind === 'created' ? 201 : 200).send(viewOf(created.row, baseUrl));
    },
  );
}

addCreate('/v1/payments', 'transaction');
addCreate('/statement/payments', 'statement');

app.get<{ Params: { id: string } }>(
  '/v1/payments/:id',
  { schema: { response: { 200: payment } } },
  async (request, reply) => {
    const caller = await authenticate(request);
    if (caller === undefined) return refuse(reply, 401, 'credential_invalid');
    const row = await getPayment(sql, caller, request.params.id);
    return row === undefined ? refuse(reply, 404, 'payment_not_found') : viewOf(row, baseUrl);
  },
);

await app.listen({ port, host: '127.0.0.1' });
process.send?.({ type: 'ready' });
process.once('SIGTERM', () => {
  void app.close().then(() => process.exit(0));
});
// An interrupted bench stops nothing itself.
process.once('disconnect', () => process.exit(0));
