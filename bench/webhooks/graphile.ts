// A control: the queue of webhooks that one builds with graphile-worker on Postgres, with the settings that its page on
// performance recommends. One job a delivery with its body, added in bulk; failures are retried with a back-off.
//   node dist/bench/webhooks/graphile.js <its settings, a JSON file>
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { ATTEMPTS, deliver, type Delivery, readSettings, serveAdds } from './control.js';

/** Jobs that are fetched at once. */
const FETCHED_AT_ONCE = 500;
const POOL = 16;

const settings = readSettings();
/** Each job that ends is a line of its own otherwise. */
const logger = new Logger(() => (level, message) => {
  if (String(level) === 'error') console.error(message);
});
const common = { connectionString: settings.databaseUrl, maxPoolSize: POOL, logger };
const utils = await makeWorkerUtils(common);
await utils.migrate();
await run({
  ...common,
  concurrency: settings.concurrency,
  noHandleSignals: true,
  preset: {
    worker: {
      localQueue: { size: FETCHED_AT_ONCE },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
  taskList: { deliver: (payload) => deliver(payload as Delivery) },
});
serveAdds(settings, (deliveries) =>
  utils.addJobs(
    deliveries.map((payload) => ({ identifier: 'deliver', payload, maxAttempts: ATTEMPTS })),
  ),
);
