// A control: the queue of webhooks that one builds with BullMQ. One job a delivery with its body, added in bulk; failures are
// retried with a back-off.
//   node dist/bench/webhooks/bullmq.js <its settings, a JSON file>
import { Queue, Worker } from 'bullmq';
import { ATTEMPTS, deliver, type Delivery, readSettings, serveAdds } from './control.js';

const settings = readSettings();
const connection = { host: '127.0.0.1', ...settings.redis, maxRetriesPerRequest: null };
const opts = {
  attempts: ATTEMPTS,
  backoff: { type: 'exponential', delay: 5_000 },
  removeOnComplete: true,
};

const queue = new Queue<Delivery>('webhooks', { connection });
const worker = new Worker<Delivery>('webhooks', (job) => deliver(job.data), {
  connection,
  concurrency: settings.concurrency,
});
worker.on('error', console.error);
serveAdds(settings, (deliveries) =>
  queue.addBulk(deliveries.map((data) => ({ name: 'deliver', data, opts }))),
);
