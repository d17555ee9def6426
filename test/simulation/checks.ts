// The checks after a run: the invariants of the fault tests hold, no frame was skipped, no process ended by itself, and
// everything went on after the last fault.
import { comparePositions, partitionFor } from '#actors/core/partition.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import { INVARIANTS } from '#test/support/invariants/check.js';
import type { Evidence, Tables as StoredTables } from '#test/support/invariants/evidence.js';
import { historiesAreLinearizable, writesAreRead } from '#test/support/invariants/linearizable.js';
import {
  answeredCreatesAreReadable,
  groupBy,
  viewsAreEqual,
} from '#test/support/invariants/of-answers.js';
import { balancesAreSums } from '#test/support/invariants/of-tables.js';
import { type Answered, isDecided, paymentOf } from '#test/support/load/history.js';
import { type FollowedFrame, readCommand } from './audit.js';
import { findSettled } from './processes/rails.js';
import type { Violation } from './protocol.js';
import { isSimple, POISON, type Scenario, SPLIT } from './scenario.js';
import { derivePaymentId } from './processes/gateway.js';
import type { Simulation } from './simulation.js';

const SHOWN = 5;
/**
 * When Postgres loses its last commits, their frames are applied again some seconds later: until then payments that were
 * answered are not there.
 */
const OF_ANSWERS: ReadonlySet<unknown> = new Set([
  answeredCreatesAreReadable,
  historiesAreLinearizable,
  writesAreRead,
]);

/** A split may move such payments before: their commands are forwarded, and decided at the time of that. */
const OF_TIMES: ReadonlySet<unknown> = new Set([viewsAreEqual]);

type Check = (simulation: Simulation) => string[];

const OWN_CHECKS: Readonly<Record<string, Check>> = {
  'no process ends by itself': ({ crashes }) => crashes,
  'no frame is skipped': ({ audit }) =>
    audit.frames
      .filter(({ fate, isKnownGap }) => fate === 'skipped' && !isKnownGap)
      .map(describeFrame),
  'every create that was applied has its payment': findLostCreates,
  'every create that was answered is stored': findForgottenCreates,
  'only poison is quarantined': ({ postgres }) =>
    postgres.tables.quarantined
      .values()
      .filter(({ command }) => !command.includes(POISON))
      .map(({ command, error }) => `${error}: ${command.slice(0, 200)}`),
  'no forged settlement is booked': ({ postgres }) =>
    postgres.tables.railTransactions
      .values()
      .filter(({ transactionId }) => transactionId === POISON)
      .map(({ paymentId }) => `${paymentId} was settled by an unsigned command`),
  'a create that was only answered 503 has no effect': findRefusedCreates,
};

/** The work that was left long after the last fault, and the creates of that time that failed. */
export interface Aftermath {
  readonly unfinished: readonly string[];
  readonly probes: readonly string[];
}

export function checkRun(
  simulation: Simulation,
  scenario: Scenario,
  { unfinished, probes }: Aftermath,
): Violation[] {
  const violations: Violation[] = [];
  const add = (check: string, details: readonly string[]): void => {
    if (details.length > 0) violations.push({ check, details: details.slice(0, SHOWN) });
  };
  for (const [name, check] of Object.entries(OWN_CHECKS)) add(name, check(simulation));
  add('progress: nothing is left to do', unfinished);
  add('progress: creates are accepted on every partition', probes);
  const gone = findGone(simulation);
  const told = new Set([...listSimpleIds(scenario)].filter((id) => !gone.has(id)));
  const evidence = collectEvidence(simulation, told);
  const hasLostCommits = scenario.faults.some(({ kind }) => kind === 'postgres_lost_tail');
  const isSplit = scenario.faults.some(({ kind }) => kind === SPLIT);
  for (const [name, check] of Object.entries(INVARIANTS)) {
    const isOtherTime = isSplit && OF_TIMES.has(check);
    const isSkipped = hasLostCommits && (OF_ANSWERS.has(check) || isOtherTime);
    if (check !== balancesAreSums && !isSkipped) add(name, check(evidence));
  }
  add('balances are the sums of their postings', balancesAreSums(collectEvidence(simulation)));
  return violations;
}

/** The work that is left; asked again and again after the last fault, until it is nothing. */
export function findUnfinished(simulation: Simulation): string[] {
  const { audit, openCalls, waitingRepeats, facts } = simulation;
  const requests = openCalls.size + waitingRepeats;
  return [
    ...(requests > 0 ? [`${requests} requests have no answer`] : []),
    ...audit.frames.filter(({ fate }) => fate === 'waiting').map(describeFrame),
    ...findUnready(simulation),
    ...simulation.postgres.tables.deferred
      .values()
      .map(({ paymentId }) => `a command of ${paymentId} is deferred`),
    ...facts
      .filter((fact) => findSettled(simulation, fact) === false)
      .map(({ paymentId }) => `the settlement of ${paymentId} was not applied`),
  ];
}

export const listSimpleIds = ({ steps }: Scenario): Set<string> =>
  new Set(
    steps.flatMap(({ operation }) =>
      operation.kind === 'create' && isSimple(operation) && operation.key !== null
        ? [derivePaymentId(operation.key)]
        : [],
    ),
  );

