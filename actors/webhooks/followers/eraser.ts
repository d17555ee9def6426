// The eraser removes customer data that was requested to be erased, or that is old enough. Its state is in Postgres: a
// claimed subject is claimed again until it is erased, so the process may die between any two steps, and others share
// the work.
//
// A payment belongs to its actor, whose snapshot would restore whatever is changed beside it. So the actor gets an
// `erase` command first, repeated until the snapshot shows that it was carried out; only then are the traces outside of
// the snapshot erased. Envelopes of later events are built from the erased snapshot.
import type { ErasePayment } from '#actors/core/payment/commands.js';
import { decide } from '#actors/core/payment/state-machine.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import { listTerms } from '#actors/core/payment/search-words.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import type { Config } from '#ops/runtime/config.js';
import type { Log } from '#ops/runtime/log.js';
import { createIdleRest, type Loop, startLoop } from '#ops/runtime/loop.js';
import { createCounter, type Registry } from '#ops/runtime/metrics.js';
import type { Postgres } from '#store/postgres/client.js';
import { collectSubjects, createSearchTurns } from '#store/postgres/payments/erasure-requests.js';
import {
  claimSubjects,
  createErasureTurns,
  eraseInvoice,
  erasePaymentTraces,
  erasePayout,
  type ErasureSubject,
  postponeSubjects,
  requestErasureByAge,
} from '#store/postgres/payments/erasure-subjects.js';
import type { BackgroundSender } from '#store/redis/background-sender.js';

const ERASE_EVERY_MS = 500;
/** The longest rest while there is nothing to erase: an erasure begins so much later at most. */
const IDLE_MS = 2_000;
const BY_AGE_EVERY_MS = 600_000;
const MAX_SUBJECTS = 200;
/** Payments that each open request searches in one round. */
const MAX_SEARCHED = 5_000;

export interface EraserOptions {
  readonly sql: Postgres;
  readonly background: BackgroundSender;
  /** `customerDays` 0: no data is erased for its age. */
  readonly config: Pick<Config, 'customerDays'>;
  readonly registry: Registry;
  readonly log: Log;
}

/** `wait`: the subject is not final yet. A command: its actor must carry it out first. */
type EraseStep = 'done' | 'wait' | ErasePayment;

export function startEraser(options: EraserOptions): Loop {
  const { sql, background, config, log } = options;
  const searchTurns = createSearchTurns();
  const erasureTurns = createErasureTurns();
  const eraseSubject = createSubjectEraser(options);
  let byAgeAtMs = 0;
  const rest = createIdleRest(ERASE_EVERY_MS, IDLE_MS);
  const work = async (): Promise<number> => {
    const hasSearched = await collectSubjects(sql, searchTurns, MAX_SEARCHED);
    const subjects = await claimSubjects(sql, erasureTurns, MAX_SUBJECTS);
    const waiting: string[] = [];
    const commands: ErasePayment[] = [];
    for (const subject of subjects) {
      const step = await eraseSubject(subject);
      if (step === 'wait') waiting.push(subject.id);
      else if (step !== 'done') commands.push(step);
    }
    if (waiting.length > 0) await postponeSubjects(sql, waiting);
    if (commands.length > 0) {
      const room = await background.readRoom();
      await background.send(commands.filter(({ paymentId }) => room.take(paymentId)));
    }
    // Requests come first: at the first start with an age, years of data may be old enough.
    const isIdle = subjects.length < MAX_SUBJECTS;
    if (config.customerDays > 0 && isIdle && performance.now() >= byAgeAtMs) {
      const requested = await requestErasureByAge(sql, config.customerDays, MAX_SUBJECTS);
      if (requested === 0) byAgeAtMs = performance.now() + BY_AGE_EVERY_MS;
    }
    return rest(hasSearched || subjects.length > 0);
  };
  return startLoop({ name: 'erasing customer data', everyMs: ERASE_EVERY_MS, work, log });
}

/** A subject that cannot be erased must not hold up the others: it waits, and the error is logged and counted. */
function createSubjectEraser({
  sql,
  registry,
  log,
}: EraserOptions): (subject: ErasureSubject) => Promise<EraseStep> {
  const erasures = createCounter(registry, 'erasures_total', 'Erasures by their outcome', {
    outcome: ['done', 'failed'],
  });
  return async (subject) => {
    try {
      const step = await erase(sql, subject);
      if (step === 'done') erasures.inc({ outcome: 'done' });
      return step;
    } catch (error) {
      erasures.inc({ outcome: 'failed' });
      log.error(
        { err: error, id: subject.id },
        'customer data cannot be erased; it is retried in a minute',
      );
      return 'wait';
    }
  };
}

async function erase(sql: Postgres, subject: ErasureSubject): Promise<EraseStep> {
  const { id, snapshot, withReference } = subject;
  if (id.startsWith('po_')) return (await erasePayout(sql, subject)) ? 'done' : 'wait';
  if (id.startsWith('inv_')) return (await eraseInvoice(sql, subject)) ? 'done' : 'wait';
  if (snapshot === null) throw new Error(`payment ${id} does not exist`);
  const state = decodeSnapshot(snapshot);
  const command = { type: 'erase', paymentId: state.id, withReference } as const;
  const { outcome } = decide(state, command, Date.now());
  if (outcome === 'done') return command;
  if (outcome !== 'unchanged') return 'wait';
  await erasePaymentTraces(sql, {
    ...{ id: state.id, withReference, names: listRailNames(state), terms: listTerms(snapshot) },
  });
  return 'done';
}

const listRailNames = ({ attempts, refunds }: PaymentState): string[] => [
  ...attempts.map(({ orderId }) => orderId),
  ...refunds.map(({ id }) => id),
];
