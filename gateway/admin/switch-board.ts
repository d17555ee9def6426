// Which switches are off, as this gateway knows them: read four times a second, so that a turned switch counts
// within a second everywhere. While the database is away, what was known last goes on.
import { withDeadline } from '../../ops/runtime/deadline.js';

const LOOK_EVERY_MS = 250;
const LOOK_DEADLINE_MS = 2_000;

export interface SwitchBoard {
  isOn(name: string): boolean;
  stop(): void;
}

export interface SwitchBoardParts {
  loadSwitchedOff(): Promise<readonly string[]>;
  onError(error: unknown): void;
}

/** Resolves when it has looked once, or could not. */
export async function startSwitchBoard(parts: SwitchBoardParts): Promise<SwitchBoard> {
  let off: ReadonlySet<string> = new Set();
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      off = new Set(await withDeadline(parts.loadSwitchedOff(), LOOK_DEADLINE_MS));
    } catch (error) {
      parts.onError(error);
    } finally {
      isLooking = false;
    }
  };
  await look();
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  return {
    isOn: (name) => off.size === 0 || !off.has(name),
    stop: () => {
      clearInterval(timer);
    },
  };
}