const describeFrame = ({ partition, entry, reason, texts }: FollowedFrame): string => {
  const commands = texts.map((text) => readCommand(text).type).join(', ');
  const at = `${entry.id.ms}-${entry.id.seq}`;
  return `${commands} at ${at} of partition ${partition}, appended at ${entry.appendedAtMs.toFixed(1)} ms: ${reason}`;
};

function findLostCreates({ audit, postgres }: Simulation): string[] {
  const { payments } = postgres.tables;
  return (
    audit.frames
      .filter(({ fate }) => fate === 'applied')
      .flatMap(({ texts, partition, count }) =>
        texts.map((text) => ({ text, partition, count, ...readCommand(text) })),
      )
      // The others were forwarded.
      .filter(({ paymentId, partition, count }) => partitionFor(paymentId, count) === partition)
      .filter(({ type, text }) => type === 'create' && !text.includes(POISON))
      .filter(({ paymentId }) => !payments.has(paymentId))
      .map(({ paymentId }) => `${paymentId} was applied and is not stored`)
  );
}

/** Payments of which Postgres has lost commits, and Redis the commands before they were applied again. */
function findGone({ audit }: Simulation): Set<string> {
  return new Set(
    audit.frames
      .filter(({ fate, isRolledBack }) => fate === 'lost' && isRolledBack)
      .flatMap(({ texts }) => texts.map((text) => readCommand(text).paymentId)),
  );
}

function findForgottenCreates(simulation: Simulation): string[] {
  const gone = findGone(simulation);
  return simulation.history
    .filter(isDecided)
    .flatMap((entry) => findCreatedId(entry) ?? [])
    .filter((id) => !simulation.postgres.tables.payments.has(id) && !gone.has(id))
    .map((id) => `${id} was answered and is not stored`);
}

/** 503 promises that nothing was done. */
function findRefusedCreates({ history, postgres }: Simulation): string[] {
  const byKey = groupBy(history, ({ operation }) =>
    operation.kind === 'create' ? operation.key : undefined,
  );
  return [...byKey].flatMap(([key, entries]) => {
    const isRefused = entries.every(
      ({ result }) => result.kind === 'answer' && result.status === 503,
    );
    const isStored = postgres.tables.payments.has(derivePaymentId(key));
    return isRefused && isStored ? [`${key} was answered 503 only, and is stored`] : [];
  });
}

/** The partitions that have no owner or no sound stream, and the processes that own too many. */
function findUnready({ postgres, redis, payments }: Simulation): string[] {
  const alive = new Set(payments.map(({ process }) => process.name));
  const fairCount = Math.ceil(postgres.tables.partitions.size / alive.size);
  const owners = postgres.tables.partitions.values().map(({ owner }) => owner);
  const greedy = [...alive].filter(
    (name) => owners.filter((owner) => owner === name).length > fairCount,
  );
  const unready = postgres.tables.partitions.entries().flatMap(([id, { owner, position }]) => {
    if (owner === null || !alive.has(owner)) return [`partition ${id} has no owner`];
    const stream = redis.master.streams.get(buildCommandsKey(id));
    if (stream === undefined) return [`the stream of partition ${id} is missing`];
    const isBehind = comparePositions(stream.lastId, position) < 0;
    return isBehind ? [`the stream of partition ${id} is behind its position`] : [];
  });
  return [...unready, ...greedy.map((name) => `${name} owns more than its share`)];
}

/** `ids`: only these payments. */
function collectEvidence(
  { postgres, history, audit }: Simulation,
  ids?: ReadonlySet<string>,
): Evidence {
  const { tables } = postgres;
  const isChosen = (id: string): boolean => ids?.has(id) ?? true;
  const stored: StoredTables = {
    payments: tables.payments
      .values()
      .filter(({ id }) => isChosen(id))
      .map(({ id, environment, status, version, amountMinor, referenceId }) => ({
        ...{ id, environment, status, version, reference_id: referenceId },
        amount: String(amountMinor),
      })),
    events: tables.events
      .values()
      .filter(({ paymentId }) => isChosen(paymentId))
      .map(({ paymentId, version, type, envelope }) => ({
        ...{ payment_id: paymentId, version, type, envelope },
      }))
      .sort((a, b) => a.version - b.version),
    postings: tables.postings
      .values()
      .filter(({ paymentId }) => isChosen(paymentId))
      .map(({ paymentId, version, debit, credit, amountMinor, reason }) => ({
        ...{ cause_id: paymentId, version, debit, credit, reason },
        amount: String(amountMinor),
      })),
    balances: tables.balances
      .entries()
      .map(([account, amount]) => ({ account, amount: String(amount) })),
    railTransactions: tables.railTransactions
      .values()
      .filter(({ paymentId }) => isChosen(paymentId))
      .map(({ rail, transactionId, paymentId }) => ({
        ...{ rail, transaction_id: transactionId, payment_id: paymentId },
      })),
    quarantined: [],
  };
  // The history of a payment can be told only if some create was answered with its id.
  const known = new Set(history.filter(isDecided).flatMap((entry) => findCreatedId(entry) ?? []));
  const simple = history.filter(({ operation }) =>
    operation.kind === 'create'
      ? isSimple(operation) && (operation.key === null || isChosen(derivePaymentId(operation.key)))
      : isChosen(operation.paymentId) && known.has(operation.paymentId),
  );
  return { history: simple, tables: stored, samples: audit.samples, expectedQuarantined: null };
}

const findCreatedId = (entry: Answered): string | undefined =>
  entry.operation.kind === 'create' ? paymentOf(entry) : undefined;
