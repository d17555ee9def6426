// Random bytes of ids, drawn from the system 256 ids at a time: a call for each costs more than the rest
// of making an id.
import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
const pool = Buffer.alloc(256 * ID_BYTES);
let used = pool.length;

/** 16 fresh random bytes; valid until the pool is filled again, so to be encoded at once. */
export function generateIdBytes(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.subarray(used - ID_BYTES, used);
}
