// Mutants of the split of partitions.
import type { Mutant } from './mutant.js';

const SPLIT = 'store/postgres/functions/partitions.sql';
const SPLIT_TEST = 'test/store/payments/split-partitions.test.ts';

export const SPLIT_MUTANTS: readonly Mutant[] = [
  {
    breaks: 'a split fences the owners of before',
    file: SPLIT,
    from: 'epoch = greatest(epoch + 1, (extract(epoch from now()) * 1000)::bigint)',
    to: 'epoch = epoch',
    caughtBy: SPLIT_TEST,
  },
  {
    breaks: 'a new partition begins at the position of the one that its payments come from',
    file: SPLIT,
    from: 'p.position_ms, p.position_seq, p.counts',
    to: '0, 1, p.counts',
    caughtBy: SPLIT_TEST,
  },
  {
    breaks: 'deferred commands go with their payments',
    file: SPLIT,
    from: 'update deferred_commands set partition = find_partition(payment_id, to_count)',
    to: 'update deferred_commands set partition = partition',
    caughtBy: SPLIT_TEST,
  },
  {
    breaks: 'a process that does not follow splits claims nothing after one',
    file: SPLIT,
    from: 'where name = new.owner and follows_splits',
    to: 'where name = new.owner',
    caughtBy: SPLIT_TEST,
  },
  {
    breaks: 'a command of a payment that moved is forwarded before it is passed over',
    file: 'actors/payments/batch-loop.ts',
    from: 'if (batch.commands.some(isMoved)) await forwardMoved(this.#deps, batch.commands);',
    to: '',
    caughtBy: 'test/actors/payments/forwarder.test.ts',
  },
  {
    breaks: 'the owner of before does not decide commands of a payment that moved',
    file: 'actors/payments/batch-input.ts',
    from: 'const own = partitionFor(sent.paymentId, findCount(counts));',
    to: 'const own = partitionFor(sent.paymentId, counts[0] ?? 1);',
    caughtBy: { protocol: 'splits', fault: 'partitions_split' },
  },
];
