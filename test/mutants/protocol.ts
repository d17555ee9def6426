// Mutants of the protocol: commands, partitions, leases, commits, replies.
import type { Mutant } from './mutant.js';

const LOOP = 'actors/payments/batch-loop.ts';
const INPUT = 'actors/payments/batch-input.ts';
const COMMIT = 'actors/payments/commit.ts';
const FOLD = 'actors/payments/fold.ts';
const KEEPER = 'actors/payments/lease-keeper.ts';
const RETENTION = 'actors/payments/retention.ts';
const COMMANDS = 'store/redis/commands.ts';
const FRAMES = 'store/redis/frames.ts';
const STREAMS = 'store/redis/stream-repair.ts';
const LOST_COMMITS_TEST = 'test/actors/payments/lost-commits.test.ts';
const DISPATCHER = 'gateway/commands/dispatcher.ts';
const FUNCTIONS = 'store/postgres/functions/payments.sql';
const LEASES = 'store/postgres/payments/partition-leases.ts';
const DIFFERENTIAL = 'test/simulation/differential/postgres.test.ts';
const LEASE_TESTS = 'test/store/payments/partition-leases.test.ts';
const ANY = { protocol: 'payments' };

export const PROTOCOL_MUTANTS: readonly Mutant[] = [
  {
    breaks: 'a commit names the epoch of its owner',
    file: FUNCTIONS,
    from: 'p.id = b.partition and p.epoch = b.epoch',
    to: 'p.id = b.partition',
    caughtBy: DIFFERENTIAL,
  },
  {
    breaks: 'a commit names the position that it builds on',
    file: FUNCTIONS,
    from: 'and p.position_ms = b.from_ms and p.position_seq = b.from_seq',
    to: '',
    caughtBy: DIFFERENTIAL,
  },
  {
    breaks: 'a payment that exists is not created again',
    file: FUNCTIONS,
    from: 'from read_created(created) n;',
    to: 'from read_created(created) n on conflict (id) do nothing;',
    caughtBy: DIFFERENTIAL,
  },
  {
    breaks: 'a snapshot replaces the version that it was folded from',
    file: FUNCTIONS,
    from: 'where p.id = c.id and p.version = c.from_version;',
    to: 'where p.id = c.id;',
    caughtBy: 'test/store/payments/commit-batch.test.ts',
  },
  {
    breaks: 'a change of owner raises the epoch',
    file: LEASES,
    from: 'set owner = ${name}, epoch = greatest(epoch + 1, (extract(epoch from now()) * 1000)::bigint)',
    to: 'set owner = ${name}',
    caughtBy: DIFFERENTIAL,
  },
  {
    breaks: 'only a process with a lease claims partitions',
    file: LEASES,
    from: 'where ${name} in (select name from alive)\n       and id in',
    to: 'where id in',
    caughtBy: DIFFERENTIAL,
  },
  {
    breaks: 'frames that wait are dropped with their partition',
    file: INPUT,
    from: '    this.#waiting = this.#waiting.filter(({ partition }) => this.#owned.has(partition));',
    to: '',
    caughtBy: 'test/actors/payments/waiting-frames.test.ts',
  },
  {
    breaks: 'a partition that was lost and claimed again is another one',
    file: LOOP,
    from: 'return this.owned.get(partition) === partitions.get(partition);',
    to: 'return this.owned.has(partition);',
    caughtBy: 'test/actors/payments/batch-loop.test.ts',
  },
  {
    breaks: 'a batch is folded again on loaded states when a payment exists',
    file: LOOP,
    from: "      scope = 'everything';",
    to: '',
    caughtBy: ANY,
  },
  {
    breaks: 'a create whose payment is not remembered is loaded unless it is the first',
    file: INPUT,
    from: "else if (scope === 'everything' || !isFirstCreate(command))",
    to: 'else if (false)',
    caughtBy: ANY,
  },
  {
    breaks: 'the position advances with the commit',
    file: LOOP,
    from: 'if (owned) owned.position = to;',
    to: '',
    caughtBy: ANY,
  },
  {
    breaks: 'a commit without an answer is in doubt, not stored',
    file: COMMIT,
    from: "return 'in_doubt';",
    to: "return { kind: 'committed' };",
    caughtBy: { protocol: 'payments', fault: 'postgres_crashed' },
  },
  {
    breaks: 'a commit in doubt that was stored is not sent again',
    file: COMMIT,
    from: "else if (comparePositions(claim.position, move.to) === 0) return { kind: 'committed' };",
    to: "else if (comparePositions(claim.position, move.to) === 0) return 'not_stored';",
    caughtBy: { protocol: 'payments', fault: 'commit_answers_lost' },
  },
  {
    breaks: 'a partition with another epoch is lost',
    file: COMMIT,
    from: 'claim === undefined || claim.epoch !== move.epoch',
    to: 'claim === undefined',
    caughtBy: 'test/actors/payments/commit.test.ts',
  },
  {
    breaks: 'a command has the time of its append, also when it is applied again',
    file: FOLD,
    from: 'decide(before, command, item.appendedAtMs)',
    to: 'decide(before, command, this.#context.atMs)',
    caughtBy: { protocol: 'payments', fault: 'postgres_lost_tail' },
  },
  {
    breaks: 'a command that Postgres refuses is quarantined',
    file: LOOP,
    from: 'for (const poison of found) markPoison(poison);',
    to: '',
    caughtBy: ANY,
  },
  {
    breaks: 'unsigned commands are quarantined',
    file: INPUT,
    from: 'if (source === null) return refuse(NOT_SIGNED);',
    to: '',
    caughtBy: 'test/actors/payments/signed-commands.test.ts',
  },
  {
    breaks: 'a reversal is a fact that the rails process reports',
    file: 'actors/core/payment/commands.ts',
    from: "reverse: 'rails',",
    to: "reverse: 'gateway',",
    caughtBy: 'test/actors/payments/command-sources.test.ts',
  },
  {
    breaks: 'a frame is signed by its sender',
    file: FRAMES,
    from: 'return given.length === expected.length && timingSafeEqual(given, expected);',
    to: 'return timingSafeEqual(expected, expected) || given.length > 0;',
    caughtBy: ANY,
  },
  {
    breaks: 'nothing behind a frame of a newer version is read',
    file: COMMANDS,
    from: 'if (index === 0) newer.set(partition, frame.version);\n    return;',
    to: 'if (index === 0) newer.set(partition, frame.version);',
    caughtBy: 'test/store/streams.test.ts',
  },
  {
    breaks: 'a frame of a newer version is neither quarantined nor passed',
    file: FRAMES,
    from: 'if (version > NEWEST_VERSION) return { partition, version };',
    to: '',
    caughtBy: { protocol: 'payments', fault: 'newer_frame' },
  },
  {
    breaks: 'a partition that was given up is claimed again when its frame may be gone',
    file: LEASES,
    from: "or (stopped_at < now() - ${RETRY_STOPPED_MS} * interval '1 ms'",
    to: 'or (false',
    caughtBy: LEASE_TESTS,
  },
  {
    breaks: 'a partition that stopped is claimed again seldom',
    file: LEASES,
    from: "or (stopped_at < now() - ${RETRY_STOPPED_MS} * interval '1 ms'",
    to: 'or (true',
    caughtBy: LEASE_TESTS,
  },
  {
    breaks: 'a process with an older version waits until writers know of it',
    file: LEASES,
    from: 'where is_announced\n         and (hears_master',
    to: 'where (hears_master',
    caughtBy: LEASE_TESTS,
  },
  {
    breaks: 'partitions under our name that we do not own are released',
    file: KEEPER,
    from: 'if (lost.length > 0) await store.release(lost);',
    to: '',
    caughtBy: { protocol: 'payments', fault: 'statements_late' },
  },
  {
    breaks: 'a process has only its share of the partitions',
    file: KEEPER,
    from: 'if (surplus > 0 && assignment.isAlive) {',
    to: 'if (surplus > 100) {',
    caughtBy: ANY,
  },
  {
    breaks: 'frames behind the position are not trimmed before they are committed',
    file: STREAMS,
    from: "    pipelines.to(key).xtrim(key, 'MINID', formatPosition(firstKept));",
    to: "    pipelines.to(key).xtrim(key, 'MINID', `${after.ms + 5n}-0`);",
    caughtBy: 'test/store/streams.test.ts',
  },
  {
    breaks: 'a stream that is behind the position is raised',
    file: STREAMS,
    from: "  await redis.call('XSETID', key, position);",
    to: '',
    caughtBy: 'test/store/streams.test.ts',
  },
  {
    breaks: 'a stream that is missing is made again',
    file: STREAMS,
    from: "await redis.multi().xadd(key, position, 'x', 'x').xtrim(key, 'MINID', firstKept).exec();",
    to: 'void firstKept;',
    caughtBy: ANY,
  },
  {
    breaks: 'a reply answers only the command that it is for',
    file: DISPATCHER,
    from: 'return pending?.correlation === correlation ? pending : undefined;',
    to: 'return pending;',
    caughtBy: { protocol: 'payments', fault: 'replies_late' },
  },
  {
    breaks: 'every command is answered in the end',
    file: DISPATCHER,
    from: "if (isOver) this.#settle(pending, pending.found ?? { kind: 'unanswered' });",
    to: '',
    caughtBy: { protocol: 'payments', fault: 'redis_flushed' },
  },
  {
    breaks: 'an answer follows its commit',
    file: LOOP,
    from: 'const result = await this.#commitUntilKnown(folded, batch.partitions);',
    to: 'void this.#finish(folded, batch.partitions); const result = await this.#commitUntilKnown(folded, batch.partitions);',
    caughtBy: ANY,
  },
  {
    breaks: 'a batch that was rolled back for its time is made smaller',
    file: LOOP,
    from: 'else this.#batchSize.shrink(applied.length);',
    to: '',
    caughtBy: 'test/actors/payments/slow-commits.test.ts',
  },
  {
    breaks: 'a batch with deferred commands in its partitions is folded with them',
    file: FOLD,
    from: 'if (deferred?.length !== 0) return true;',
    to: '',
    caughtBy: 'test/actors/payments/slow-commits.test.ts',
  },
  {
    breaks: 'a slow command is deferred',
    file: FOLD,
    from: 'return commands.some(({ isSlow }) => isSlow);',
    to: 'return false;',
    caughtBy: 'test/actors/payments/slow-commits.test.ts',
  },
  {
    breaks: 'later commands of a payment wait behind its deferred ones',
    file: 'actors/payments/deferral.ts',
    from: 'return isBehind || this.#appliedOfFrames >= this.#limits.maxCommands;',
    to: 'return this.#appliedOfFrames >= this.#limits.maxCommands;',
    caughtBy: 'test/actors/payments/slow-commits.test.ts',
  },
  {
    breaks: 'a partition whose position went back is claimed anew',
    file: KEEPER,
    from: 'return claim?.epoch !== owned.epoch || comparePositions(claim.position, after) < 0;',
    to: 'return claim?.epoch !== owned.epoch;',
    caughtBy: LOST_COMMITS_TEST,
  },
  {
    breaks: 'committed frames stay for a failover of Postgres that loses commits',
    file: RETENTION,
    from: 'const retainedSinceMs = nowMs - retainMs;',
    to: 'const retainedSinceMs = nowMs;',
    caughtBy: { protocol: 'payments', fault: 'postgres_lost_tail' },
  },
  {
    breaks: 'an event is stored with the change that it describes',
    file: 'actors/payments/batch-rows.ts',
    from: '      events.push(row);\n',
    to: '',
    caughtBy: LOST_COMMITS_TEST,
  },
];
