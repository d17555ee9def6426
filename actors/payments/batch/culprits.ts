// Which commands of a batch the database refuses. Halves are probed (written and undone) until single
// commands are left; what is refused only together with others is found in the next round.
import { classifyFailure } from '../../../store/postgres/failure.js';
import type { CommitBatch } from '../../../store/postgres/payments/commit-batch.js';
import type { FoldCommand } from './fold-command.js';
import type { PaymentStore } from '../parts.js';

export interface Culprit {
  command: FoldCommand;
  error: string;
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
  if (open.length === 0) return [];
  const error = await probe(parts, open);
  if (error === undefined) return [];
  const [only, ...others] = open;
  if (only !== undefined && others.length === 0) return [{ command: only, error }];
  const middle = Math.ceil(open.length / 2);
  const first = await findCulprits(parts, open.slice(0, middle));
  const second = await findCulprits(parts, open.slice(middle));
  const found = [...first, ...second];
  if (found.length > 0 || only === undefined) return found;
  // Each half passes, the whole does not: park the last of them, the others go on.
  return open.slice(-1).map((command) => ({ command, error }));
}

async function probe(
  { store, fold }: ProbeParts,
  commands: readonly FoldCommand[],
): Promise<string | undefined> {
  try {
    await store.probe(fold(commands));
    return undefined;
  } catch (error) {
    if (classifyFailure(error) === 'refused') return String(error);
    throw error;
  }
}
