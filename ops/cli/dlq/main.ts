// Dead letters, for operators: what could not be delivered to merchants, why, once more, or never again. It does what
// the API does, with the same statements; order.ts says how it is called.
import { userInfo } from 'node:os';
import type { DoneBy } from '#store/postgres/webhooks/dead-letters/audit-values.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  countDeadLetters,
  listDeadLetters,
} from '#store/postgres/webhooks/dead-letters/list-dead-letters.js';
import { findDelivery } from '#store/postgres/webhooks/list-deliveries.js';
import { openDatabase } from '../database.js';
import { drop } from './drop.js';
import { type Order, parseOrder, USAGE } from './order.js';
import { describeCount, describeLetter, print, printDelivery, printJson } from './print.js';
import { replay } from './replay.js';

async function list(sql: Postgres, { scope, limit, isJson }: Order): Promise<number> {
  const rows = await listDeadLetters(sql, scope, { limit, after: null });
  const letters = rows.slice(0, limit);
  for (const letter of letters) {
    if (isJson) printJson(letter);
    else print(describeLetter(letter));
  }
  if (isJson) return 0;
  const more = rows.length > limit ? ', there are more' : '';
  print(letters.length === 0 ? 'no dead letters' : `${letters.length} shown${more}`);
  return 0;
}

async function stats(sql: Postgres, { scope, limit, isJson }: Order): Promise<number> {
  const counts = await countDeadLetters(sql, scope, limit);
  for (const counted of counts) {
    if (isJson) printJson(counted);
    else print(describeCount(counted));
  }
  if (!isJson && counts.length === 0) print('no dead letters');
  return 0;
}

async function show(sql: Postgres, { ids, isJson }: Order): Promise<number> {
  const found = await findDelivery(sql, { id: ids[0] ?? '', merchantId: null });
  if (found === undefined) {
    print('there is no such delivery');
    return 1;
  }
  if (isJson) printJson(found);
  else printDelivery(found);
  return 0;
}

function carryOut(sql: Postgres, order: Order): Promise<number> {
  const by: DoneBy = { actor: `operator ${userInfo().username}`, address: null };
  switch (order.verb) {
    case 'list':
      return list(sql, order);
    case 'stats':
      return stats(sql, order);
    case 'show':
      return show(sql, order);
    case 'replay':
      return replay(sql, order, by);
    case 'drop':
      return drop(sql, order, by);
  }
}

async function run(): Promise<number> {
  const order = parseOrder(process.argv.slice(2));
  if (typeof order === 'string') {
    process.stderr.write(`${order}\n\n${USAGE}`);
    return 2;
  }
  const sql = openDatabase('dlq');
  try {
    return await carryOut(sql, order);
  } catch (error) {
    process.stderr.write(`the dead letters could not be worked on: ${String(error)}\n`);
    return 2;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

process.exitCode = await run();
