// Pages of events that are read from two tables: together they show each event once, in order, also when the search of one
// table stops early.
import fc from 'fast-check';
import t from 'tap';
import type { PagePlace } from '#store/postgres/page.js';
import { type ListedEvent, mergeFound } from '#store/postgres/payments/list-events.js';

const SOURCES = ['payment', 'payout'] as const;
/** Rows that a search reads for one page. */
const SCANNED = 4;

interface Row extends ListedEvent {
  readonly source: (typeof SOURCES)[number];
  /** The filter of the list lets it pass. */
  readonly isWanted: boolean;
}

const arbitraryRows = fc
  .uniqueArray(
    fc.record({
      id: fc.integer({ min: 0, max: 99 }).map((n) => `evt_${String(n).padStart(2, '0')}`),
      atMs: fc.integer({ min: 0, max: 3 }),
      envelope: fc.constant('{}'),
      source: fc.constantFrom(...SOURCES),
      isWanted: fc.boolean(),
    }),
    { selector: ({ id }) => id, maxLength: 40 },
  )
  .map((rows) =>
    rows.toSorted((a, b) => (a.atMs === b.atMs ? (a.id < b.id ? 1 : -1) : b.atMs - a.atMs)),
  );

const isBehind = (row: PagePlace, place: PagePlace | null): boolean =>
  place === null || row.atMs < place.atMs || (row.atMs === place.atMs && row.id < place.id);

/** A page of one table, as its statement reads it. */
function findRows(rows: readonly Row[], limit: number, after: PagePlace | null) {
  const scanned = rows.filter((row) => isBehind(row, after)).slice(0, SCANNED);
  const found = scanned.filter(({ isWanted }) => isWanted).slice(0, limit + 1);
  const last = scanned.length === SCANNED ? (scanned.at(-1) ?? null) : null;
  return { rows: found, stoppedAt: found.length > limit ? null : last };
}

t.test('the pages of two tables show each wanted event once, newest first', (t) => {
  fc.assert(
    fc.property(arbitraryRows, fc.integer({ min: 1, max: 5 }), (rows, limit) => {
      const shown: string[] = [];
      for (let after: PagePlace | null = null, pages = 0; pages < 100; pages += 1) {
        const found = SOURCES.map((source) =>
          findRows(
            rows.filter((row) => row.source === source),
            limit,
            after,
          ),
        );
        const page = mergeFound(found, limit);
        shown.push(...page.rows.slice(0, limit).map(({ id }) => id));
        after = page.rows.length > limit ? (page.rows[limit - 1] ?? null) : page.stoppedAt;
        if (after === null) break;
      }
      const wanted = rows.filter(({ isWanted }) => isWanted).map(({ id }) => id);
      return JSON.stringify(shown) === JSON.stringify(wanted);
    }),
  );
  t.end();
});
