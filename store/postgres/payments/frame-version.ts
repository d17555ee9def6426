// The version in which a process writes frames: the newest that it writes and that all payments processes read, which is
// read every 500 ms. A process that has not read it for VERSION_STALE_MS writes version 1, which every payments process
// reads. So a payments process that begins to share knows when the writers know of it
// (docs/decisions/0058-versions-of-frames.md).
import { type Clock, SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { runWithDeadline } from '#ops/runtime/deadline.js';
import type { Log } from '#ops/runtime/log.js';
import { startLoop } from '#ops/runtime/loop.js';
import type { Process } from '#ops/runtime/process.js';
import { FIRST_VERSION, type FrameSender, NEWEST_VERSION } from '#store/redis/frames.js';
import type { Postgres } from '../client.js';

const READ_EVERY_MS = 500;
/** Shorter than the client's deadline: a read that hangs must not use up VERSION_STALE_MS. */
const READ_DEADLINE_MS = 500;
/** WRITERS_LEARN_MS of partition-leases.ts covers it. */
const VERSION_STALE_MS = 1_500;

export interface FrameVersion {
  /** Cheap: call it for each frame and never keep its result. */
  readonly read: () => number;
  readonly stop: () => Promise<void>;
}

export interface FrameVersionDeps {
  /** A pool that slow statements cannot fill. */
  readonly sql: Postgres;
  /** The newest version that this build writes. */
  readonly newest: number;
  readonly log: Log;
  /** The system's by default. */
  readonly clock?: Clock;
}

/** The sender of a process that writes the version that it may. */
export async function openFrameSender(
  { config, log, lifecycle }: Process,
  { name, source, sql }: Pick<FrameSender, 'name' | 'source'> & Pick<FrameVersionDeps, 'sql'>,
): Promise<FrameSender> {
  const { read, stop } = await startFrameVersion({ sql, newest: NEWEST_VERSION, log });
  lifecycle.onStop('version of frames', stop);
  return { name, source, keys: config.commandKeys[source], readVersion: read };
}

/** Resolves after the first read, also when it failed. */
export async function startFrameVersion(deps: FrameVersionDeps): Promise<FrameVersion> {
  const { sql, newest, log, clock = SYSTEM_CLOCK } = deps;
  // Every payments process reads the one version that this build writes.
  if (newest === FIRST_VERSION) return { read: () => FIRST_VERSION, stop: () => Promise.resolve() };
  let common = FIRST_VERSION;
  let readAtMs = -Infinity;
  const read = async (): Promise<void> => {
    const beganAtMs = clock.monotonicMs();
    common = await runWithDeadline(readCommonVersion(sql), READ_DEADLINE_MS, clock);
    readAtMs = beganAtMs;
  };
  await read().catch((error: unknown) => {
    log.warn({ err: error }, 'the version of frames cannot be read: version 1 is written');
  });
  const { stop } = startLoop({
    name: 'version of frames',
    everyMs: READ_EVERY_MS,
    work: read,
    log,
    isFirstDelayed: true,
    clock,
  });
  const isKnown = (): boolean => clock.monotonicMs() - readAtMs < VERSION_STALE_MS;
  return { read: () => (isKnown() ? Math.min(common, newest) : FIRST_VERSION), stop };
}

/**
 * The newest version that all payments processes read; 1 without any. A process whose lease ended a moment ago may be paused,
 * and reads on when it wakes up, so its lease counts for a minute more.
 */
async function readCommonVersion(sql: Postgres): Promise<number> {
  const rows = await sql<{ version: number }[]>`
    select coalesce(min(reads_version), ${FIRST_VERSION})::int as version from payments_processes
     where lease_until > now() - interval '1 minute'`;
  return rows[0]?.version ?? FIRST_VERSION;
}
