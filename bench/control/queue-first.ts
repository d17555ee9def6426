// A rival: the queue-first service that one builds with BullMQ. Fastify adds a job and waits until it is finished; a worker, in a
// process of its own, stores the payment as the control does, in one transaction, and returns it. The job is on the disk of Redis
// before its work begins, and the payment on that of Postgres before its answer.
//   node dist/bench/control/queue-first.js serve <database url> <redis url> <port>
//   node dist/bench/control/queue-first.js work <database url> <redis url> <port>     the port is that of `serve`
import { Queue, QueueEvents, Worker } from 'bullmq';
import postgres from 'postgres';
import {
  answerOf,
  type CreateAnswer,
  createPayment,
  type CreateRequest,
  toRow,
} from './payments.js';
import { addCreate, cacheCallers, listen, openApp, reportReady } from './serve.js';

const QUEUE = 'creates';
const POOL = 16;
/**
 * Jobs at once, twice the pool. With 16, 32, 64 and 128 jobs it made 2,551, 2,544, 2,329 and 1,752 creates/s at 64 connections, and
 * 2,544, 2,460, 2,756 and 2,256 at 256.
 */
const CONCURRENCY = 32;
/** A request that begins to wait for a job that is finished and removed is rejected (`Missing key for job`), so jobs are kept. */
const KEPT = { count: 5_000 };
const DEADLINE_MS = 10_000;

const [role = '', databaseUrl = '', redisUrl = '', port = ''] = process.argv.slice(2);
const connection = { url: redisUrl, maxRetriesPerRequest: null };

async function serve(): Promise<void> {
  const queue = new Queue<CreateRequest, CreateAnswer>(QUEUE, {
    connection,
    defaultJobOptions: { removeOnComplete: KEPT, removeOnFail: KEPT },
  });
  const events = new QueueEvents(QUEUE, { connection });
  // Each waiting request has a listener for the end of the queue; Node warns of a leak from eleven on.
  queue.setMaxListeners(0);
  queue.on('error', console.error);
  events.on('error', console.error);
  await events.waitUntilReady();
  const app = openApp();
  app.addHook('onClose', async () => {
    await Promise.all([queue.close(), events.close()]);
  });
  const authenticate = cacheCallers(postgres(databaseUrl, { max: 1 }));
  addCreate(app, authenticate, '/v1/payments', async (request) => {
    const job = await queue.add('create', request);
    return job.waitUntilFinished(events, DEADLINE_MS);
  });
  await listen(app, Number(port));
}

async function work(): Promise<void> {
  const sql = postgres(databaseUrl, { max: POOL });
  const baseUrl = `http://127.0.0.1:${port}`;
  const worker = new Worker<CreateRequest, CreateAnswer>(
    QUEUE,
    async ({ data: { caller, key, body } }) =>
      answerOf(await createPayment(sql, toRow(caller, key, body), 'transaction'), baseUrl),
    { connection, concurrency: CONCURRENCY },
  );
  worker.on('error', console.error);
  await worker.waitUntilReady();
  reportReady(() => worker.close());
}

await (role === 'serve' ? serve() : work());
