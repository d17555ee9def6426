// Erases what customers are known by, when it was asked for or is old enough. All that it knows stands in Postgres:
// what is claimed comes again until it is done, so it may die between any two steps, and others share the work.
//
// A payment belongs to its actor, whose snapshot would bring back whatever is changed beside it. So the actor is told
// (and told again, until its snapshot shows it); only then go the traces, which nothing makes again: envelopes of
// later events are made from the erased snapshot.
import { partitionFor } from '#actors/core/partition.js';
import type { ErasePayment } from '#actors/core/payment/commands.js';
import { decide } from '#actors/core/payment/decide.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import type { ErasedPayment, ErasureSubject } from '#store/postgres/payments/erasure-subjects.js';
import type { FramedCommand } from '#store/redis/commands.js';
import type { Log } from '#ops/runtime/log.js';
import { RetryLoop, sleep } from '#ops/runtime/retry-loop.js';

const LOOK_EVERY_MS = 500;
const BY_AGE_EVERY_MS = 600_000;
const SUBJECTS_AT_ONCE = 200;
const PAYMENTS_A_LOOK = 5_000;

export interface EraserDeps {
  readonly stopping: AbortSignal;
  /** 0: nothing is erased for its age. */
  readonly days: number;
  readonly partitions: number;
  collectSubjects(most: number): Promise<void>;
  requestByAge(days: number, most: number): Promise<number>;
  claim(most: number): Promise<ErasureSubject[]>;
  postpone(ids: readonly string[]): Promise<void>;
  send(frames: ReadonlyMap<number, readonly FramedCommand[]>): Promise<unknown>;
  eraseTraces(payment: ErasedPayment): Promise<void>;
  erasePayout(subject: ErasureSubject): Promise<boolean>;
  eraseInvoice(subject: ErasureSubject): Promise<boolean>;
  /** What became of them. */
  onErased(outcome: 'done' | 'failed'): void;
  readonly log: Log;
}

type EraseStep = 'done' | 'wait' | ErasePayment;

/** Resolves when the process stops. */
export async function runEraser(parts: EraserDeps): Promise<void> {
  const { stopping, days, log } = parts;
  const outage = new RetryLoop(log, 'erasing customer data');
  let byAgeAtMs = 0;
  while (!stopping.aborted) {
    const taken = await outage.retry(stopping, () => eraseSome(parts));
    // What people ask for must not stand behind the years before the age was set.
    const isIdle = taken !== undefined && taken < SUBJECTS_AT_ONCE;
    if (days > 0 && isIdle && performance.now() >= byAgeAtMs) {
      const asked = await outage.retry(stopping, () => parts.requestByAge(days, SUBJECTS_AT_ONCE));
      if (asked === 0) byAgeAtMs = performance.now() + BY_AGE_EVERY_MS;
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** Answers how many it took up. */
async function eraseSome(parts: EraserDeps): Promise<number> {
  await parts.collectSubjects(PAYMENTS_A_LOOK);
  const waiting: string[] = [];
  const frames = new Map<number, FramedCommand[]>();
  const subjects = await parts.claim(SUBJECTS_AT_ONCE);
  for (const subject of subjects) {
    const next = await tryToErase(parts, subject);
    if (next === 'wait') waiting.push(subject.id);
    else if (typeof next === 'object')
      appendFrame(frames, partitionFor(next.paymentId, parts.partitions), next);
  }
  if (waiting.length > 0) await parts.postpone(waiting);
  if (frames.size > 0) await parts.send(frames);
  return subjects.length;
}

function appendFrame(
  frames: Map<number, FramedCommand[]>,
  partition: number,
  command: ErasePayment,
): void {
  const framed = { correlation: '', text: encodeCommand(command) };
  const frame = frames.get(partition);
  if (frame === undefined) frames.set(partition, [framed]);
  else frame.push(framed);
}

/** One that cannot be erased must not keep the others: it waits, and an operator hears of it. */
async function tryToErase(parts: EraserDeps, subject: ErasureSubject): Promise<EraseStep> {
  try {
    const next = await erase(parts, subject);
    if (next === 'done') parts.onErased('done');
    return next;
  } catch (error) {
    parts.onErased('failed');
    parts.log.error({ err: error, id: subject.id }, 'cannot be erased');
    return 'wait';
  }
}

/** wait: it is not over yet. A command: its actor has to be told. */
async function erase(parts: EraserDeps, subject: ErasureSubject): Promise<EraseStep> {
  const { id, snapshot, withReference } = subject;
  if (id.startsWith('po_')) return (await parts.erasePayout(subject)) ? 'done' : 'wait';
  if (id.startsWith('inv_')) return (await parts.eraseInvoice(subject)) ? 'done' : 'wait';
  const state = decodeSnapshot(snapshot ?? '');
  const command = { type: 'erase', paymentId: state.id, withReference } as const;
  const { outcome } = decide(state, command, Date.now());
  if (outcome === 'done') return command;
  if (outcome !== 'unchanged') return 'wait';
  await parts.eraseTraces({ id: state.id, withReference, names: listNames(state) });
  return 'done';
}

const listNames = ({ attempts, refunds }: PaymentState): string[] => [
  ...attempts.map(({ orderId }) => orderId),
  ...refunds.map(({ id }) => id),
];
