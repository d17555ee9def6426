// The control: a well-kept queue of webhooks as one builds it with BullMQ and fetch. One job a delivery with its
// body, added in bulk; a worker signs it and posts it over kept connections, with a deadline; failures are retried
// with a back-off. No guard, no lanes, no record of attempts, one signature.
//   node control.js <its settings, a JSON file>
import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Queue, Worker } from 'bullmq';

export interface ControlSettings {
  readonly redis: { readonly port: number; readonly password: string };
  readonly urls: readonly string[];
  readonly body: string;
  readonly concurrency: number;
  readonly port: number;
}

const DEADLINE_MS = 10_000;
const ADDED_AT_ONCE = 250;

const settings = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as ControlSettings;
const connection = { host: '127.0.0.1', ...settings.redis, maxRetriesPerRequest: null };
const secret = `whsec_${randomBytes(32).toString('base64')}`;

interface Delivery {
  readonly id: string;
  readonly url: string;
  readonly body: string;
}

async function deliver({ id, url, body }: Delivery): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
      'webhook-id': id,
    },
    body,
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  await response.text();
  if (!response.ok) throw new Error(`status ${response.status}`);
}

const queue = new Queue<Delivery>('webhooks', { connection });
const worker = new Worker<Delivery>('webhooks', (job) => deliver(job.data), {
  connection,
  concurrency: settings.concurrency,
});
worker.on('error', (error) => {
  console.error(error);
});

async function add(count: number): Promise<void> {
  const { urls, body } = settings;
  for (let from = 0; from < count; from += ADDED_AT_ONCE) {
    const jobs = Array.from({ length: Math.min(ADDED_AT_ONCE, count - from) }, (_, index) => ({
      name: 'deliver',
      data: { id: `evt_${from + index}`, url: urls[(from + index) % urls.length] ?? '', body },
      opts: {
        attempts: 12,
        backoff: { type: 'exponential', delay: 5_000 },
        removeOnComplete: true,
      },
    }));
    await queue.addBulk(jobs);
  }
}

// POST /<count> delivers so many.
createServer((request, response) => {
  add(Number(request.url?.slice(1))).then(
    () => response.end(),
    (error: unknown) => {
      console.error(error);
      response.writeHead(500).end();
    },
  );
}).listen(settings.port, '127.0.0.1', () => process.send?.({ type: 'ready' }));
process.on('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
