// Four times a second, finds payments that are due and sends each the command that its snapshot calls for.
//
// The loop keeps no state that matters: a payment is due in Postgres until a commit has changed it. A command that Redis
// lost is sent again after 3 s, then with doubled waits up to an hour, since a quarantined command leaves its payment due
// for long. A repeated command has no effect.
import type { PaymentCommand } from '../core/payment/commands.js';
import { buildDueCommand } from '../core/payment/due.js';
import { decodeSnapshot } from '../core/payment/wire/snapshot.js';
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Postgres } from '#store/postgres/client.js';
import { type DuePayment, loadDue } from '#store/postgres/payments/load-payments.js';
import { sendFrames } from '#store/redis/commands.js';
import type { FramedCommand } from '#store/redis/frames.js';
import { addFrame, type CommandSenderDeps } from './command-sender.js';

const CHECK_EVERY_MS = 250;
const FIRST_WAIT_MS = 3_000;
const MAX_WAIT_MS = 3_600_000;
const PAGE = 500;
/** A bound on one round: the next one finds the rest. */
const MAX_PAGES = 20;

export interface PaymentSchedulerDeps extends CommandSenderDeps {
  readonly sql: Postgres;
}

interface SentCommand {
  readonly againAtMs: number;
  readonly waitMs: number;
}
/** By payment: those that were due in the last round and were sent their command. */
type SentCommands = Map<string, SentCommand>;

export function startPaymentScheduler(deps: PaymentSchedulerDeps): Loop {
  let sent: SentCommands = new Map();
  return startLoop({
    name: 'payment scheduler',
    everyMs: CHECK_EVERY_MS,
    log: deps.log,
    work: async () => {
      sent = await sendDueCommands(deps, sent);
    },
  });
}

/** Returns the sent commands of the payments that are still due. */
async function sendDueCommands(
  deps: PaymentSchedulerDeps,
  sent: SentCommands,
): Promise<SentCommands> {
  const stillDue: SentCommands = new Map();
  let after: DuePayment | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const due = await loadDue(deps.sql, after, PAGE);
    const nowMs = performance.now();
    await sendCommands(
      deps,
      due.filter(({ id }) => (sent.get(id)?.againAtMs ?? 0) <= nowMs),
      sent,
    );
    for (const { id } of due) {
      const command = sent.get(id);
      if (command !== undefined) stillDue.set(id, command);
    }
    after = due.at(-1);
    if (due.length < PAGE) break;
  }
  return stillDue;
}

async function sendCommands(
  { redis, sender, partitions, log }: PaymentSchedulerDeps,
  due: readonly DuePayment[],
  sent: SentCommands,
): Promise<void> {
  const frames = new Map<number, FramedCommand[]>();
  const partitionsById = new Map<string, number>();
  for (const payment of due) {
    const command = readCommand(payment, log);
    if (command === undefined) noteSent(sent, payment.id);
    else if (command !== null)
      partitionsById.set(payment.id, addFrame(frames, command, partitions));
  }
  if (frames.size === 0) return;
  const results = await sendFrames(redis, sender, frames);
  for (const [id, partition] of partitionsById) {
    const result = results.get(partition);
    if (result !== undefined && result !== 'refused') noteSent(sent, id);
  }
}

/**
 * null: nothing is to be done. undefined: the snapshot cannot be read; it is logged and skipped, so that it does not block
 * the others.
 */
function readCommand({ id, snapshot }: DuePayment, log: Log): PaymentCommand | null | undefined {
  try {
    return buildDueCommand(decodeSnapshot(snapshot));
  } catch (error) {
    log.error({ err: error, id }, 'the snapshot of a due payment cannot be read; it is skipped');
    return undefined;
  }
}

function noteSent(sent: SentCommands, id: string): void {
  const before = sent.get(id)?.waitMs ?? FIRST_WAIT_MS / 2;
  const waitMs = Math.min(before * 2, MAX_WAIT_MS);
  sent.set(id, { waitMs, againAtMs: performance.now() + waitMs });
}
