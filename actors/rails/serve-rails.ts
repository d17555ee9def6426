// Calls and status inquiries of every configured rail. Each rail has a worker per operation and one for inquiries, each
// with its own slots, and a circuit breaker per operation: a rail that hangs delays no other rail.
//
// A call is a row of rail_calls, stored by the commit that wants it made:
//
//   DUE ──claim──▶ SENT ──answer──▶ ANSWERED
//                   │                   ▲
//                   └──no answer──▶ UNKNOWN ──inquiry──┘
//
//   DUE       Any process may claim the call. The claim is committed before the rail is called.
//   SENT      Only the process that claimed it may call the rail, once. No process calls again, even after a crash: a
//             second charge could be paid twice. Only a refund may be due again: when nothing was sent (its request has not
//             begun: `begun_at`), or when its rail recognises a repeat by our key. The claim also schedules a status inquiry for the time after the call.
//   UNKNOWN   SENT with `unknown_at`: the answer was lost, or the rail said "pending". Status inquiries decide. They need no
//             answer of the rail for the charge or close of an attempt that is over (inquiries/inquiry-result.ts).
//   ANSWERED  The first answer is stored, with the command that follows from it as a pending command
//             (command-sender.ts). Later answers are dropped.
//
// A close that was lost is answered by the inquiry that finds its order open, and repeated as another call
// (inquiries/repeated-closes.ts).
//
// A status inquiry is a row of status_inquiries: an order, or a refund that its rail has not finished. It is due by its
// schedule, after a callback, or after a lost answer. One process claims it, under a number; a result counts only while
// its number is the latest. An inquiry changes nothing at the rail, so it may be repeated.
import { createBatchWriter } from './batch-writer.js';
import type { CallOperation } from '#store/postgres/rails/claim-calls.js';
import type { CallAnswer } from '#store/postgres/rails/record-answers.js';
import { formatCallKind, type WokenCallKinds } from '#store/redis/wake-up.js';
import type { CircuitBreaker } from '#ops/runtime/circuit-breaker.js';
import { CONNECTIONS } from './adapters/rail-client.js';
import type { Rail } from './adapters/rail.js';
import { type RailCallDeps, startCaller } from './calls/caller.js';
import { type CircuitBreakerReading, createRailBreaker } from './calls/rail-breakers.js';
import type { RailWorker } from './calls/rail-worker.js';
import { type RecordInquiry, startInquirer } from './inquiries/inquirer.js';

/** Calls under way at one rail. A LIVE create can take 45 s, so charges need many. */
const SLOTS: Readonly<Record<CallOperation, number>> = { charge: 1_024, close: 256, refund: 64 };
const INQUIRY_SLOTS = 64;

if (SLOTS.charge + SLOTS.close + SLOTS.refund + INQUIRY_SLOTS > CONNECTIONS) {
  throw new Error('the workers of a rail have more slots than the rail client has connections');
}

const OPERATIONS: readonly CallOperation[] = ['charge', 'close', 'refund'];

export interface ServedRails {
  /** Claims calls of these kinds at once. */
  readonly wake: (kinds: WokenCallKinds) => void;
  /** Claims status inquiries of this rail at once. */
  readonly inquire: (rail: string) => void;
  readonly readCircuitBreakers: () => readonly CircuitBreakerReading[];
  /** Begins nothing more; resolves when all that is under way has ended. */
  readonly stop: () => Promise<void>;
}

interface RailWorkers {
  readonly inquirer: RailWorker;
  /** By the kind of their calls. */
  readonly callers: ReadonlyMap<string, RailWorker>;
  readonly breakers: ReadonlyMap<CallOperation, CircuitBreaker>;
}

export function serveRails(deps: RailCallDeps, rails: readonly Rail[]): ServedRails {
  const { store, clock } = deps;
  const record: Recorders = {
    answer: createBatchWriter<CallAnswer>((answers) => store.recordAnswers(answers), clock),
    inquiry: createBatchWriter((results) => store.recordInquiries(results), clock),
  };
  const served = new Map(
    rails.map((rail) => [rail.name as string, startWorkers(deps, rail, record)]),
  );
  const all = [...served.values()];
  return {
    wake: (kinds) => {
      for (const { callers } of all) {
        for (const [name, caller] of callers) if (kinds?.has(name) ?? true) caller.wake();
      }
    },
    inquire: (rail) => served.get(rail)?.inquirer.wake(),
    readCircuitBreakers: () =>
      [...served].flatMap(([rail, { breakers }]) =>
        [...breakers].map(([operation, { state }]) => [rail, operation, state] as const),
      ),
    stop: async () => {
      const workers = all.flatMap(({ inquirer, callers }) => [inquirer, ...callers.values()]);
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}

interface Recorders {
  readonly answer: (answer: CallAnswer) => Promise<boolean>;
  readonly inquiry: RecordInquiry;
}

function startWorkers(deps: RailCallDeps, rail: Rail, record: Recorders): RailWorkers {
  const inquirer = startInquirer(deps, { rail, slots: INQUIRY_SLOTS, record: record.inquiry });
  const breakers = new Map(
    OPERATIONS.map((operation) => [operation, createCircuitBreaker(deps, rail, operation)]),
  );
  const callers = new Map(
    [...breakers].map(([operation, breaker]) => [
      formatCallKind({ rail: rail.name, operation }),
      startCaller(deps, {
        ...{ rail, operation, slots: SLOTS[operation], breaker },
        recordAnswer: record.answer,
        onInquiryDue: inquirer.wakeIn,
      }),
    ]),
  );
  return { inquirer, callers, breakers };
}

/** Only the breaker of charges decides what gateways may offer. */
function createCircuitBreaker(
  deps: RailCallDeps,
  rail: Rail,
  operation: CallOperation,
): CircuitBreaker {
  const onChange = operation === 'charge' ? createPauser(deps, rail) : undefined;
  return createRailBreaker(deps.timeoutMs, onChange);
}

function createPauser({ store, log }: RailCallDeps, { name: rail }: Rail) {
  return (restMs: number): void => {
    log.warn({ rail, restMs }, restMs > 0 ? 'charges at a rail pause' : 'charges at a rail resume');
    store.pauseAvailability(rail, restMs).catch((error: unknown) => {
      log.warn({ err: error, rail }, 'the pause of a rail was not stored; gateways still offer it');
    });
  };
}
