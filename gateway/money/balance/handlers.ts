// The balance of a merchant's environment, for its keys and its users.
import {
  listBalanceAccounts,
  type BalanceBody,
  viewBalance,
} from '#actors/core/schemas/balance.js';
import { loadBalances } from '#store/postgres/ledger/load-balances.js';
import { type Column, writeHead, writeLine } from '#gateway/lists/csv-cells.js';
import {
  buildFileHeaders,
  CSV_TYPE,
  isCsvRequested,
  nameFile,
} from '#gateway/lists/csv-download.js';
import { readFormat } from '#gateway/lists/csv-format.js';
import type { Tenant, StoreDeps } from '#gateway/lists/listing.js';
import type { TransactionDeps } from '#gateway/lists/show-list.js';
import type { KeyRequest, NoParams } from '#gateway/routing/request.js';
import { type Answer, reply, replyAs } from '#gateway/routing/response.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';
import type { BalanceQuery } from './schema.js';

const COLUMNS: readonly Column[] = [
  { name: 'currency', isNumber: false },
  ...['available', 'pending', 'in_transit', 'reserved'].map((name) => ({ name, isNumber: true })),
];

/** 200 with every currency; an account without bookings is zero. */
export async function getBalance(
  deps: StoreDeps,
  { credential }: Pick<KeyRequest, 'credential'>,
): Promise<Answer> {
  return reply(200, JSON.stringify(await readBalance(deps, credential)));
}

/** 200; as CSV a line for each currency. */
export async function showBalance(
  deps: TransactionDeps,
  { session, query, preferences }: MerchantRequest<NoParams, undefined, BalanceQuery>,
): Promise<Answer> {
  const { environment = 'TEST' } = query;
  const balance = await readBalance(deps, { merchantId: session.merchantId, environment });
  if (!isCsvRequested(preferences)) return reply(200, JSON.stringify(balance));
  const format = readFormat(query);
  if ('code' in format) return format;
  const lines = balance.data.map((row) => writeLine(COLUMNS, row, format));
  const headers = buildFileHeaders(nameFile(`balance-${environment}`, deps.nowMs()));
  return replyAs(CSV_TYPE, 200, writeHead(COLUMNS, format) + lines.join(''), headers);
}

export async function readBalance(
  { lists }: Pick<StoreDeps, 'lists'>,
  { merchantId, environment }: Tenant,
): Promise<BalanceBody> {
  const balances = await loadBalances(lists, listBalanceAccounts(merchantId, environment));
  return viewBalance(merchantId, environment, balances);
}
