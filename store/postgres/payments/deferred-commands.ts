// Deferred commands, and the rows for which they wait. They are written and deleted by commits (commit-batch.ts).
import type { Position } from '#actors/core/partition.js';
import { COMMAND_SOURCES, type CommandSource } from '#actors/core/payment/commands.js';
import type { Postgres } from '../client.js';

/** A command with what its frame says about it. */
export interface StoredDeferral {
  readonly partition: number;
  readonly position: Position;
  readonly index: number;
  readonly paymentId: string;
  readonly source: CommandSource;
  readonly sender: string;
  readonly correlation: string;
  readonly text: string;
}

interface DeferredCommandRow {
  readonly partition: number;
  readonly ms: string;
  readonly seq: string;
  readonly index: number;
  readonly paymentId: string;
  readonly source: string;
  readonly sender: string;
  readonly correlation: string;
  readonly text: string;
}

/** The deferred commands of partitions, in their order. */
export async function loadDeferred(
  sql: Postgres,
  partitions: readonly number[],
): Promise<StoredDeferral[]> {
  const rows = await sql<DeferredCommandRow[]>`
    select partition, position_ms as ms, position_seq as seq, index, payment_id as "paymentId", source, sender,
           correlation, command as text
      from deferred_commands where partition = any(${[...partitions]}::smallint[])
     order by partition, position_ms, position_seq, index`;
  return rows.map(({ ms, seq, source, ...row }) => {
    const known = COMMAND_SOURCES.find((one) => one === source);
    if (known === undefined) throw new Error(`a deferred command has the source ${source}`);
    return { ...row, source: known, position: { ms: BigInt(ms), seq: BigInt(seq) } };
  });
}

/** Rows that a commit changes. */
export interface CommitRows {
  readonly accounts: readonly string[];
  readonly paymentIds: readonly string[];
}

/** The accounts and payments among `rows` that another transaction holds at this moment. */
export async function findLockedRows(
  sql: Postgres,
  { accounts, paymentIds }: CommitRows,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    with free_accounts as materialized (
      select account from balance_rows where account = any(${[...accounts]}::text[])
         for no key update skip locked),
    free_payments as materialized (
      select id from payments where id = any(${[...paymentIds]}::text[]) for no key update skip locked)
    select account as id from balance_rows
     where account = any(${[...accounts]}::text[]) and account not in (select account from free_accounts)
    union all
    select id from payments
     where id = any(${[...paymentIds]}::text[]) and id not in (select id from free_payments)`;
  return rows.map(({ id }) => id);
}
