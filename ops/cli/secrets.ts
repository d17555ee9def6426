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
import { addCommand } from './base/options.js';
import {
  describeError,
  markProblem,
  print,
  printRows,
  showProgress,
  writeDiagnostic,
} from './base/output.js';

const TEXTS_A_PAGE = 200;
/** A document has up to 8 MiB. */
const FILES_A_PAGE = 1;
const MAX_FAILURES_PRINTED = 20;

type Count = SealedCount & { readonly isCurrent: boolean };

interface Progress {
  readonly total: number;
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
  addCommand(secrets, 'reseal', resealPurpose, 'SECRETS_KEY=new,old kasir secrets reseal').action(
    (format) =>
      withDatabase(async (sql) => {
        const keys = readKeys();
        const progress = await resealAll(sql, keys);
        const left = sumOld(await countAll(sql, keys));
        const { resealed, failed } = progress;
        print({ resealed, failed, left }, format, `${resealed} sealed anew, ${left} left`);
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

async function resealAll(sql: Postgres, keys: readonly NamedKey[]): Promise<Progress> {
  const total = sumOld(await countAll(sql, keys));
  const progress: Progress = { total, resealed: 0, changed: 0, failed: 0 };
  for (const sealed of SEALED_COLUMNS) await resealColumn(sql, sealed, keys, progress);
  showProgress(progress.resealed, total, true);
  return progress;
}

async function resealColumn(
  sql: Postgres,
  sealed: SealedColumn,
  keys: readonly NamedKey[],
  progress: Progress,
): Promise<void> {
  const limit = sealed.form === 'file' ? FILES_A_PAGE : TEXTS_A_PAGE;
  const keyName = keys[0]?.name ?? '';
  let afterId = '';
  for (;;) {
    const page = await listSealed(sql, sealed, { keyName, afterId, limit });
    for (const found of page) {
      const resealed = reseal(keys, found, sealed, progress);
      if (resealed === undefined) continue;
      if (await replaceSealed(sql, sealed, found, resealed)) progress.resealed += 1;
      else progress.changed += 1;
      showProgress(progress.resealed, progress.total, false);
    }
    const last = page.at(-1);
    if (last === undefined) return;
    afterId = last.id;
  }
}

/** undefined: it cannot be opened, which is reported. */
function reseal(
  keys: readonly NamedKey[],
  { id, value }: SealedValue,
  { table, column }: SealedColumn,
  progress: Progress,
): string | Buffer | undefined {
  try {
    return typeof value === 'string'
      ? sealSecret(keys, id, openSecret(keys, id, value))
      : sealFile(keys, id, openFile(keys, id, value));
  } catch (error) {
    progress.failed += 1;
    if (progress.failed <= MAX_FAILURES_PRINTED) {
      writeDiagnostic(`${table}.${column} of ${id}: ${describeError(error)}`);
    }
    return undefined;
  }
}
