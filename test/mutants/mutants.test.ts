// Each mutant still fits the sources (npm run mutants runs them, which takes minutes).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { PROTOCOLS } from '#test/simulation/protocols.js';
import { listCore, listQuick } from '#test/support/suite/list-tests.js';
import { MONEY_MUTANTS } from './money.js';
import { PARTITION_MUTANTS } from './partitions.js';
import { PROTOCOL_MUTANTS } from './protocol.js';
import { RAIL_MUTANTS } from './rails.js';
import { SERVICE_MUTANTS } from './service.js';
import { WEBHOOK_MUTANTS } from './webhooks.js';

const MUTANTS = [
  ...PROTOCOL_MUTANTS,
  ...PARTITION_MUTANTS,
  ...RAIL_MUTANTS,
  ...WEBHOOK_MUTANTS,
  ...MONEY_MUTANTS,
  ...SERVICE_MUTANTS,
];
const root = findPackageRoot();

t.test('the text that a mutant replaces is once in its file', (t) => {
  for (const { file, from, to, breaks } of MUTANTS) {
    t.equal(readFileSync(join(root, file), 'utf8').split(from).length, 2, breaks);
    t.not(from, to);
  }
  t.end();
});

t.test('the catcher of a mutant is a file of npm test, or a simulation that exists', (t) => {
  const files = new Set([...listCore(), ...listQuick()]);
  for (const { caughtBy, breaks } of MUTANTS) {
    if (typeof caughtBy === 'string') t.ok(files.has(caughtBy), breaks);
    else {
      const { protocol, fault } = caughtBy;
      const faults = PROTOCOLS.find(({ name }) => name === protocol)?.faults ?? [];
      t.ok(faults.length > 0 && (fault === undefined || faults.includes(fault)), breaks);
    }
  }
  t.end();
});
