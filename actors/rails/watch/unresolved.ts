// A refund of which its rail has not said what became of it, by the end of its watch: a task, once for each refund.
import { hash } from 'node:crypto';
import { encodeBase32 } from '../../core/ids.js';
import { formatAmount } from '../../core/money.js';
import type { WatchTask } from '../../../store/postgres/rails/watches.js';
import type { OpenCall } from './judge.js';

const ID_BYTES = 16;

export function taskUnresolved({
  watch,
  calls,
}: {
  readonly watch: { readonly id: string };
  readonly calls: readonly OpenCall[];
}): readonly WatchTask[] {
  const call = calls.find(({ id }) => id === watch.id)?.call;
  if (call?.operation !== 'refund') return [];
  const { rail, refundId, amountMinor, currency } = call;
  const digest = hash('sha256', `refund unresolved:${refundId}`, 'hex').slice(0, 2 * ID_BYTES);
  const details = { refundId, amount: formatAmount(amountMinor), currency, rail };
  return [
    {
      id: `task_${encodeBase32(Buffer.from(digest, 'hex'))}`,
      kind: 'refund_unresolved',
      details: JSON.stringify(details),
    },
  ];
}
