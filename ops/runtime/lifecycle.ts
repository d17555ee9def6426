// Shutdown of a process. Each resource registers its release; SIGTERM and SIGINT run the releases once, the last
// registered first, within SHUTDOWN_MS. A bug (uncaught exception, unhandled rejection) ends the process at once with
// exit code 1: its partitions move, and its supervisor restarts it. A process under `npm start` also stops when its
// parent is gone, because the channel between them closes.
import { writeFileSync } from 'node:fs';
import { type Config, EXIT_CONFIGURATION, StartError } from './config.js';
import type { Log } from './log.js';

type Release = () => unknown;

export interface Lifecycle {
  /** Aborted as soon as the process begins to stop. */
  readonly stopping: AbortSignal;
  /** `release` is awaited when the process stops, before those that were registered earlier. */
  onStop(label: string, release: Release): void;
  /** Reports to the log, and to the parent if there is one, that the process is ready. */
  ready(): void;
  /** From `ready()` until the process begins to stop. */
  isReady(): boolean;
  /** Runs the releases and exits: 0, or 1 when a release failed or took too long. */
  stop(reason: string): Promise<never>;
}

interface Entry {
  readonly label: string;
  readonly release: Release;
}

/** Installs the handlers of signals and bugs. Call it once, before any resource is opened. */
export function createLifecycle(
  config: Pick<Config, 'process' | 'shutdownMs'>,
  log: Log,
): Lifecycle {
  const entries: Entry[] = [];
  const controller = new AbortController();
  const progress = { label: '' };
  let isStarted = false;
  let ending: Promise<never> | null = null;

  const stop = (reason: string): Promise<never> => {
    ending ??= end(reason);
    return ending;
  };
  const end = async (reason: string): Promise<never> => {
    log.info({ reason }, 'stopping');
    controller.abort();
    const timer = setTimeout(() => {
      const release = progress.label;
      log.fatal({ shutdownMs: config.shutdownMs, release }, 'stopping took too long');
      process.exit(1);
    }, config.shutdownMs);
    const isClean = await runReleases(entries, log, progress);
    clearTimeout(timer);
    log.info({ clean: isClean }, 'stopped');
    process.exit(isClean ? 0 : 1);
  };

  nameProcess(`kasir-${config.process}`);
  watchSignals(stop);
  watchBugs(log);
  return {
    stopping: controller.signal,
    onStop: (label, release) => void entries.push({ label, release }),
    isReady: () => isStarted && !controller.signal.aborted,
    ready: () => {
      isStarted = true;
      log.info('ready');
      process.send?.({ type: 'ready' });
    },
    stop,
  };
}

/** `progress` holds the label of the release under way, for the message when it takes too long. */
async function runReleases(
  entries: Entry[],
  log: Log,
  progress: { label: string },
): Promise<boolean> {
  let isClean = true;
  for (let entry = entries.pop(); entry !== undefined; entry = entries.pop()) {
    progress.label = entry.label;
    try {
      await entry.release();
    } catch (error) {
      isClean = false;
      log.error({ err: error, release: entry.label }, 'a release failed');
    }
  }
  return isClean;
}

function watchSignals(stop: (reason: string) => Promise<never>): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => void stop(signal));
  }
  if (process.channel === undefined) return;
  process.once('disconnect', () => void stop('the parent is gone'));
  // The channel alone must not keep an idle process alive.
  process.channel.unref();
}

function watchBugs(log: Log): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      if (error instanceof StartError) {
        for (const fault of error.faults) log.fatal(fault);
        process.exit(EXIT_CONFIGURATION);
      }
      log.fatal({ err: error }, event);
      process.exit(1);
    });
  }
}

/**
 * Sets the name in `ps -e` and `top`. On Linux only the name of the thread is set, because process.title would
 * overwrite the command line, which names the file.
 */
function nameProcess(name: string): void {
  try {
    writeFileSync('/proc/self/comm', name);
  } catch {
    process.title = name;
  }
}
