// Each mutant still fits the sources (npm run mutants runs them, which takes minutes).
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { FAULTS } from '#test/simulation/scenario.js';
import { MONEY_MUTANTS } from './money.js';
import { PROTOCOL_MUTANTS } from './protocol.js';

const MUTANTS = [...PROTOCOL_MUTANTS, ...MONEY_MUTANTS];
const root = findPackageRoot();

t.test('the text that a mutant replaces is once in its file', (t) => {
  for (const { file, from, to, breaks } of MUTANTS) {
    t.equal(readFileSync(join(root, file), 'utf8').split(from).length, 2, breaks);
    t.not(from, to);
  }
  t.end();
});

t.test('the catcher of a mutant exists', (t) => {
  for (const { caughtBy, breaks } of MUTANTS) {
    if (typeof caughtBy === 'string') t.ok(existsSync(join(root, caughtBy)), breaks);
    else t.ok(caughtBy.fault === undefined || FAULTS.some((one) => one === caughtBy.fault), breaks);
  }
  t.end();
});
