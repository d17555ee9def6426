// The commit: one statement stores what a batch of commands caused. From one table of columns follow the types of the
// rows, the parameters of the SQL functions commit_batch and commit_consequences (functions/payments.sql), and the
// statements that call them.
//
// A column has one name in all places: `amountMinor` of `created` is the property of the row and the parameter
// `created_amount_minor`. The call names its parameters, so Postgres refuses a statement whose columns are not those
// of its functions. This also holds while processes of two versions run.
import type { Position } from '#actors/core/partition.js';
import type { Postgres } from '../client.js';
import { joinColumn } from '../join-column.js';

/** Free text may contain the separator of joined columns, so it is sent as an array. `unix_ms` is a time. */
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

const COLUMNS = {
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

type RowSet = keyof typeof COLUMNS;
type Row<Set extends RowSet> = RowOf<(typeof COLUMNS)[Set]>;

export type PositionMove = Row<'positions'>;
export type NewPayment = Row<'created'>;
export type EventRow = Row<'events'>;
export type DeferredRow = Row<'deferred'>;

/** Everything that one commit stores. */
export type CommitBatch = { atMs: number } & { [Set in RowSet]: Row<Set>[] };

/** The functions and the row sets of each. Most batches need the first one only. */
const FUNCTIONS = {
  commit_batch: ['positions', 'created', 'changed', 'events'],
  commit_consequences: [
    'postings',
    'refunds',
    'railTransactions',
    'railCalls',
    'tasks',
    'quarantined',
    'deferred',
    'resumed',
  ],
} as const satisfies Record<string, readonly RowSet[]>;
type CommitFunction = keyof typeof FUNCTIONS;

type Value = string | number | bigint | null;
type AnyRow = Readonly<Record<string, Value | Position>>;

interface Parameter {
  readonly name: string;
  readonly sqlType: string;
  /** In a statement; `$` marks the place of the value. */
  readonly sql: string;
  readonly encode: (batch: CommitBatch) => Date | string | (string | null)[];
}

const SQL_TYPES = {
  text: 'text[]',
  free_text: 'text[]',
  smallint: 'smallint[]',
  integer: 'integer[]',
  bigint: 'bigint[]',
  unix_ms: 'bigint[]',
  position: 'bigint[]',
} as const satisfies Record<keyof Values, string>;

const BATCH_AT: Parameter = {
  name: 'batch_at',
  sqlType: 'timestamp with time zone',
  sql: '$::timestamptz',
  encode: ({ atMs }) => new Date(atMs),
};

const PARAMETERS = {
  commit_batch: FUNCTIONS.commit_batch.flatMap(buildParameters),
  commit_consequences: [BATCH_AT, ...FUNCTIONS.commit_consequences.flatMap(buildParameters)],
} as const;

function buildParameters(set: RowSet): Parameter[] {
  return Object.entries<ColumnType>(COLUMNS[set]).flatMap(([column, nullableType]) => {
    const type = nullableType.replace('?', '') as keyof Values;
    const build = (suffix: string, read: (row: AnyRow) => Value): Parameter => ({
      name: formatSnakeCase(`${set}_${column}${suffix}`),
      sqlType: SQL_TYPES[type],
      ...buildEncoding(set, type, read),
    });
    if (type !== 'position') return [build('', (row) => row[column] as Value)];
    return [
      build('_ms', (row) => (row[column] as Position).ms),
      build('_seq', (row) => (row[column] as Position).seq),
    ];
  });
}

function buildEncoding(
  set: RowSet,
  type: keyof Values,
  read: (row: AnyRow) => Value,
): Pick<Parameter, 'sql' | 'encode'> {
  const listRows = (batch: CommitBatch): readonly AnyRow[] => batch[set];
  if (type === 'free_text') {
    const encode = (batch: CommitBatch) => listRows(batch).map(read) as (string | null)[];
    return { sql: '$::text[]', encode };
  }
  const encode = (batch: CommitBatch) => joinColumn(listRows(batch), read);
  return { sql: `split($)::${SQL_TYPES[type]}`, encode };
}

function formatSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The parameters of a function in the words of `pg_get_function_arguments`, for the test that compares them. */
export function describeParameters(name: CommitFunction): string {
  return PARAMETERS[name].map((parameter) => `${parameter.name} ${parameter.sqlType}`).join(', ');
}

function hasConsequences(batch: CommitBatch): boolean {
  return FUNCTIONS.commit_consequences.some((set) => batch[set].length > 0);
}

/** The parts of a template and its values: `sql(strings, ...readValues(batch))`. */
interface CommitStatement {
  readonly strings: TemplateStringsArray;
  readonly readValues: (batch: CommitBatch) => ReturnType<Parameter['encode']>[];
}

/** Built once per statement. It selects the functions, and `ending` after them. */
function buildStatement(
  names: readonly CommitFunction[],
  ending: readonly string[] = [],
): CommitStatement {
  const strings = `select ${[...names.map(formatCall), ...ending].join(', ')}`.split('$');
  const parameters = names.flatMap((name) => PARAMETERS[name]);
  return {
    strings: Object.assign(strings, { raw: strings }),
    readValues: (batch) => parameters.map(({ encode }) => encode(batch)),
  };
}

function formatCall(name: CommitFunction): string {
  return `${name}(${PARAMETERS[name].map((one) => `${one.name} => ${one.sql}`).join(', ')})`;
}

const COMMIT = buildStatement(['commit_batch']);
const COMMIT_WITH_CONSEQUENCES = buildStatement(['commit_batch', 'commit_consequences']);
const PROBE = buildStatement(['commit_batch', 'commit_consequences'], ['undo_probe()']);
/** The error by which `undo_probe` rolls the statement back. */
const PROBE_PASSED = 'KS000';

/**
 * Commits the whole batch or nothing of it.
 * @throws an error that `classifyFailure` classifies
 */
export async function commitBatch(sql: Postgres, batch: CommitBatch): Promise<void> {
  const statement = hasConsequences(batch) ? COMMIT_WITH_CONSEQUENCES : COMMIT;
  const rows = await runStatement(sql, statement, batch);
  // After a lost connection the driver may resolve a query with the empty answer of another one.
  if (rows.length !== 1) throw new Error('Postgres did not answer the commit with one row');
}

/** Tests whether Postgres would accept the batch, and stores nothing. Rejects as `commitBatch` does. */
export async function probeBatch(sql: Postgres, batch: CommitBatch): Promise<void> {
  try {
    await runStatement(sql, PROBE, batch);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === PROBE_PASSED) return;
    throw error;
  }
}

function runStatement(sql: Postgres, { strings, readValues }: CommitStatement, batch: CommitBatch) {
  return sql(strings, ...readValues(batch));
}
