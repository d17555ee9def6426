// Every name that the path uses in Redis. All keys of a partition share a hash tag, so that a partition is
// one slot of a Redis Cluster.

function twoDigits(partition: number): string {
  return partition < 10 ? `0${partition}` : String(partition);
}

/** Stream of command frames of a partition; gateways and rails append, the owner reads and trims. */
export const commandsKey = (partition: number): string => `{p${twoDigits(partition)}}:commands`;

/** Channel on which commits with events for merchants wake the fan-out; the message says nothing. */
export const EVENTS_CHANNEL = 'kasir:events';

/** Channel of replies to one gateway process; payments processes publish, the gateway subscribes. */
export const repliesChannel = (gateway: string): string => `{${gateway}}:replies`;
