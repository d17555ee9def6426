// New merchants on the standing stack of gateways and a payments process. Other files use the stack at the same time, so a
// file that stops a process, reads metrics or logs, changes a limit or a switch, or reads more than its own merchants starts
// a service of its own (`startService`, `startGateways`).
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import type { TestScope } from '../servers.js';
import {
  addMerchant,
  describeStack,
  type StandingService,
  type StandingStack,
} from './merchant.js';
import { findStack } from './stack.js';

export async function useService(): Promise<StandingService> {
  return addMerchant(await findStack('payments'));
}

export interface StandingGateways extends StandingStack {
  readonly sql: Postgres;
}

/** For files that make merchants and users themselves. The connections to Postgres end with the test. */
export async function useGateways(t: TestScope): Promise<StandingGateways> {
  const stack = describeStack(await findStack('payments'));
  const sql = openPostgres(stack.databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  return { ...stack, sql };
}
