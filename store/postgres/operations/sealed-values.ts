// The values that are stored sealed (ops/runtime/sealed-secrets.ts), so that all of them can be sealed anew under another
// key. A value names its key, so the progress is in the values themselves: any number of runs may stop, go on or overlap.
import { StartError } from '#ops/runtime/config.js';
import type { NamedKey } from '#ops/runtime/environment/variables.js';
import type { Postgres } from '../client.js';

/** Every column with sealed values. The owner of a value is the id of its row. */
export const SEALED_COLUMNS = [
  { table: 'webhook_endpoints', column: 'secret', form: 'text' },
  { table: 'webhook_endpoints', column: 'next_secret', form: 'text' },
  { table: 'users', column: 'totp_secret', form: 'text' },
  { table: 'kyc_submissions', column: 'fields', form: 'text' },
  { table: 'kyc_documents', column: 'content', form: 'file' },
  { table: 'kyc_document_parts', column: 'content', form: 'file' },
] as const;
export type SealedColumn = (typeof SEALED_COLUMNS)[number];

const readKeyName = (sql: Postgres, { column, form }: SealedColumn) =>
  form === 'text'
    ? sql`split_part(${sql(column)}, '.', 2)`
    : sql`encode(substring(${sql(column)} from 4 for 8), 'escape')`;

/** A deleted endpoint has an empty secret. */
const isSealed = (sql: Postgres, { column, form }: SealedColumn) =>
  form === 'text' ? sql`starts_with(${sql(column)}, 'v1.')` : sql`${sql(column)} is not null`;

export interface SealedCount {
  readonly table: string;
  readonly column: string;
  /** The name of the key that the values are sealed with. */
  readonly key: string;
  readonly values: number;
}

export async function countSealed(sql: Postgres, sealed: SealedColumn): Promise<SealedCount[]> {
  const { table, column } = sealed;
  return sql<SealedCount[]>`
    select ${table} as table, ${column} as column, ${readKeyName(sql, sealed)} as key, count(*)::int as values
      from ${sql(table)} where ${isSealed(sql, sealed)} group by 3 order by 3`;
}

/**
 * At the start of the processes that open them. While keys are rotated, values may be sealed with any of `keys`.
 * @throws StartError when values are sealed with another key
 */
export async function checkSecretsKeys(sql: Postgres, keys: readonly NamedKey[]): Promise<void> {
  const names = keys.map(({ name }) => name);
  const closed: string[] = [];
  for (const sealed of SEALED_COLUMNS) {
    for (const { table, column, key, values } of await countSealed(sql, sealed)) {
      if (!names.includes(key)) closed.push(`${values} of ${table}.${column} need the key ${key}`);
    }
  }
  if (closed.length === 0) return;
  throw new StartError(
    `SECRETS_KEY (${names.join(', ')}) cannot open stored secrets: ${closed.join('; ')}. Add the missing key behind the ` +
      'first one, separated by a comma. See docs/operations/keys.md#rotate-keys',
  );
}

export interface SealedValue {
  readonly id: string;
  readonly value: string | Buffer;
}

export interface SealedPage {
  /** Values with this key are left out. */
  readonly keyName: string;
  readonly afterId: string;
  readonly limit: number;
}

/** The next values under other keys, by id. */
export async function listSealed(
  sql: Postgres,
  sealed: SealedColumn,
  { keyName, afterId, limit }: SealedPage,
): Promise<SealedValue[]> {
  const { table, column } = sealed;
  return sql<SealedValue[]>`
    select id, ${sql(column)} as value from ${sql(table)}
     where id > ${afterId} and ${isSealed(sql, sealed)} and ${readKeyName(sql, sealed)} <> ${keyName}
     order by id limit ${limit}`;
}

/**
 * False: the value was changed meanwhile, so that it is sealed with a current key or is gone. The audit log has each change:
 * triggers record texts, and this statement a document, with its content or with the first of its parts.
 */
export async function replaceSealed(
  sql: Postgres,
  sealed: SealedColumn,
  { id, value }: SealedValue,
  resealed: string | Buffer,
): Promise<boolean> {
  const { table, column, form } = sealed;
  const update = sql`
    update ${sql(table)} set ${sql(column)} = ${resealed}
     where id = ${id} and ${sql(column)} = ${value}`;
  if (form === 'text') return (await sql`${update} returning 1`).length === 1;
  const documentId = table === 'kyc_documents' ? sql`id` : sql`document_id`;
  const rows = await sql`
    with replaced as (
      ${update} returning ${documentId} as document_id, merchant_id, ${readKeyName(sql, sealed)} as key),
    audited as (
      insert into audit_log (chain, actor, action, target, after)
      select merchant_id, find_actor(), 'secrets.reseal', document_id,
             json_build_object('key', key)::text
        from replaced r
       where not exists (select from kyc_document_parts p
                          where p.document_id = r.document_id and p.id < ${id}))
    select 1 from replaced`;
  return rows.length === 1;
}
