// Names of CSV files.
import t from 'tap';
import { nameFile } from '#gateway/lists/csv-download.js';

t.test('a file is named by the day in Jakarta', (t) => {
  t.equal(
    nameFile('payments-TEST', Date.parse('2026-10-31T16:59:59Z')),
    'payments-TEST-2026-10-31.csv',
  );
  t.equal(
    nameFile('payments-TEST', Date.parse('2026-10-31T17:00:00Z')),
    'payments-TEST-2026-11-01.csv',
  );
  t.end();
});
