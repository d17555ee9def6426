// The committed states that a batch needs: those remembered, and the others with one query.
//
// Creates are almost always the first of their payment, so they are folded without asking: the commit
// finds out (KS003), and the batch is folded again with what is stored. That saves each batch a query. A first create that
// is refused commits nothing by which that could be found out, so those are asked about.
import type { PaymentCommand } from '../core/payment/commands.js';
import { isRejectedAsFirst } from '../core/payment/create.js';
import type { PaymentState } from '../core/payment/state.js';
import { decodeSnapshot } from '../core/payment/wire/snapshot.js';
import type { FoldCommand } from './fold-command.js';
import type { Ownership } from './owned-partition.js';
import type { PaymentStore } from './ports.js';

/** first_creates: a create whose payment is not remembered counts as its first. */
export type LoadScope = 'first_creates' | 'everything';

/**
 * Answers the states that exist, by payment id. A snapshot that cannot be read (a damaged row, or one of a
 * newer program) marks the commands of its payment to be parked; the others go on.
 * Rejects when the database cannot be asked.
 */
export async function loadStates(
  store: Pick<PaymentStore, 'loadSnapshots'>,
  owned: Ownership,
  commands: readonly FoldCommand[],
  scope: LoadScope,
): Promise<Map<string, PaymentState>> {
  const known = new Map<string, PaymentState>();
  const missing = new Set<string>();
  const learn = (id: string, snapshot: string): void => {
    try {
      known.set(id, decodeSnapshot(snapshot));
    } catch (error) {
      quarantineAll(commands, id, `the stored payment cannot be read: ${String(error)}`);
    }
  };
  for (const { command, partition } of commands) {
    if (command === undefined || known.has(command.paymentId)) continue;
    const snapshot = owned.get(partition)?.snapshots.get(command.paymentId);
    if (snapshot !== undefined) learn(command.paymentId, snapshot);
    else if (scope === 'everything' || !isFirstCreate(command)) missing.add(command.paymentId);
  }
  if (missing.size === 0) return known;
  for (const [id, snapshot] of await store.loadSnapshots([...missing])) learn(id, snapshot);
  return known;
}

const isFirstCreate = (command: PaymentCommand): boolean =>
  command.type === 'create' && !isRejectedAsFirst(command);

function quarantineAll(commands: readonly FoldCommand[], id: string, reason: string): void {
  for (const command of commands) {
    if (command.command?.paymentId === id) command.quarantineReason ??= reason;
  }
}
