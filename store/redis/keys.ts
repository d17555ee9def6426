// All keys and channels in Redis. The keys of a partition share a hash tag, so that they share a hash slot.

function padPartition(partition: number): string {
  return partition < 10 ? `0${partition}` : String(partition);
}

/** Stream of command frames of a partition: gateways and rails processes append, the owner reads and trims. */
export const buildCommandsKey = (partition: number): string =>
  `{p${padPartition(partition)}}:commands`;

/** Channel on which a commit with events for merchants wakes the fan-out; the message names partitions (wake-up.ts). */
export const EVENTS_CHANNEL = 'kasir:events';

/** Channel on which a commit with calls to rails wakes the rails processes; the message names kinds of calls (wake-up.ts). */
export const RAIL_CALLS_CHANNEL = 'kasir:rail-calls';

/** Channel on which the webhooks processes tell gateways which endpoints had attempts or replays (wake-up.ts). */
export const DELIVERIES_CHANNEL = 'kasir:deliveries';

/** List of callbacks of rails: gateways push, rails processes pop. */
export const CALLBACKS_KEY = 'kasir:rail-callbacks';

/** Channel of replies to one gateway process: payments and rails processes publish, the gateway subscribes. */
export const buildRepliesChannel = (gateway: string): string => `{${gateway}}:replies`;

const buildWebhookKey = (partition: number, part: string): string =>
  `{w${padPartition(partition)}}:${part}`;

/** Stream of deliveries (ids only) to attempt now: webhooks processes append and read as a group. */
export const buildReadyKey = (partition: number): string => buildWebhookKey(partition, 'ready');

/** Set of the deliveries in `ready`, waiting or under way: it has a member per entry. */
export const buildHeldKey = (partition: number): string => buildWebhookKey(partition, 'held');

/** Sorted set of deliveries to attempt, `<endpoint> <delivery>`, by due time in Unix milliseconds. */
export const buildDueKey = (partition: number): string => buildWebhookKey(partition, 'due');

/** Sorted set of the endpoints whose lanes have deferred deliveries, by the time when the lane is due again. */
export const buildLanesKey = (partition: number): string => buildWebhookKey(partition, 'lanes');

/** Hash of the lanes whose lists had no room: how many deliveries were left to Postgres, by endpoint. */
export const buildOverflowKey = (partition: number): string =>
  buildWebhookKey(partition, 'overflow');

/** The endpoint's id follows. */
export const buildDeferredPrefix = (partition: number): string =>
  buildWebhookKey(partition, 'deferred:');

/** Sorted set of the deferred deliveries of an endpoint's lane, in their order. */
export const buildDeferredKey = (partition: number, endpointId: string): string =>
  buildDeferredPrefix(partition) + endpointId;

/** Stream of dead letters, for operators who want to follow them; the rows in Postgres are the truth. */
export const buildDeadKey = (partition: number): string => buildWebhookKey(partition, 'dead');

/** Bucket of a rate limit. All share a hash slot, since one call counts many. It expires when it is empty. */
export const buildLimitKey = (bucket: string): string => `{limits}:${bucket}`;

/** Sorted set of the webhooks processes, by the time when each was last alive. */
export const WEBHOOK_PROCESSES_KEY = 'kasir:webhooks:processes';

/** Name of the process that reconciles deliveries; it expires. */
export const RECONCILER_KEY = 'kasir:webhooks:reconciler';

/** Name of the rails process that sends the commands of due payments; it expires. */
export const DUE_PAYMENTS_KEY = 'kasir:due-payments:leader';

/** Stream of API logs on their way to `api_logs`: gateways append, webhooks processes read as a group. */
export const API_LOGS_KEY = 'kasir:api-logs';

/** Bytes that wait in that stream, in its hash slot. */
export const API_LOG_BYTES_KEY = `{${API_LOGS_KEY}}:bytes`;
