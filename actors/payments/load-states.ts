// The committed states that a batch needs: remembered, or loaded with one query.
//
// Almost every create is the first of its payment, so its state is not loaded: the commit finds a repeat (KS003), and
// the batch is folded again on the stored states. This saves a query per batch. A create that is rejected even as the
// first stores nothing by which a commit could find a repeat, so its state is loaded.
import type { PaymentCommand } from '../core/payment/commands.js';
import { isRejectedAsFirst } from '../core/payment/create.js';
import type { PaymentState } from '../core/payment/state.js';
import { decodeSnapshot } from '../core/payment/wire/snapshot.js';
import type { BatchCommand } from './batch-commands.js';
import type { Ownership } from './owned-partition.js';
import type { PaymentStore } from './ports.js';

/** first_creates: a create whose payment is not remembered is folded as its first. */
export type LoadScope = 'first_creates' | 'everything';

/**
 * Returns the states that exist, by payment id. When a snapshot cannot be decoded (a damaged row, or one of a newer
 * version), the commands of its payment are marked for quarantine. Rejects when Postgres does not answer.
 */
export async function loadStates(
  store: Pick<PaymentStore, 'loadSnapshots'>,
  owned: Ownership,
  commands: readonly BatchCommand[],
  scope: LoadScope,
): Promise<Map<string, PaymentState>> {
  const known = new Map<string, PaymentState>();
  const missing = new Set<string>();
  const decode = (id: string, snapshot: string): void => {
    try {
      known.set(id, decodeSnapshot(snapshot));
    } catch (error) {
      quarantineAll(commands, id, `the stored payment cannot be decoded: ${String(error)}`);
    }
  };
  for (const { command, partition } of commands) {
    if (command === undefined || known.has(command.paymentId)) continue;
    const snapshot = owned.get(partition)?.snapshots.get(command.paymentId);
    if (snapshot !== undefined) decode(command.paymentId, snapshot);
    else if (scope === 'everything' || !isFirstCreate(command)) missing.add(command.paymentId);
  }
  if (missing.size === 0) return known;
  for (const [id, snapshot] of await store.loadSnapshots([...missing])) decode(id, snapshot);
  return known;
}

const isFirstCreate = (command: PaymentCommand): boolean =>
  command.type === 'create' && !isRejectedAsFirst(command);

function quarantineAll(commands: readonly BatchCommand[], id: string, reason: string): void {
  for (const command of commands) {
    if (command.command?.paymentId === id) command.quarantineReason ??= reason;
  }
}
