// The figures of a fault are counted from the history and the tables, and rows are printed as one table.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { partitionFor } from '#actors/core/partition.js';
import type { Entry } from '../load/history.js';
import { makeFolder } from '../servers.js';
import type { Evidence } from './evidence.js';
import {
  buildRow,
  findLongestPause,
  printTable,
  recordRow,
  TABLE_VARIABLE,
} from './fault-table.js';

const PARTITIONS = 2;
const ID = `pay_${'a'.repeat(26)}`;
const OTHER = ['b', 'c', 'd', 'e', 'f', 'g', 'h']
  .map((letter) => `pay_${letter.repeat(26)}`)
  .find((id) => partitionFor(id, PARTITIONS) !== partitionFor(ID, PARTITIONS));

function create(id: string, endMs: number, status = 201): Entry {
  const body = { id, amount: '1' };
  return {
    operation: {
      kind: 'create',
      key: `key-${id}-${endMs}`,
      reference: `${id}-${endMs}`,
      amount: '1',
    },
    ...{ attempt: 1, gateway: 'one', startMs: endMs - 1, endMs },
    result: { kind: 'answer', status, text: JSON.stringify(body), body, isReplayed: false },
  };
}

const evidenceOf = (history: readonly Entry[]): Evidence => ({
  history,
  tables: {
    ...{ payments: [], events: [], postings: [], balances: [], railTransactions: [] },
    quarantined: [],
  },
  samples: [],
  expectedQuarantined: 0,
});

t.test('the partition that waited longest counts, until the end of the watch', (t) => {
  const watch = { fromMs: 0, toMs: 10_000 };
  const steady = [1_000, 3_000, 5_000, 7_000, 9_000].map((ms) => create(ID, ms));
  const other = [500, 8_500].map((ms) => create(OTHER ?? '', ms));
  t.equal(findLongestPause([...steady, ...other], watch, PARTITIONS), 8_000);
  t.equal(findLongestPause(steady, watch, PARTITIONS), 10_000, 'one partition had no answer');
  const refused = create(OTHER ?? '', 4_000, 503);
  t.equal(findLongestPause([...steady, ...other, refused], watch, PARTITIONS), 8_000);
  t.end();
});

t.test('an answered create that nobody reads is lost', (t) => {
  const watched = { engine: 'one', fault: 'none', fromMs: 0, toMs: 2_000 };
  const row = buildRow(watched, evidenceOf([create(ID, 1_000)]), PARTITIONS);
  t.match(row, { answered: 1, lost: 1, twice: 0 });
  const given = buildRow({ ...watched, lost: 7 }, evidenceOf([create(ID, 1_000)]), PARTITIONS);
  t.equal(given.lost, 7, 'the test has counted itself');
  t.end();
});

t.test('two payments of one reference are one too many', (t) => {
  const evidence = evidenceOf([]);
  const payment = { environment: 'TEST', status: 'pending', amount: '1', version: 1 };
  evidence.tables.payments.push(
    { ...payment, id: ID, reference_id: 'same' },
    { ...payment, id: OTHER ?? '', reference_id: 'same' },
  );
  const watched = { engine: 'one', fault: 'none', fromMs: 0, toMs: 1 };
  t.equal(buildRow(watched, evidence, PARTITIONS).twice, 1);
  t.end();
});

t.test('rows are printed in order, and no table without rows', (t) => {
  const file = join(makeFolder(t), 'rows');
  t.strictSame(printTable(file), []);
  writeFileSync(file, '');
  t.strictSame(printTable(file), []);
  process.env[TABLE_VARIABLE] = file;
  const row = { fault: 'kill', answered: 3, lost: 0, twice: 0, pauseS: 1.25 };
  recordRow({ ...row, engine: 'two' });
  recordRow({ ...row, engine: 'one' });
  delete process.env[TABLE_VARIABLE];
  t.strictSame(printTable(file).slice(2), [
    '| one | kill | 3 | 0 | 0 | 1.3 |',
    '| two | kill | 3 | 0 | 0 | 1.3 |',
  ]);
  t.end();
});
