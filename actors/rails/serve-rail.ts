// Everything that is asked of one rail: a lane for each operation, one for look-ups, each with slots of its own, and a
// circuit for each kind of call. What one rail does, or fails to do, touches no other.
import type { PaymentCommand } from '../core/payment/commands.js';
import type { Log } from '#ops/runtime/log.js';
import { RetryLoop } from '#ops/runtime/retry-loop.js';
import { type CallOperation, claimCalls } from '#store/postgres/rails/claim-calls.js';
import type { Postgres } from '#store/postgres/client.js';
import { type CallAnswer, recordUnknown } from '#store/postgres/rails/record-answers.js';
import { claimInquiries, type RecordedInquiry } from '#store/postgres/rails/inquiries.js';
import { formatLaneName, type WokenLanes } from '#store/redis/wake-up.js';
import { CONNECTIONS } from './adapters/rail-client.js';
import type { Rail } from './adapters/rail.js';
import { ADAPTER_LATE_MS, createCaller } from './calls/caller.js';
import { Circuit, type CircuitState } from './calls/circuit.js';
import { createInquirer } from './inquiries/inquirer.js';

/** Calls under way at one rail. A LIVE create can take 45 s, so charges need many. */
const SLOTS: Readonly<Record<CallOperation, number>> = { charge: 1_024, close: 256, refund: 64 };
const LOOK_SLOTS = 64;
/** A look-up changes nothing, so it is given up sooner and made again. */
const LOOK_TIMEOUT_MS = 15_000;
/** For the statement that records the answer. */
const RECORD_MS = 5_000;
/** The safety net behind wake-ups. */
const LOOK_EVERY_MS = 500;

if (SLOTS.charge + SLOTS.close + SLOTS.refund + LOOK_SLOTS > CONNECTIONS) {
  throw new Error('the lanes of a rail have more slots than it has connections');
}

const OPERATIONS: readonly CallOperation[] = ['charge', 'close', 'refund'];

export interface ServeRailDeps {
  readonly rail: Rail;
  readonly sql: Postgres;
  readonly timeoutMs: number;
  readonly scheduleS: readonly number[];
  bounded: <Value>(statement: Promise<Value>) => Promise<Value>;
  /** Whether it was the first. */
  recordAnswer: (answer: CallAnswer) => Promise<boolean>;
  /** Whether it was the latest. */
  recordInquiry: (result: RecordedInquiry) => Promise<boolean>;
  isSwitchedOn: () => boolean;
  send: (command: PaymentCommand) => void;
  /** The rail should not be offered for so long; 0: it may be again. */
  onCircuitOpen: (restMs: number) => void;
  onAnswer: (operation: string, outcome: string, durationMs: number) => void;
  readonly giveUp: AbortSignal;
  readonly log: Log;
}

export interface ServedRail {
  readonly rail: Rail;
  /** There may be calls to make in these lanes. */
  readonly wake: (lanes: WokenLanes) => void;
  /** There may be something to look up. */
  readonly inquire: () => void;
  readonly readCircuits: () => ReadonlyMap<CallOperation, CircuitState>;
  /** Begins nothing more; resolves when all that is under way has ended. */
  readonly stop: () => Promise<void>;
}

export function serveRail(parts: ServeRailDeps): ServedRail {
  const { rail } = parts;
  const watcher = createInquirerOf(parts);
  const look = (): void => {
    watcher.wake();
  };
  const circuits = new Map(
    OPERATIONS.map((operation) => [operation, createCircuit(parts, operation)]),
  );
  const callers = new Map(
    [...circuits].map(([operation, circuit]) => [
      formatLaneName({ rail: rail.name, operation }),
      createCallLane(parts, operation, { circuit, look }),
    ]),
  );
  const wake = (lanes: WokenLanes): void => {
    for (const [name, caller] of callers) if (lanes?.has(name) ?? true) caller.wake();
  };
  const timer = setInterval(() => {
    wake(undefined);
    look();
  }, LOOK_EVERY_MS);
  return {
    rail,
    wake,
    inquire: look,
    readCircuits: () => new Map([...circuits].map(([operation, { state }]) => [operation, state])),
    stop: async () => {
      clearInterval(timer);
      await Promise.all([...callers.values(), watcher].map((lane) => lane.stop()));
    },
  };
}

function createCircuit(
  { timeoutMs, onCircuitOpen }: ServeRailDeps,
  operation: CallOperation,
): Circuit {
  return new Circuit({
    nowMs: () => performance.now(),
    probeMs: timeoutMs,
    onChange: operation === 'charge' ? onCircuitOpen : () => {},
  });
}

function createCallLane(
  parts: ServeRailDeps,
  operation: CallOperation,
  { circuit, look }: { circuit: Circuit; look: () => void },
) {
  const { rail, sql, timeoutMs, bounded, scheduleS, onAnswer, log } = parts;
  const lane = { rail: rail.name, operation };
  return createCaller({
    ...parts,
    operation,
    slots: SLOTS[operation],
    firstInquiryMs: Number(scheduleS[0]) * 1000,
    circuit,
    claim: (limit) =>
      bounded(claimCalls(sql, lane, limit, timeoutMs + ADAPTER_LATE_MS + RECORD_MS)),
    recordUnknown: (...unknown) => bounded(recordUnknown(sql, ...unknown)),
    onInquiryDue: look,
    onAnswer: (outcome, durationMs) => {
      onAnswer(operation, outcome, durationMs);
    },
    retryLoop: new RetryLoop(log, `${operation}s at ${rail.name}`),
  });
}

function createInquirerOf(parts: ServeRailDeps) {
  const { rail, sql, bounded, recordInquiry, onAnswer, log } = parts;
  const timeoutMs = Math.min(parts.timeoutMs, LOOK_TIMEOUT_MS);
  const answerMs = timeoutMs + ADAPTER_LATE_MS + RECORD_MS;
  const givenUpMs = parts.timeoutMs + ADAPTER_LATE_MS + RECORD_MS;
  return createInquirer({
    ...parts,
    slots: LOOK_SLOTS,
    timeoutMs,
    claim: (limit) =>
      bounded(claimInquiries(sql, { rail: rail.name, limit, leaseMs: answerMs, givenUpMs })),
    record: recordInquiry,
    onAnswer: (outcome, durationMs) => {
      onAnswer('look_up', outcome, durationMs);
    },
    retryLoop: new RetryLoop(log, `look-ups at ${rail.name}`),
  });
}
