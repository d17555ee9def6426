// Sends commands to payments. The commands of one event-loop turn go in one pipeline, and nothing waits for a reply.
//
// Commands that follow from a rail's answer are also stored in Postgres as pending commands. The loop below sends those
// again that Redis lost or that a process never sent. It asks the state machine whether a command would still change
// its payment, and deletes the command when it would not. So each command is applied at least once; a repeat has no effect.
import { partitionFor } from '../core/partition.js';
import { addTraceContext } from '../core/trace-context.js';
import type { PaymentCommand } from '../core/payment/commands.js';
import { decide } from '../core/payment/state-machine.js';
import { decodeCommand, encodeCommand } from '../core/payment/wire/command.js';
import { decodeSnapshot } from '../core/payment/wire/snapshot.js';
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import type { Tracer } from '#ops/runtime/tracing/tracer.js';
import { createIdleRest, type Loop, startLoop } from '#ops/runtime/loop.js';
import type { PendingCommand } from '#store/postgres/rails/pending-commands.js';
import type { BackgroundSender } from '#store/redis/background-sender.js';
import type { RedisClient } from '#store/redis/client.js';
import { sendFrames } from '#store/redis/commands.js';
import type { FramedCommand, FrameSender } from '#store/redis/frames.js';
import type { PendingCommandStore } from './calls/ports.js';

const CHECK_EVERY_MS = 500;
/** The longest rest while no command is pending. */
const IDLE_MS = 1_000;
/** A command that was sent when it was stored takes effect within milliseconds. */
const MIN_AGE_MS = 1_000;
const FIRST_WAIT_MS = 2_000;
/** A quarantined command has no effect until an operator releases it. */
const MAX_WAIT_MS = 600_000;
const PAGE = 500;

export type SendCommand = (command: PaymentCommand) => void;

export interface CommandSenderDeps {
  readonly redis: RedisClient;
  readonly sender: FrameSender;
  /** The present number of partitions. */
  readonly countPartitions: () => number;
  readonly clock: Clock;
  readonly log: Log;
  /** undefined: traces are off. */
  readonly tracer?: Tracer | undefined;
}

/** Returns a function that sends its command at the end of the event-loop turn. */
export function createCommandSender(deps: CommandSenderDeps): SendCommand {
  const { redis, sender, countPartitions, clock, log, tracer } = deps;
  let frames = new Map<number, FramedCommand[]>();
  const flush = (): void => {
    const full = frames;
    frames = new Map();
    sendFrames(redis, sender, full).catch((error: unknown) => {
      log.warn({ err: error }, 'commands were not sent to Redis; they are sent again later');
    });
  };
  return (command) => {
    if (frames.size === 0) clock.endTurn(flush);
    const partition = partitionFor(command.paymentId, countPartitions());
    const frame = frames.get(partition) ?? [];
    const text = encodeCommand(command);
    const cause = tracer?.active();
    frame.push({ correlation: '', text: cause ? addTraceContext(text, cause.traceparent) : text });
    frames.set(partition, frame);
  };
}

interface SentCommand {
  readonly againAtMs: number;
  readonly waitMs: number;
}
type SentCommands = Map<string, SentCommand>;

export interface PendingCommandsDeps {
  readonly store: PendingCommandStore;
  readonly background: BackgroundSender;
  readonly clock: Clock;
  readonly log: Log;
}

/** Sends pending commands again until they took effect. */
export function startPendingCommands(deps: PendingCommandsDeps): Loop {
  let sent: SentCommands = new Map();
  const rest = createIdleRest(CHECK_EVERY_MS, IDLE_MS);
  return startLoop({
    name: 'pending commands',
    everyMs: CHECK_EVERY_MS,
    clock: deps.clock,
    log: deps.log,
    work: async (stopping) => {
      sent = await sendPendingCommands(deps, sent, stopping);
      return rest(sent.size > 0);
    },
  });
}

/** Goes through all pending commands once. Returns those that were sent and still wait for their effect. */
async function sendPendingCommands(
  { store, background, clock, log }: PendingCommandsDeps,
  sent: SentCommands,
  stopping: AbortSignal,
): Promise<SentCommands> {
  const waiting: SentCommands = new Map();
  for (let after: string | undefined = ''; after !== undefined && !stopping.aborted;) {
    const page: PendingCommand[] = await store.loadPendingCommands(after, PAGE, MIN_AGE_MS);
    const applied: string[] = [];
    const due = new Map<string, PaymentCommand>();
    const nowMs = clock.monotonicMs();
    for (const pending of page) {
      const { id } = pending;
      const before = sent.get(id);
      const command = readOpenCommand(pending, clock, log);
      if (command === 'applied') applied.push(id);
      else if (before !== undefined && nowMs < before.againAtMs) waiting.set(id, before);
      else if (command === undefined) waiting.set(id, planAgain(before, nowMs));
      else due.set(id, command);
    }
    for (const id of await sendDue(background, due))
      waiting.set(id, planAgain(sent.get(id), nowMs));
    if (applied.length > 0) await store.deletePendingCommands(applied);
    after = page.length < PAGE ? undefined : page.at(-1)?.id;
  }
  return waiting;
}

/** Returns the ids of those that Redis has not refused; the others are sent in the next round. */
async function sendDue(
  background: BackgroundSender,
  due: ReadonlyMap<string, PaymentCommand>,
): Promise<readonly string[]> {
  if (due.size === 0) return [];
  const room = await background.readRoom();
  const chosen = [...due].filter(([, { paymentId }]) => room.take(paymentId));
  const accepted = await background.send(chosen.map(([, command]) => command));
  return chosen.filter(([, { paymentId }]) => accepted.has(paymentId)).map(([id]) => id);
}

function planAgain(before: SentCommand | undefined, nowMs: number): SentCommand {
  const waitMs = before === undefined ? FIRST_WAIT_MS : Math.min(before.waitMs * 2, MAX_WAIT_MS);
  return { waitMs, againAtMs: nowMs + waitMs };
}

/** undefined: the row cannot be read. It is logged and skipped, so that it does not block the others. */
function readOpenCommand(
  { id, command: text, snapshot }: PendingCommand,
  clock: Clock,
  log: Log,
): PaymentCommand | 'applied' | undefined {
  try {
    const command = decodeCommand(text);
    const { events } = decide(decodeSnapshot(snapshot), command, clock.nowMs());
    return events.length === 0 ? 'applied' : command;
  } catch (error) {
    log.error({ err: error, id }, 'a pending command of rail_facts cannot be read; it is skipped');
    return undefined;
  }
}
