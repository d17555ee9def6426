// Every name that the path uses in Redis. All keys of a partition share a hash tag, so that a partition is
// one slot of a Redis Cluster.

function padPartition(partition: number): string {
  return partition < 10 ? `0${partition}` : String(partition);
}

/** Stream of command frames of a partition; gateways and rails append, the owner reads and trims. */
export const buildCommandsKey = (partition: number): string =>
  `{p${padPartition(partition)}}:commands`;

/** Channel on which commits with events for merchants wake the fan-out; the message says nothing. */
export const EVENTS_CHANNEL = 'kasir:events';

/** Channel on which commits with calls to rails wake the rails processes; the message names lanes (wake-up.ts). */
export const RAIL_CALLS_CHANNEL = 'kasir:rail-calls';

/** List of callbacks of rails, from gateways to whichever rails process takes them. */
export const CALLBACKS_KEY = 'kasir:rail-callbacks';

/** Channel of replies to one gateway process; payments processes publish, the gateway subscribes. */
export const buildRepliesChannel = (gateway: string): string => `{${gateway}}:replies`;

const buildWebhookKey = (partition: number, part: string): string =>
  `{w${padPartition(partition)}}:${part}`;

/** Stream of deliveries (ids only) to be attempted now; webhooks processes append and read as a group. */
export const buildReadyKey = (partition: number): string => buildWebhookKey(partition, 'ready');

/** Set of the deliveries that stand in `ready`, waiting or worked on: as many members as entries. */
export const buildHeldKey = (partition: number): string => buildWebhookKey(partition, 'held');

/**
 * Sorted set by Unix milliseconds of what is to be moved on later: `<endpoint> <delivery>` to be attempted,
 * `<endpoint>` alone where the list of its lane is.
 */
export const buildDueKey = (partition: number): string => buildWebhookKey(partition, 'due');

/** What the list of a lane begins with; the endpoint's id follows. */
export const buildDeferredPrefix = (partition: number): string =>
  buildWebhookKey(partition, 'parked:');

/** Sorted set of deliveries that their endpoint's lane could not take, in their order. */
export const buildDeferredKey = (partition: number, endpointId: string): string =>
  buildDeferredPrefix(partition) + endpointId;

/** Stream of deliveries that died, for whoever wants to hear of it; the rows are the truth. */
export const buildDeadKey = (partition: number): string => buildWebhookKey(partition, 'dead');

/** Bucket of a rate limit; all in one slot, since one call counts many. Expires when it is empty. */
export const buildLimitKey = (bucket: string): string => `{limits}:${bucket}`;

/** Who reconciles deliveries at the moment; expires by itself. */
export const RECONCILER_KEY = 'kasir:webhooks:reconciler';

/** Stream of requests and their answers, on their way to `api_logs`; gateways append, webhooks processes read as a group. */
export const API_LOGS_KEY = 'kasir:api-logs';

/** How many bytes wait in that stream; in its slot. */
export const API_LOG_BYTES_KEY = `{${API_LOGS_KEY}}:bytes`;
