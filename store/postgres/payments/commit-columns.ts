// The rows of a commit, as texts. From one table of columns follow the types of the rows, the text in which a row set is
// sent, and the SQL functions that read such a text, which `migrate` creates with those of store/postgres/functions.
//
// A row set is one text: rows are separated by U+001E, the columns of a row by U+001F, and an empty column is null. So a
// commit has one parameter per row set; with one per column, a commit without rows took Postgres 298 µs and its client
// 363 µs. Ids, codes, numbers and JSON never contain a control character.
import { createHash } from 'node:crypto';
import type { Position } from '#actors/core/partition.js';

/** Free text may contain the separators, so they are escaped in it. `unix_ms` is a time. */
interface Values {
  readonly text: string;
  readonly free_text: string;
  readonly smallint: number;
  readonly integer: number;
  readonly bigint: bigint;
  readonly unix_ms: number;
  readonly position: Position;
}

/** A `?` allows null. */
type ColumnType = keyof Values | `${keyof Values}?`;
type ValueOf<Type> = Type extends `${infer Name extends keyof Values}?`
  ? Values[Name] | null
  : Type extends keyof Values
    ? Values[Type]
    : never;
type RowOf<Columns> = { readonly [Name in keyof Columns]: ValueOf<Columns[Name]> };

export const COLUMNS = {
  /** Moves a partition from the position that the batch was folded on to the last one that it has read. */
  positions: { partition: 'smallint', epoch: 'bigint', from: 'position', to: 'position' },
  created: {
    id: 'text',
    merchantId: 'text',
    environment: 'text',
    atMs: 'unix_ms',
    status: 'text',
    amountMinor: 'bigint',
    currency: 'text',
    paymentMethod: 'text?',
    referenceId: 'free_text?',
    dueAtMs: 'unix_ms?',
    version: 'integer',
    snapshot: 'text',
  },
  changed: {
    id: 'text',
    status: 'text',
    paymentMethod: 'text?',
    dueAtMs: 'unix_ms?',
    fromVersion: 'integer',
    version: 'integer',
    snapshot: 'text',
  },
  /**
   * `index` counts within the batch; position and index are the commit order of the event, and the position has its time.
   * `envelope` is the text that merchants receive and that is signed; merchant and environment are set with it only.
   */
  events: {
    partition: 'smallint',
    position: 'position',
    index: 'integer',
    paymentId: 'text',
    version: 'integer',
    type: 'text',
    event: 'text',
    merchantId: 'text?',
    environment: 'text?',
    envelope: 'text?',
  },
  postings: {
    partition: 'smallint',
    paymentId: 'text',
    version: 'integer',
    index: 'smallint',
    debit: 'text',
    credit: 'text',
    amountMinor: 'bigint',
    currency: 'text',
    reason: 'text',
  },
  refunds: {
    id: 'text',
    paymentId: 'text',
    merchantId: 'text',
    environment: 'text',
    status: 'text',
    createdAtMs: 'unix_ms',
  },
  railTransactions: { rail: 'text', transactionId: 'free_text', paymentId: 'text' },
  railCalls: {
    id: 'text',
    paymentId: 'text',
    rail: 'text',
    operation: 'text',
    request: 'text',
    /** How long its command waited in the stream. */
    waitedMs: 'integer',
  },
  tasks: { id: 'text', kind: 'text', paymentId: 'text?', details: 'text' },
  quarantined: {
    partition: 'smallint',
    position: 'position',
    index: 'integer',
    command: 'free_text',
    error: 'free_text',
  },
  /** Commands that the position moves over and that are applied later; their place is that of their frame. */
  deferred: {
    partition: 'smallint',
    position: 'position',
    index: 'integer',
    paymentId: 'text',
    source: 'text',
    sender: 'free_text',
    correlation: 'free_text',
    command: 'free_text',
  },
  /** Deferred commands that the batch applies. */
  resumed: { partition: 'smallint', position: 'position', index: 'integer' },
} as const satisfies Record<string, Record<string, ColumnType>>;

export type RowSet = keyof typeof COLUMNS;
export type Row<Set extends RowSet> = RowOf<(typeof COLUMNS)[Set]>;

const ROW = '\u001e';
const COLUMN = '\u001f';
const ESCAPE = '\u001d';
const ESCAPED = new RegExp(`[${ESCAPE}${ROW}${COLUMN}]`, 'g');
const ESCAPES: Readonly<Record<string, string>> = {
  [ESCAPE]: `${ESCAPE}a`,
  [ROW]: `${ESCAPE}b`,
  [COLUMN]: `${ESCAPE}c`,
};

type Value = string | number | bigint | null;
type AnyRow = Readonly<Record<string, Value | Position>>;

/** A column of a packed row; a position is two. */
interface PackedColumn {
  readonly name: string;
  readonly sqlType: string;
  /** Reads the column from `$`. */
  readonly sql: string;
  readonly encode: (row: AnyRow) => string;
}

