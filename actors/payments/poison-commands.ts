// Finds the commands of a batch that Postgres refuses, and marks them. Halves are probed (written and rolled back) until
// single commands remain. When commands are refused only together, the result is the last command of the shortest refused
// prefix. A command that Postgres accepts is never in the result (docs/decisions/0005-quarantine-poison-commands.md).
import { classifyFailure, isTransactionTaken } from '#store/postgres/classify-failure.js';
import type { PaymentCommand } from '../core/payment/commands.js';
import type { Settlement } from '../core/rails/answers.js';
import type { CommitBatch } from '#store/postgres/payments/commit-batch.js';
import type { BatchCommand } from './batch-input.js';
import type { PaymentStore } from './ports.js';

export interface PoisonCommand {
  command: BatchCommand;
  error: string;
  /** Its rail transaction is booked on another payment. */
  isTransactionTaken: boolean;
}

export interface ProbeDeps {
  store: Pick<PaymentStore, 'probe'>;
  fold: (commands: readonly BatchCommand[]) => CommitBatch;
}

/** At least one command, if Postgres still refuses the whole. Rejects when Postgres does not answer. */
export async function findPoisonCommands(
  deps: ProbeDeps,
  commands: readonly BatchCommand[],
): Promise<PoisonCommand[]> {
  const open = commands.filter((command) => command.quarantineReason === undefined);
  const refusal = open.length === 0 ? undefined : await probe(deps, open);
  return refusal === undefined ? [] : searchHalves(deps, open, refusal);
}

/** `commands` are refused together, for the reason `refusal`. */
async function searchHalves(
  deps: ProbeDeps,
  commands: readonly BatchCommand[],
  refusal: unknown,
): Promise<PoisonCommand[]> {
  const [only, ...others] = commands;
  if (only === undefined) return [];
  if (others.length === 0) return [buildPoisonCommand(only, refusal)];
  const middle = Math.ceil(commands.length / 2);
  const found: PoisonCommand[] = [];
  for (const half of [commands.slice(0, middle), commands.slice(middle)]) {
    const halfRefusal = await probe(deps, half);
    if (halfRefusal !== undefined) found.push(...(await searchHalves(deps, half, halfRefusal)));
  }
  return found.length > 0 ? found : [await searchPrefixes(deps, commands, middle, refusal)];
}

/**
 * The first `accepted` commands are accepted, all of them are refused: finds the shortest refused prefix. Other processes
 * commit meanwhile, so a prefix that was accepted may be refused now; then the search begins again within it.
 */
async function searchPrefixes(
  deps: ProbeDeps,
  commands: readonly BatchCommand[],
  accepted: number,
  refusal: unknown,
): Promise<PoisonCommand> {
  let [shortest, refused, error] = [accepted, commands.length, refusal];
  while (refused - shortest > 1) {
    const middle = Math.floor((shortest + refused) / 2);
    const found = await probe(deps, commands.slice(0, middle));
    if (found === undefined) shortest = middle;
    else [refused, error] = [middle, found];
  }
  const others = commands.slice(0, refused - 1);
  const stillRefused = await probe(deps, others);
  if (stillRefused !== undefined) return searchPrefixes(deps, others, 0, stillRefused);
  const poison = commands[refused - 1];
  if (poison === undefined) throw new Error('a refused batch has no commands');
  return buildPoisonCommand(poison, error);
}

function buildPoisonCommand(command: BatchCommand, refusal: unknown): PoisonCommand {
  return { command, error: String(refusal), isTransactionTaken: isTransactionTaken(refusal) };
}

/** The error with which Postgres refuses the commands; undefined: it accepts them. */
async function probe(
  { store, fold }: ProbeDeps,
  commands: readonly BatchCommand[],
): Promise<unknown> {
  try {
    await store.probe(fold(commands));
    return undefined;
  } catch (error) {
    if (classifyFailure(error) === 'refused') return error;
    throw error;
  }
}

/**
 * Marks the command. A settlement whose rail transaction is booked on another payment is given to the state machine as
 * disowned; every other command is quarantined.
 */
export function markPoison({ command: item, error, isTransactionTaken }: PoisonCommand): void {
  const settlement = isTransactionTaken ? findSettlement(item.command) : undefined;
  if (settlement === undefined || item.command === undefined) item.quarantineReason = error;
  else {
    item.command = { type: 'disown_settlement', paymentId: item.command.paymentId, settlement };
  }
}

function findSettlement(command: PaymentCommand | undefined): Settlement | undefined {
  if (command?.type === 'settle') return command.settlement;
  if (command?.type !== 'close_answered') return undefined;
  return command.answer.result === 'settled' ? command.answer.settlement : undefined;
}
