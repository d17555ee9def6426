// Random bytes for ids. The system is asked for the bytes of 256 ids at a time, because a call for each id costs more than
// the rest of making it.
import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
const pool = Buffer.alloc(256 * ID_BYTES);
let used = pool.length;

/** 16 random bytes. Encode them at once: they are overwritten when the pool is filled again. */
export function generateIdBytes(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.subarray(used - ID_BYTES, used);
}
