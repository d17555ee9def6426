// Finds payments that are due and sends each the command that its snapshot calls for.
//
// The loop keeps no state that matters: a payment is due in Postgres until a commit has changed it. Environments and
// merchants take turns, and the partitions hold a few of these commands at a time, so that a storm of expiries delays no
// create. A command that has no effect is sent again after 3 s, then with doubled waits; a repeat has no effect.
import type { PaymentCommand } from '../core/payment/commands.js';
import { buildDueCommand } from '../core/payment/due.js';
import { decodeSnapshot } from '../core/payment/wire/snapshot.js';
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { DuePayment } from '#store/postgres/payments/due-payments.js';
import { type BackgroundSender, MAX_UNDER_WAY } from '#store/redis/background-sender.js';
import type { DuePaymentStore } from './calls/ports.js';

const CHECK_EVERY_MS = 250;
/** While more payments are due: their partitions commit meanwhile. */
const CHECK_SOON_MS = 10;

export interface PaymentSchedulerDeps {
  readonly store: DuePaymentStore;
  readonly background: BackgroundSender;
  readonly clock: Clock;
  readonly log: Log;
}

export function startPaymentScheduler(deps: PaymentSchedulerDeps): Loop {
  const { store, background, clock, log } = deps;
  return startLoop({
    name: 'payment scheduler',
    everyMs: CHECK_EVERY_MS,
    clock,
    log,
    work: async () => {
      const room = await background.readRoom();
      if (!room.hasAny) return CHECK_EVERY_MS;
      const due = await store.loadDue(MAX_UNDER_WAY);
      const stuck = due.filter(({ id }) => room.isStuck(id));
      if (stuck.length > 0) await store.deferDue(listIds(stuck));
      const chosen = due.filter(({ id }) => room.take(id));
      if (chosen.length > 0) await sendCommands(deps, chosen);
      return due.length < MAX_UNDER_WAY ? CHECK_EVERY_MS : CHECK_SOON_MS;
    },
  });
}

const listIds = (due: readonly DuePayment[]): string[] => due.map(({ id }) => id);

/** Sends the commands of the payments that no other process has claimed. */
async function sendCommands(
  { store, background, log }: PaymentSchedulerDeps,
  due: readonly DuePayment[],
): Promise<void> {
  const claimed = await store.claimDue(listIds(due));
  const commands = due
    .filter(({ id }) => claimed.has(id))
    .map((payment) => readCommand(payment, log));
  await background.send(commands.filter((command) => command !== null));
}

/** null: nothing is to be done, or the snapshot cannot be read. That is logged, and the payment waits for its next claim. */
function readCommand({ id, snapshot }: DuePayment, log: Log): PaymentCommand | null {
  try {
    return buildDueCommand(decodeSnapshot(snapshot));
  } catch (error) {
    log.error({ err: error, id }, 'the snapshot of a due payment cannot be read; it is skipped');
    return null;
  }
}
