// The invariants of the service, each by its name. Fault tests check all of them after every run.
import type { Evidence } from './evidence.js';
import { historiesAreLinearizable, writesAreRead } from './linearizable.js';
import {
  answeredCreatesAreReadable,
  keysAreAnsweredOnce,
  noInternalErrors,
  viewsAreEqual,
} from './of-answers.js';
import {
  balancesAreSums,
  onePaymentPerKey,
  onlyProvokedCommandsAreQuarantined,
  positionsOnlyRise,
  postingsMatchPayments,
  settlementsPayOnce,
  transitionsAreLegal,
  transitionsHaveOneEvent,
} from './of-tables.js';

/** A broken invariant is broken many times: the first ones tell enough. */
const SHOWN = 5;

export const INVARIANTS: Readonly<Record<string, (evidence: Evidence) => string[]>> = {
  'nothing is answered with an internal error': noInternalErrors,
  'every answered create is readable and unchanged': answeredCreatesAreReadable,
  'a key has one 201 at most, equal bodies, and 409 for another body': keysAreAnsweredOnce,
  'a payment in one status is always shown the same': viewsAreEqual,
  'writes are read': writesAreRead,
  'the history of each payment is linearizable': historiesAreLinearizable,
  'one payment per key': onePaymentPerKey,
  'no transition outside the table, versions without a gap': transitionsAreLegal,
  'one payment_paid per accepted settlement': settlementsPayOnce,
  'each transition has one event': transitionsHaveOneEvent,
  'postings match the paid payments': postingsMatchPayments,
  'balances are the sums of their postings': balancesAreSums,
  'positions only rise, epochs never fall': positionsOnlyRise,
  'only provoked commands are quarantined': onlyProvokedCommandsAreQuarantined,
};

/** The violations of every invariant that is broken, by its name; empty when all hold. */
export function checkInvariants(evidence: Evidence): Record<string, string[]> {
  const broken: Record<string, string[]> = {};
  for (const [name, check] of Object.entries(INVARIANTS)) {
    const violations = check(evidence);
    if (violations.length > 0) broken[name] = violations.slice(0, SHOWN);
  }
  return broken;
}
