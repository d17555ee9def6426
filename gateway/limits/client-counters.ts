// The buckets of a client: one of each of its networks, whose budgets are wider.
import type { BucketCounter, BucketRule } from '#store/redis/limits/buckets.js';
import { listNetworks } from '../routing/client-address.js';

/** The rule for `budgets` clients together. */
export function widenRule(rule: BucketRule, budgets: number): BucketRule {
  return { ...rule, burst: rule.burst * budgets, costMs: rule.costMs / budgets };
}

/** Empty when the limit is off. */
export function listClientCounters(
  prefix: string,
  rule: BucketRule | undefined,
  address: string,
): readonly BucketCounter[] {
  if (rule === undefined) return [];
  return listNetworks(address).map(({ name, budgets }) => [
    `${prefix}:${name}`,
    widenRule(rule, budgets),
  ]);
}
