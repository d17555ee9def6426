// The account statement of a merchant as CSV. Operators print the same file with `kasir ledger`.
import type { StatementScope } from '#store/postgres/ledger/read-statement.js';
import { writeStatement } from '#store/postgres/ledger/write-statement.js';
import type { StandbyReads } from '#store/postgres/standby-reads.js';
import { nameFile } from '#gateway/lists/csv-download.js';
import { readFormat } from '#gateway/lists/csv-format.js';
import { buildParameterError } from '#gateway/lists/page.js';
import { parseTime } from '#gateway/lists/filters.js';
import type { Answer } from '#gateway/routing/response.js';
import type { NoParams } from '#gateway/routing/request.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';
import type { TransactionDeps } from '#gateway/lists/show-list.js';
import type { StatementQuery } from './schema.js';

/** Returns 200 with a CSV file, streamed while it is made, or 400 if a time is invalid. */
export function sendStatement(
  deps: TransactionDeps,
  { session, query }: MerchantRequest<NoParams, undefined, StatementQuery>,
): Answer | Promise<Answer> {
  const { environment = 'TEST' } = query;
  const fromMs = parseTime(query.from);
  const toMs = query.to === undefined ? deps.nowMs() : parseTime(query.to);
  if (fromMs === undefined) return buildParameterError('from', 'must be a time such as 2026-08-01');
  if (toMs === undefined || toMs <= fromMs) {
    return buildParameterError('to', 'must be a time such as 2026-09-01, later than from');
  }
  const format = readFormat(query);
  if ('code' in format) return format;
  const scope = { merchantId: session.merchantId, environment, fromMs, toMs };
  return deps.downloads.send(
    session.merchantId,
    readStatement(deps.files, scope, format.separator),
    nameFile(`statement-${environment}`, fromMs),
  );
}

async function* readStatement(
  files: StandbyReads,
  scope: StatementScope,
  separator: string,
): AsyncGenerator<string, undefined> {
  const { sql } = await files.choose();
  return yield* writeStatement(sql, scope, separator);
}
