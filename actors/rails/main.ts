// The rails process: what happens to payments by time; later also the calls to rails, their callbacks and
// status look-ups. Wiring only, from top to bottom.
import { nanoid } from 'nanoid';
import { withDeadline } from '../../ops/runtime/deadline.js';
import { beginProcess } from '../../ops/runtime/process.js';
import { closePostgres, openPostgres } from '../../store/postgres/client.js';
import { checkInstallation } from '../../store/postgres/installation.js';
import { loadDue } from '../../store/postgres/payments/load-due.js';
import { openRedis } from '../../store/redis/client.js';
import { sendFrames } from '../../store/redis/commands.js';
import { DueClock } from './due.js';

const CONNECTIONS = 2;
const STATEMENT_DEADLINE_MS = 5_000;

const { config, log, life } = await beginProcess('rails');

const reads = openPostgres(config.databaseUrl, 'rails', CONNECTIONS);
life.onStop('postgres', () => closePostgres(reads));
await checkInstallation(reads, { partitions: config.partitions, idKey: config.idKey });

const redis = openRedis(config.redisUrl, (error) => {
  log.warn({ err: error }, 'redis');
});
life.onStop('redis', () => {
  redis.disconnect();
});

const name = `rails-${process.pid}-${nanoid(8)}`;
const due = new DueClock({
  load: (after, limit) => withDeadline(loadDue(reads, after, limit), STATEMENT_DEADLINE_MS),
  send: (frames) => sendFrames(redis, name, frames),
  partitions: config.partitions,
  monotonicMs: () => performance.now(),
  log,
});
life.onStop('due payments', () => due.stop());
life.ready();
