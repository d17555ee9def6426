// What rails said is kept as commands in Postgres (rail_facts) and sent at once. Here those that Redis lost, or that
// their process never sent, are sent again, until the payment shows that they took effect: the state machine is asked
// whether the command would still change it. So a fact is applied at least once, and applied twice it does nothing.
import type { PaymentCommand } from '../core/payment/commands.js';
import { decide } from '../core/payment/decide.js';
import { decodeCommand } from '../core/payment/wire/command.js';
import { decodeSnapshot } from '../core/payment/wire/snapshot.js';
import type { RailFact } from '#store/postgres/rails/facts.js';
import type { Log } from '#ops/runtime/log.js';
import { type RetryLoop, sleep } from '#ops/runtime/retry-loop.js';

const LOOK_EVERY_MS = 500;
/** A command that was sent with its fact takes effect within milliseconds. */
const YOUNG_MS = 1_000;
const FIRST_WAIT_MS = 2_000;
/** A command that had to be parked stays without effect until somebody mends that. */
const LONGEST_WAIT_MS = 600_000;
const PAGE = 500;

export interface FactSenderDeps {
  readonly stopping: AbortSignal;
  load: (after: string, limit: number, ageMs: number) => Promise<RailFact[]>;
  deleteFacts: (ids: readonly string[]) => Promise<void>;
  send: (command: PaymentCommand) => void;
  readonly retryLoop: RetryLoop;
  readonly log: Log;
}

interface Sent {
  readonly againAtMs: number;
  readonly waitMs: number;
}
type SentFacts = Map<string, Sent>;

/** Runs until the process stops. */
export async function runFactSender(parts: FactSenderDeps): Promise<void> {
  let sent: SentFacts = new Map();
  while (!parts.stopping.aborted) {
    try {
      sent = await sendAllFacts(parts, sent);
      parts.retryLoop.noteSuccess();
      await sleep(LOOK_EVERY_MS);
    } catch (error) {
      await parts.retryLoop.waitAfter(error);
    }
  }
}

/** One pass over all facts; answers those that wait for their effect. */
async function sendAllFacts(parts: FactSenderDeps, sent: SentFacts): Promise<SentFacts> {
  const waiting: SentFacts = new Map();
  for (let after: string | undefined = ''; after !== undefined && !parts.stopping.aborted;) {
    const facts: RailFact[] = await parts.load(after, PAGE, YOUNG_MS);
    const applied: string[] = [];
    for (const fact of facts) {
      const command = findOpenCommand(fact, parts.log);
      if (command === 'applied') applied.push(fact.id);
      else
        waiting.set(
          fact.id,
          sendWhenDue(sent.get(fact.id), () => command && parts.send(command)),
        );
    }
    if (applied.length > 0) await parts.deleteFacts(applied);
    after = facts.length < PAGE ? undefined : facts.at(-1)?.id;
  }
  return waiting;
}

function sendWhenDue(before: Sent | undefined, send: () => unknown): Sent {
  const nowMs = performance.now();
  if (before !== undefined && nowMs < before.againAtMs) return before;
  send();
  const waitMs =
    before === undefined ? FIRST_WAIT_MS : Math.min(before.waitMs * 2, LONGEST_WAIT_MS);
  return { waitMs, againAtMs: nowMs + waitMs };
}

/** undefined: it cannot be read, and must not keep the others from being read. */
function findOpenCommand(
  { id, command: text, snapshot }: RailFact,
  log: Log,
): PaymentCommand | 'applied' | undefined {
  try {
    const command = decodeCommand(text);
    const { events } = decide(decodeSnapshot(snapshot), command, Date.now());
    return events.length === 0 ? 'applied' : command;
  } catch (error) {
    log.error({ err: error, id }, 'what a rail said cannot be applied');
    return undefined;
  }
}
