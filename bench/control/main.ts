// The control: the same create and get as an ordinary, well-kept service does them. Fastify and postgres.js,
// one process, schemas compiled, keys cached, logger off, a pool of 16, one transaction a request.
//   node dist/bench/control/main.js <database url> <port>
// POST /v1/payments is the control; POST /statement/payments does the same in one statement.
import postgres from 'postgres';
import { answerOf, createPayment, getPayment, toRow, viewOf, type Way } from './payments.js';
import { payment } from './schemas.js';
import { addCreate, cacheCallers, listen, openApp, refuse } from './serve.js';

const POOL = 16;

const [databaseUrl = '', portText = ''] = process.argv.slice(2);
const port = Number(portText);
const baseUrl = `http://127.0.0.1:${port}`;
const sql = postgres(databaseUrl, { max: POOL });
const authenticate = cacheCallers(sql);
const app = openApp();

function addWay(path: string, way: Way): void {
  addCreate(app, authenticate, path, async ({ caller, key, body }) =>
    answerOf(await createPayment(sql, toRow(caller, key, body), way), baseUrl),
  );
}

addWay('/v1/payments', 'transaction');
addWay('/statement/payments', 'statement');

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

await listen(app, port);
