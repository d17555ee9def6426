// `dlq drop`: dead letters that nobody will want are removed for good. A range is dropped piece by piece; each
// piece is in the audit log.
import type { DoneBy } from '#store/postgres/webhooks/dead-letters/audit-values.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  countDead,
  listDeadLetters,
} from '#store/postgres/webhooks/dead-letters/list-dead-letters.js';
import {
  dropDeadLetters,
  MAX_NAMED,
} from '#store/postgres/webhooks/dead-letters/replay-dead-letters.js';
import type { Order } from './order.js';
import { print, printJson, showProgress } from './print.js';
import { findDead } from './replay.js';

export function drop(sql: Postgres, order: Order, by: DoneBy): Promise<number> {
  return order.isAll ? dropRange(sql, order, by) : dropNamed(sql, order, by);
}

async function dropNamed(
  sql: Postgres,
  { ids, isDryRun, isJson }: Order,
  by: DoneBy,
): Promise<number> {
  const found = isDryRun
    ? await findDead(sql, ids)
    : await dropDeadLetters(sql, { ids, merchantId: null }, by);
  const dropped = new Set(found);
  for (const id of ids) {
    const outcome = !dropped.has(id) ? 'no dead letter' : isDryRun ? 'would be dropped' : 'dropped';
    if (isJson) printJson({ id, outcome });
    else print(`${id}  ${outcome}`);
  }
  return ids.every((id) => dropped.has(id)) ? 0 : 1;
}

async function dropRange(
  sql: Postgres,
  { scope, isDryRun, isJson }: Order,
  by: DoneBy,
): Promise<number> {
  // What dies from now on was not meant.
  const meant = { ...scope, to: scope.to ?? new Date() };
  const total = await countDead(sql, meant);
  let count = isDryRun ? total : 0;
  while (!isDryRun) {
    const page = await listDeadLetters(sql, meant, { limit: MAX_NAMED - 1, after: null });
    if (page.length === 0) break;
    const ids = page.map(({ id }) => id);
    count += (await dropDeadLetters(sql, { ids, merchantId: null }, by)).length;
    showProgress(count, total, false);
  }
  if (isJson) printJson({ count, dryRun: isDryRun });
  else print(`${count} ${isDryRun ? 'would be dropped' : 'dropped'}`);
  return 0;
}
