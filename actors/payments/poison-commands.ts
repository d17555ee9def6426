// Which commands of a batch the database refuses. Halves are probed (written and undone) until single
// commands are left. Of commands that are refused only together the one that makes it so is found: the last
// of the shortest beginning that is refused. Never a good command beside a bad one.
import { classifyFailure, isTransactionTaken } from '#store/postgres/failure.js';
import type { CommitBatch } from '#store/postgres/payments/commit-batch.js';
import type { FoldCommand } from './fold-command.js';
import type { PaymentStore } from './ports.js';

export interface Culprit {
  command: FoldCommand;
  error: string;
  /** Its rail transaction is booked on another payment. */
  isTransactionTaken: boolean;
}

export interface ProbeParts {
  store: Pick<PaymentStore, 'probe'>;
  fold: (commands: readonly FoldCommand[]) => CommitBatch;
}

/**
 * At least one, if the database still refuses the whole.
 * @throws whatever keeps the database from being asked
 */
export async function findCulprits(
  parts: ProbeParts,
  commands: readonly FoldCommand[],
): Promise<Culprit[]> {
  const open = commands.filter((command) => command.parkedFor === undefined);
  const refusal = open.length === 0 ? undefined : await probe(parts, open);
  return refusal === undefined ? [] : search(parts, open, refusal);
}

/** `commands` are refused together. */
async function search(
  parts: ProbeParts,
  commands: readonly FoldCommand[],
  refusal: unknown,
): Promise<Culprit[]> {
  const [only, ...others] = commands;
  if (only === undefined) return [];
  if (others.length === 0) return [convict(only, refusal)];
  const middle = Math.ceil(commands.length / 2);
  const found: Culprit[] = [];
  for (const half of [commands.slice(0, middle), commands.slice(middle)]) {
    const halfRefusal = await probe(parts, half);
    if (halfRefusal !== undefined) found.push(...(await search(parts, half, halfRefusal)));
  }
  return found.length > 0 ? found : [await findTogether(parts, commands, middle, refusal)];
}

/** The first `passing` commands pass, all of them are refused: the one from which on they are. */
async function findTogether(
  parts: ProbeParts,
  commands: readonly FoldCommand[],
  passing: number,
  refusal: unknown,
): Promise<Culprit> {
  let [passes, refused, error] = [passing, commands.length, refusal];
  while (refused - passes > 1) {
    const middle = Math.floor((passes + refused) / 2);
    const found = await probe(parts, commands.slice(0, middle));
    if (found === undefined) passes = middle;
    else [refused, error] = [middle, found];
  }
  const culprit = commands[refused - 1];
  if (culprit === undefined) throw new Error('there is no command to convict');
  return convict(culprit, error);
}

function convict(command: FoldCommand, refusal: unknown): Culprit {
  return { command, error: String(refusal), isTransactionTaken: isTransactionTaken(refusal) };
}

/** Why the database refuses these commands; undefined: it takes them. */
async function probe(
  { store, fold }: ProbeParts,
  commands: readonly FoldCommand[],
): Promise<unknown> {
  try {
    await store.probe(fold(commands));
    return undefined;
  } catch (error) {
    if (classifyFailure(error) === 'refused') return error;
    throw error;
  }
}
