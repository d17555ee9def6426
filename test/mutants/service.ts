// Mutants of loops, of answers and of the presence of processes, beside the protocols.
import type { Mutant } from './mutant.js';

export const SERVICE_MUTANTS: readonly Mutant[] = [
  {
    breaks: 'a wake-up during a round of a loop starts another round',
    file: 'ops/runtime/loop.ts',
    from: 'await wait(isWoken ? 0 : (delayMs ?? 0));',
    to: 'await wait(delayMs ?? 0);',
    caughtBy: 'test/ops/runtime/loop.test.ts',
  },
  {
    breaks: 'a conflict is answered 409',
    file: 'gateway/routing/errors.ts',
    from: "buildRow(409, 'conflict', message)",
    to: "buildRow(400, 'conflict', message)",
    caughtBy: 'test/gateway/routing/errors.test.ts',
  },
  {
    breaks: 'only a process whose own presence is older judges that another one died',
    file: 'store/postgres/payments/partition-leases.ts',
    from: 'and (present_at > ${since} or',
    to: 'and (now() > ${since} or',
    caughtBy: 'test/store/payments/presence.test.ts',
  },
  {
    breaks: 'a process whose own presence is lost judges nobody',
    file: 'store/postgres/payments/partition-leases.ts',
    from: '::bigint in (select key from held), false)',
    to: '::bigint is not null, false)',
    caughtBy: 'test/store/payments/presence.test.ts',
  },
  {
    breaks: 'a migration waits for a lock for a moment only',
    file: 'store/postgres/migration/retry-locked.ts',
    from: 'LOCK_TIMEOUT_MS = 1_500',
    to: 'LOCK_TIMEOUT_MS = 0',
    caughtBy: 'test/store/migration/locked-tables.test.ts',
  },
];
