// Dead letters, for operators: what could not be delivered to merchants, why, and once more.
//   npm run dlq -- list [--endpoint we_…] [--merchant mer_…] [--type payment.paid] [--limit 50] [--json]
//   npm run dlq -- show <delivery id> [--json]
//   npm run dlq -- replay <delivery id>…
//   npm run dlq -- replay --all [--endpoint …] [--merchant …] [--type …] [--limit …]
// It ends with 0; with 1 when a delivery was not found or is not dead; with 2 when it was called wrongly.
import { parseArgs } from 'node:util';
import { type DeliveryFailure, meaningOf } from '../../actors/core/webhooks/failures.js';
import type { Postgres } from '../../store/postgres/client.js';
import {
  type DeadLetter,
  type DeadLetterFilter,
  listDeadLetters,
  replayDeadLetters,
  showDelivery,
} from '../../store/postgres/webhooks/dead-letters.js';
import { openDatabase } from './database.js';

const MAX_LIMIT = 10_000;
const USAGE = `npm run dlq -- list   [--endpoint we_…] [--merchant mer_…] [--type payment.paid] [--limit 50] [--json]
npm run dlq -- show   <delivery id> [--json]
npm run dlq -- replay <delivery id>… | --all [--endpoint …] [--merchant …] [--type …] [--limit …]
`;

interface Order {
  verb: string;
  ids: readonly string[];
  filter: DeadLetterFilter;
  limit: number;
  isJson: boolean;
  isAll: boolean;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function parseOrder(words: readonly string[]): Order | null {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const options = {
    ...{ endpoint: text, merchant: text, type: text, limit: { ...text, default: '50' } },
    ...{ json: flag, all: flag },
  };
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options,
      allowPositionals: true,
    });
    const { endpoint = null, merchant = null, type = null } = values;
    const [verb = '', ...ids] = positionals;
    const limit = Number(values.limit);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) return null;
    const filter = { endpointId: endpoint, merchantId: merchant, type };
    return { verb, ids, filter, limit, isJson: values.json, isAll: values.all };
  } catch {
    return null;
  }
}

const explain = (reason: string | null): string =>
  reason === null ? '' : meaningOf(reason as DeliveryFailure);

async function list(sql: Postgres, { filter, limit, isJson }: Order): Promise<number> {
  const letters = await listDeadLetters(sql, filter, limit);
  for (const letter of letters) print(isJson ? JSON.stringify(letter) : describe(letter));
  if (!isJson) print(letters.length === 0 ? 'no dead letters' : `${letters.length} shown`);
  return 0;
}

function describe(letter: DeadLetter): string {
  const { id, diedAt, type, environment, url, attempts, reason } = letter;
  return `${id}  ${diedAt.toISOString()}  ${environment}  ${type}  ${attempts} attempts  ${reason}  ${url}`;
}

async function show(sql: Postgres, { ids, isJson }: Order): Promise<number> {
  const found = await showDelivery(sql, ids[0] ?? '');
  if (found === undefined) {
    print('there is no such delivery');
    return 1;
  }
  if (isJson) {
    print(JSON.stringify(found));
    return 0;
  }
  for (const [name, value] of Object.entries(found.delivery)) {
    if (value !== null)
      print(`${name.padEnd(14)} ${value instanceof Date ? value.toISOString() : value}`);
  }
  print(`${'meaning'.padEnd(14)} ${explain(found.delivery.reason)}`);
  for (const { attempt, at, durationMs, statusCode, failure, error, excerpt } of found.attempts) {
    const outcome = `${statusCode ?? '–'} ${failure ?? 'delivered'} ${error ?? ''}`.trim();
    print(`attempt ${attempt}  ${at.toISOString()}  ${durationMs} ms  ${outcome}`);
    if (excerpt) print(`  ${JSON.stringify(excerpt.slice(0, 200))}`);
  }
  return 0;
}

async function replay(sql: Postgres, { ids, filter, limit, isAll }: Order): Promise<number> {
  const wanted = isAll
    ? (await listDeadLetters(sql, filter, limit)).map((letter) => letter.id)
    : ids;
  const replayed = await replayDeadLetters(sql, wanted);
  for (const id of replayed) print(`${id} is delivered again`);
  const isDone = new Set(replayed);
  const missing = wanted.filter((id) => !isDone.has(id));
  for (const id of missing) print(`${id} is no dead letter`);
  return missing.length === 0 ? 0 : 1;
}

async function run(order: Order | null): Promise<number> {
  const sound =
    order !== null &&
    ((order.verb === 'list' && order.ids.length === 0) ||
      (order.verb === 'show' && order.ids.length === 1) ||
      (order.verb === 'replay' && order.ids.length > 0 !== order.isAll));
  if (!sound) {
    process.stderr.write(USAGE);
    return 2;
  }
  const sql = openDatabase('dlq');
  try {
    if (order.verb === 'list') return await list(sql, order);
    return order.verb === 'show' ? await show(sql, order) : await replay(sql, order);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

process.exitCode = await run(parseOrder(process.argv.slice(2)));
