// `kasir secrets`: the keys that stored secrets are sealed with, and sealing them anew under the first key of SECRETS_KEY.
// A value changes only if nobody else changed it meanwhile, so the service runs on. A run that was stopped, or that met
// values of a key that SECRETS_KEY lacks, is simply repeated.
import type { Command } from '@commander-js/extra-typings';
import type { Postgres } from '#store/postgres/client.js';
import {
  countSealed,
  listSealed,
  replaceSealed,
  SEALED_COLUMNS,
  type SealedColumn,
  type SealedCount,
  type SealedValue,
} from '#store/postgres/operations/sealed-values.js';
import { type NamedKey, readConfig } from '../runtime/config.js';
import { openFile, openSecret, sealFile, sealSecret } from '../runtime/sealed-secrets.js';
import { withDatabase } from './base/database.js';
import { addCommand, DRY_RUN } from './base/options.js';
import { describeError, markProblem, print, printRows, writeDiagnostic } from './base/output.js';
import { withProgress } from './base/progress.js';

const TEXTS_A_PAGE = 200;
/** A document has up to 8 MiB. */
const FILES_A_PAGE = 1;
const MAX_FAILURES_PRINTED = 20;

type Count = SealedCount & { readonly isCurrent: boolean };

interface Tally {
  resealed: number;
  /** Changed by the service meanwhile. */
  changed: number;
  failed: number;
}

export function addSecrets(program: Command): void {
  const secrets = program.command('secrets').description('Seal stored secrets under a new key');
  const statusPurpose = 'Count the stored secrets by the key that they are sealed with';
  addCommand(secrets, 'status', statusPurpose, 'kasir secrets status').action((format) =>
    withDatabase(async (sql) => {
      const counts = await countAll(sql, readKeys());
      printRows(counts, format, describeCount);
      writeDiagnostic(`${sumOld(counts)} left to seal anew`);
    }),
  );
  const resealPurpose = 'Seal all stored secrets with the first key of SECRETS_KEY';
  addCommand(secrets, 'reseal', resealPurpose, 'SECRETS_KEY=new,old kasir secrets reseal')
    .option(...DRY_RUN)
    .action(({ dryRun = false, ...format }) =>
      withDatabase(async (sql) => {
        const keys = readKeys();
        const { resealed, failed } = await resealAll(sql, keys, dryRun);
        const left = dryRun ? failed : sumOld(await countAll(sql, keys));
        const effect = dryRun ? 'would be sealed anew' : 'sealed anew';
        print({ resealed, failed, left, dryRun }, format, `${resealed} ${effect}, ${left} left`);
        if (left > 0) markProblem();
      }),
    );
}

function readKeys(): readonly NamedKey[] {
  const { secretsKeys } = readConfig('start');
  if (secretsKeys.length > 0) return secretsKeys;
  throw new Error('SECRETS_KEY is missing: give the new key and, behind a comma, the old ones');
}

async function countAll(sql: Postgres, keys: readonly NamedKey[]): Promise<Count[]> {
  const counts: Count[] = [];
  for (const sealed of SEALED_COLUMNS) {
    for (const count of await countSealed(sql, sealed)) {
      counts.push({ ...count, isCurrent: count.key === keys[0]?.name });
    }
  }
  return counts;
}

const sumOld = (counts: readonly Count[]): number =>
  counts.reduce((sum, { values, isCurrent }) => sum + (isCurrent ? 0 : values), 0);

const describeCount = ({ table, column, key, values, isCurrent }: Count): string =>
  `${table}.${column}: ${values} with the key ${key}${isCurrent ? ' (current)' : ''}`;

/** A dry run opens each value, and finds those whose key is missing. */
async function resealAll(
  sql: Postgres,
  keys: readonly NamedKey[],
  dryRun: boolean,
): Promise<Tally> {
  const total = sumOld(await countAll(sql, keys));
  const tally: Tally = { resealed: 0, changed: 0, failed: 0 };
  await withProgress(async (tell) => {
    for (const sealed of SEALED_COLUMNS) {
      for await (const { found, resealed } of sealAnew(sql, sealed, keys)) {
        if (resealed instanceof Error) noteFailure(sealed, found, resealed, tally);
        else if (dryRun || (await replaceSealed(sql, sealed, found, resealed))) tally.resealed += 1;
        else tally.changed += 1;
        const done = tally.resealed + tally.changed + tally.failed;
        tell({ step: 'secrets', done, total });
      }
    }
  });
  return tally;
}

function noteFailure(
  { table, column }: SealedColumn,
  { id }: SealedValue,
  error: Error,
  tally: Tally,
): void {
  tally.failed += 1;
  if (tally.failed > MAX_FAILURES_PRINTED) return;
  writeDiagnostic(`${table}.${column} of ${id}: ${describeError(error)}`);
}

interface Resealed {
  readonly found: SealedValue;
  /** An error: the value cannot be opened. */
  readonly resealed: string | Buffer | Error;
}

/** Yields the values of a column that are sealed with other keys than the first one, and what they shall be. */
async function* sealAnew(
  sql: Postgres,
  sealed: SealedColumn,
  keys: readonly NamedKey[],
): AsyncGenerator<Resealed, undefined> {
  const limit = sealed.form === 'file' ? FILES_A_PAGE : TEXTS_A_PAGE;
  const keyName = keys[0]?.name ?? '';
  for (let afterId = ''; ;) {
    const page = await listSealed(sql, sealed, { keyName, afterId, limit });
    for (const found of page) yield { found, resealed: reseal(keys, found) };
    const last = page.at(-1);
    if (last === undefined) return undefined;
    afterId = last.id;
  }
}

function reseal(keys: readonly NamedKey[], { id, value }: SealedValue): string | Buffer | Error {
  try {
    return typeof value === 'string'
      ? sealSecret(keys, id, openSecret(keys, id, value))
      : sealFile(keys, id, openFile(keys, id, value));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
