// Whether an action of an administrator needs a second person.
import type { Environment } from '../ids.js';

/** An amount of the limit itself needs one person; a limit of 0 needs two for every amount. TEST moves no money. */
export function needsTwoPersons(
  environment: Environment,
  amountMinor: bigint,
  limitMinor: bigint,
): boolean {
  return environment === 'LIVE' && amountMinor > limitMinor;
}
