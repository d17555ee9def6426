// Which commands of a batch the database refuses. Halves are probed (written and undone) until single
// commands are left. Of commands that are refused only together the one that makes it so is found: the last
// of the shortest beginning that is refused. Never a good command beside a bad one.
import { classifyFailure, isTransactionTaken } from '#store/postgres/classify-failure.js';
import type { CommitBatch } from '#store/postgres/payments/commit-columns.js';
import type { FoldCommand } from './fold-command.js';
import type { PaymentStore } from './ports.js';

export interface PoisonCommand {
  command: FoldCommand;
  error: string;
  /** Its rail transaction is booked on another payment. */
  isTransactionTaken: boolean;
}

export interface ProbeDeps {
  store: Pick<PaymentStore, 'probe'>;
  fold: (commands: readonly FoldCommand[]) => CommitBatch;
}

/**
 * At least one, if the database still refuses the whole.
 * @throws whatever keeps the database from being asked
 */
export async function findPoisonCommands(
  parts: ProbeDeps,
  commands: readonly FoldCommand[],
): Promise<PoisonCommand[]> {
  const open = commands.filter((command) => command.quarantineReason === undefined);
  const refusal = open.length === 0 ? undefined : await probe(parts, open);
  return refusal === undefined ? [] : searchPoisonCommands(parts, open, refusal);
}

/** `commands` are refused together. */
async function searchPoisonCommands(
  parts: ProbeDeps,
  commands: readonly FoldCommand[],
  refusal: unknown,
): Promise<PoisonCommand[]> {
  const [only, ...others] = commands;
  if (only === undefined) return [];
  if (others.length === 0) return [buildPoisonCommand(only, refusal)];
  const middle = Math.ceil(commands.length / 2);
  const found: PoisonCommand[] = [];
  for (const half of [commands.slice(0, middle), commands.slice(middle)]) {
    const halfRefusal = await probe(parts, half);
    if (halfRefusal !== undefined)
      found.push(...(await searchPoisonCommands(parts, half, halfRefusal)));
  }
  return found.length > 0 ? found : [await findPoisonAmong(parts, commands, middle, refusal)];
}

/** The first `passing` commands pass, all of them are refused: the one from which on they are. */
async function findPoisonAmong(
  parts: ProbeDeps,
  commands: readonly FoldCommand[],
  passing: number,
  refusal: unknown,
): Promise<PoisonCommand> {
  let [passes, refused, error] = [passing, commands.length, refusal];
  while (refused - passes > 1) {
    const middle = Math.floor((passes + refused) / 2);
    const found = await probe(parts, commands.slice(0, middle));
    if (found === undefined) passes = middle;
    else [refused, error] = [middle, found];
  }
  const culprit = commands[refused - 1];
  if (culprit === undefined) throw new Error('there is no command to convict');
  return buildPoisonCommand(culprit, error);
}

function buildPoisonCommand(command: FoldCommand, refusal: unknown): PoisonCommand {
  return { command, error: String(refusal), isTransactionTaken: isTransactionTaken(refusal) };
}

/** Why the database refuses these commands; undefined: it takes them. */
async function probe(
  { store, fold }: ProbeDeps,
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