const SQL_TYPES = {
  text: 'text',
  free_text: 'text',
  smallint: 'smallint',
  integer: 'integer',
  bigint: 'bigint',
  unix_ms: 'bigint',
  position: 'bigint',
} as const satisfies Record<keyof Values, string>;

const PACKED = {
  positions: listColumns(COLUMNS.positions),
  created: listColumns(COLUMNS.created),
  changed: listColumns(COLUMNS.changed),
  events: listColumns(COLUMNS.events),
  postings: listColumns(COLUMNS.postings),
  refunds: listColumns(COLUMNS.refunds),
  railTransactions: listColumns(COLUMNS.railTransactions),
  railCalls: listColumns(COLUMNS.railCalls),
  tasks: listColumns(COLUMNS.tasks),
  quarantined: listColumns(COLUMNS.quarantined),
  deferred: listColumns(COLUMNS.deferred),
  resumed: listColumns(COLUMNS.resumed),
} as const satisfies Record<RowSet, readonly PackedColumn[]>;

function listColumns(columns: Readonly<Record<string, ColumnType>>): PackedColumn[] {
  return Object.entries(columns).flatMap(([column, nullableType]): PackedColumn[] => {
    const type = nullableType.replace('?', '') as keyof Values;
    const name = formatSnakeCase(column);
    const sqlType = SQL_TYPES[type];
    const sql = sqlType === 'text' ? '$' : `$::${sqlType}`;
    const read = (row: AnyRow) => row[column];
    switch (type) {
      case 'position':
        return [
          { name: `${name}_ms`, sqlType, sql, encode: (row) => String((read(row) as Position).ms) },
          {
            name: `${name}_seq`,
            sqlType,
            sql,
            encode: (row) => String((read(row) as Position).seq),
          },
        ];
      case 'free_text':
        return [
          {
            name,
            sqlType,
            sql: 'read_text($)',
            encode: (row) => encodeText(read(row) as string | null),
          },
        ];
      default:
        return [{ name, sqlType, sql, encode: (row) => formatScalar(read(row) as Value) }];
    }
  });
}

function formatScalar(value: Value): string {
  return value === null ? '' : String(value);
}

/** The mark in front keeps an empty text from being null. */
function encodeText(text: string | null): string {
  return text === null ? '' : `=${text.replace(ESCAPED, (one) => ESCAPES[one] ?? one)}`;
}

function formatSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The text of a row set; empty: no rows. */
export function packRows<Set extends RowSet>(set: Set, rows: readonly Row<Set>[]): string {
  const columns = PACKED[set];
  let packed = '';
  for (const row of rows) {
    let separator = packed === '' ? '' : ROW;
    for (const { encode } of columns) {
      packed += separator + encode(row);
      separator = COLUMN;
    }
  }
  return packed;
}

/** Reads the escapes of `encodeText`. */
const READ_TEXT = `create or replace function read_text(packed text) returns text
language sql immutable parallel safe
return replace(replace(replace(substr(packed, 2), E'\\x1dc', E'\\x1f'), E'\\x1db', E'\\x1e'), E'\\x1da', E'\\x1d');`;

/**
 * `read_<set>(packed)` returns the rows of a text. `offset 0` keeps the planner from splitting a row once for each of its
 * columns; `unnest` is estimated at 10 rows, so that a generic plan finds payments by their key. A row with another number
 * of columns divides by zero, and Postgres refuses it: a separator within an id would shift the columns behind it.
 */
function buildReader(set: RowSet): string {
  const columns = PACKED[set];
  const names = columns.map(({ name, sqlType }) => `${name} ${sqlType}`);
  const first = `r[1 / (cardinality(r) = ${columns.length})::integer]`;
  const values = columns.map(({ sql }, index) =>
    sql.replace('$', index === 0 ? first : `r[${index + 1}]`),
  );
  return `create or replace function read_${formatSnakeCase(set)}(packed text)
returns table (${names.join(', ')})
language sql immutable parallel safe as $$
  select ${values.join(', ')}
    from (select string_to_array(row, E'\\x1f', '') as r
            from unnest(string_to_array(packed, E'\\x1e')) as row offset 0) as rows
$$;`;
}

const READERS = (Object.keys(COLUMNS) as RowSet[]).map(buildReader);

/** A commit names the columns that it was packed with, so that one of another version is refused. */
export const LAYOUT = createHash('sha256')
  .update([READ_TEXT, ...READERS].join())
  .digest('hex')
  .slice(0, 16);

/** The SQL functions that read packed rows, and `commit_layout()`. */
export const READER_FUNCTIONS = [
  READ_TEXT,
  ...READERS,
  `create or replace function commit_layout() returns text language sql immutable parallel safe
return '${LAYOUT}';`,
].join('\n\n');
