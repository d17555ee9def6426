// Measures how long nothing is written when another member becomes primary, and prints it: Patroni's own time until the promotion,
// and from there to the first payment.
import { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { isAnswered } from '#test/support/load/history.js';
import type { Load } from '#test/support/load/load.js';
import type { Member } from '#test/support/engines/patroni.js';
import type { WatchedPostgres } from '#test/support/engines/watched-postgres.js';

/** Users may rely on it, also on a busy machine. */
const PROMISED_MS = 10_000;
/** Patroni needs its `ttl` to miss a leader. */
const PROMOTED_MS = 90_000;

interface TakeOver {
  readonly title: string;
  readonly promotedMs: number;
  readonly createdMs: number;
}

/** Runs `fault` with the primary, and waits until another member is and a payment was created there. Returns the new primary. */
export async function measureTakeOver(
  t: Test,
  title: string,
  { postgres, load }: { readonly postgres: WatchedPostgres; readonly load: Load },
  fault: (former: Member) => Promise<unknown>,
): Promise<Member> {
  const former = await postgres.findPrimary();
  const faultMs = performance.now();
  const done = fault(former);
  const primary = await waitUntil(
    'another member is primary',
    async () => {
      const others = postgres.members.filter((member) => member !== former);
      for (const member of others) if ((await member.ask('/primary')) === 200) return member;
      return null;
    },
    PROMOTED_MS,
  );
  const promotedMs = performance.now() - faultMs;
  await done;
  const findCreated = (): number | undefined =>
    load.history
      .filter(
        (entry) =>
          entry.operation.kind === 'create' &&
          entry.endMs > faultMs + promotedMs &&
          isAnswered(entry) &&
          entry.result.status === 201,
      )
      .at(0)?.endMs;
  const endMs = await waitUntil('a payment is created', findCreated);
  const createdMs = endMs - faultMs;
  print({ title, promotedMs, createdMs });
  t.ok(createdMs - promotedMs <= PROMISED_MS, `${title}: writes go on after the promotion`);
  return primary;
}

const COLUMN = 15;

function print({ title, promotedMs, createdMs }: TakeOver): void {
  const cells = [promotedMs, createdMs - promotedMs, createdMs].map((ms) =>
    `${(ms / 1_000).toFixed(1)} s`.padStart(COLUMN),
  );
  process.stderr.write(`${title.padEnd(52)}${cells.join('')}\n`);
}

export function printHead(): void {
  const heads = ['promoted', 'then created', 'in all'];
  process.stderr.write(`${''.padEnd(52)}${heads.map((head) => head.padStart(COLUMN)).join('')}\n`);
}
