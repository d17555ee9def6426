// Records when keys were last used. Only look-ups are noted (at most four a second for each key, credentials.ts), so
// requests pay nothing; one statement every few seconds writes all of them. A key whose request is rejected counts too.
import type { KeyId } from '#actors/core/ids.js';
import type { Log } from '#ops/runtime/log.js';
import { startLoop } from '#ops/runtime/loop.js';
import type { Postgres } from '#store/postgres/client.js';
import { recordUses } from '#store/postgres/merchants/api-keys.js';

const WRITE_EVERY_MS = 5_000;
const MAX_KEYS = 10_000;

export interface KeyUses {
  note(id: KeyId): void;
  /** Writes the rest. */
  stop(): Promise<void>;
}

export function startKeyUses(sql: Postgres, log: Log): KeyUses {
  const used = new Set<KeyId>();
  const write = async (): Promise<void> => {
    if (used.size === 0) return;
    const ids = [...used];
    await recordUses(sql, ids);
    for (const id of ids) used.delete(id);
  };
  const loop = startLoop({
    name: 'record key uses',
    everyMs: WRITE_EVERY_MS,
    isFirstDelayed: true,
    work: write,
    log,
  });
  return {
    note: (id) => {
      if (used.size < MAX_KEYS) used.add(id);
    },
    stop: async () => {
      await loop.stop();
      await write().catch((error: unknown) => {
        log.warn({ err: error }, 'the last uses of keys could not be recorded');
      });
    },
  };
}
