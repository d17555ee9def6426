// Ids of operator tasks that follow from their matter: whoever finds the same thing again opens no second task.
import { hash } from 'node:crypto';
import { encodeBase32 } from '../ids.js';

const ID_BYTES = 16;

/** `matter`: begins with its kind, so that no two kinds meet in one id. */
export function taskIdOf(matter: string): string {
  const digest = hash('sha256', matter, 'hex').slice(0, 2 * ID_BYTES);
  return `task_${encodeBase32(Buffer.from(digest, 'hex'))}`;
}
