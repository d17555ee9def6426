// Finds payments that are due and sends each the command that its snapshot calls for. One rails process does it for all
// (store/redis/leadership.ts).
//
// The loop keeps no state that matters: a payment is due in Postgres until a commit has changed it, and a repeated command
// has no effect. So a new leader begins from the table, and two leaders do no harm. Environments and merchants take turns,
// and the partitions hold a few of these commands at a time, so that a storm of expiries delays no create. A command that
// has no effect is sent again after 3 s, then with doubled waits.
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import { buildDueCommand } from '#actors/core/payment/due.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import { createIdleRest, type Loop, startLoop } from '#ops/runtime/loop.js';
import type { DuePayment, PostponedPayment } from '#store/postgres/payments/due-payments.js';
import { type BackgroundSender, MAX_UNDER_WAY, type Room } from '#store/redis/background-sender.js';
import { type Leadership, RENEW_EVERY_MS } from '#store/redis/leadership.js';
import type { DuePaymentStore } from '../calls/ports.js';
import { SentPayments } from './sent-payments.js';

const CHECK_EVERY_MS = 250;
/** While nothing is due for long. */
const IDLE_MS = 1_000;
/**
 * While more payments are due, the loop rests for so many times as long as its round took, within these bounds. A round is slow
 * when the machine is busy, so a storm of expiries leaves room for creates, and takes the machine when it has no other work.
 */
const RESTS_PER_ROUND = 3;
const MIN_REST_MS = 10;
const MAX_REST_MS = 250;
/** A leader that fails rests for so long, and another process leads meanwhile: it may reach what this one does not. */
const STEPS_ASIDE_MS = 2 * RENEW_EVERY_MS;
/** Of a payment whose partition takes no commands. */
const STUCK_FOR_MS = 10_000;

export interface PaymentSchedulerDeps {
  readonly store: DuePaymentStore;
  readonly background: Pick<BackgroundSender, 'readRoom' | 'send'>;
  readonly leadership: Leadership;
  readonly clock: Clock;
  readonly log: Log;
}

export function startPaymentScheduler(deps: PaymentSchedulerDeps): Pick<Loop, 'stop'> {
  const { store, background, leadership, clock, log } = deps;
  const sent = new SentPayments(() => clock.monotonicMs());
  const rest = createIdleRest(CHECK_EVERY_MS, IDLE_MS);
  const sendDue = async (): Promise<number> => {
    const beganAtMs = clock.monotonicMs();
    const room = await background.readRoom();
    const underWay = sent.listUnderWay(room.isUnderWay);
    if (!room.hasAny) return CHECK_EVERY_MS;
    const due = await store.loadDue(MAX_UNDER_WAY, underWay);
    const { commands, postponed } = chooseCommands(due, { room, sent, log });
    const accepted = await background.send([...commands.values()]);
    for (const payment of commands.keys()) if (accepted.has(payment.id)) sent.note(payment, true);
    if (postponed.length > 0) await store.postponeDue(postponed);
    const restMs = rest(due.length > 0);
    if (due.length < MAX_UNDER_WAY) return restMs;
    const roundMs = clock.monotonicMs() - beganAtMs;
    return Math.min(Math.max(MIN_REST_MS, RESTS_PER_ROUND * roundMs), MAX_REST_MS);
  };
  const work = async (): Promise<number> => {
    if (!(await leadership.isLeading())) return RENEW_EVERY_MS;
    try {
      return await sendDue();
    } catch (error) {
      await leadership.resign();
      await clock.sleep(STEPS_ASIDE_MS);
      throw error;
    }
  };
  const loop = startLoop({ name: 'payment scheduler', everyMs: CHECK_EVERY_MS, clock, log, work });
  return {
    stop: async () => {
      await loop.stop();
      await leadership.resign();
    },
  };
}

interface Choice {
  readonly commands: ReadonlyMap<DuePayment, PaymentCommand>;
  /** Those that can take no command for now leave their places to others. */
  readonly postponed: readonly PostponedPayment[];
}

function chooseCommands(
  due: readonly DuePayment[],
  { room, sent, log }: { room: Room; sent: SentPayments; log: Log },
): Choice {
  const commands = new Map<DuePayment, PaymentCommand>();
  const postponed: PostponedPayment[] = [];
  const postpone = ({ id, version }: DuePayment, inMs: number): void => {
    postponed.push({ id, version, inMs });
  };
  for (const payment of due) {
    const waitMs = sent.findWaitMs(payment);
    if (waitMs > 0) postpone(payment, waitMs);
    else if (room.isStuck(payment.id)) postpone(payment, STUCK_FOR_MS);
    else if (room.take(payment.id)) {
      const command = readCommand(payment, log);
      if (command === null) postpone(payment, sent.note(payment, false));
      else commands.set(payment, command);
    }
  }
  return { commands, postponed };
}

/** null: nothing is to be done, or the snapshot cannot be read. That is logged, and the payment is postponed. */
function readCommand({ id, snapshot }: DuePayment, log: Log): PaymentCommand | null {
  try {
    return buildDueCommand(decodeSnapshot(snapshot));
  } catch (error) {
    log.error({ err: error, id }, 'the snapshot of a due payment cannot be read; it is skipped');
    return null;
  }
}
