// Mutants of splits and moves of partitions.
import type { Mutant } from './mutant.js';

const SPLIT = 'store/postgres/functions/partitions.sql';
const LEASES = 'store/postgres/payments/partition-leases.ts';
const MOVE_TEST = 'test/store/payments/move-partitions.test.ts';
const SPLIT_TEST = 'test/store/payments/split-partitions.test.ts';

export const PARTITION_MUTANTS: readonly Mutant[] = [
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
  {
    breaks: 'a drained process is drained after its renewal',
    file: LEASES,
    from: 'hears_redis = excluded.hears_redis and not payments_processes.is_drained',
    to: 'hears_redis = excluded.hears_redis',
    caughtBy: MOVE_TEST,
  },
  {
    breaks: 'only its new owner claims a partition that moves',
    file: LEASES,
    from: '(stopped_version is null and (coalesce(moves_until <= now(), true) or ${MOVES_HERE}))',
    to: 'stopped_version is null',
    caughtBy: MOVE_TEST,
  },
  {
    breaks: 'no partition is handed over to a process that cannot own it',
    file: LEASES,
    from: '\n               and moves_to in (select name from sharing)) as leaving',
    to: ') as leaving',
    caughtBy: MOVE_TEST,
  },
  {
    breaks: 'the claim of another process ends a move',
    file: LEASES,
    from: 'moves_to = case when moves_to = ${name} then moves_to end',
    to: 'moves_to = moves_to',
    caughtBy: MOVE_TEST,
  },
  {
    breaks: 'a process keeps the partitions that were moved to it',
    file: 'actors/payments/lease-keeper.ts',
    from: '[...new Set([...others, ...highestFirst])]',
    to: 'highestFirst',
    caughtBy: 'test/actors/payments/batch-parts.test.ts',
  },
];
