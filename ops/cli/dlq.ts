// `kasir dlq`: dead letters across merchants. The API offers merchants the same actions on their own dead letters, with
// the same statements.
import { type Command, Option } from '@commander-js/extra-typings';
import { WEBHOOK_TYPES } from '#actors/core/schemas/event.js';
import { DELIVERY_FAILURES } from '#actors/core/webhooks/failures.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  countDeadLetters,
  listDeadLetters,
} from '#store/postgres/webhooks/dead-letters/list-dead-letters.js';
import { MAX_NAMED } from '#store/postgres/webhooks/dead-letters/replay-dead-letters.js';
import type { DeadLetterScope } from '#store/postgres/webhooks/dead-letters/dead-letter-scope.js';
import { findDelivery } from '#store/postgres/webhooks/list-deliveries.js';
import { withDatabase } from './base/database.js';
import { addCommand, DRY_RUN, ENVIRONMENTS, parseInteger, parseTime } from './base/options.js';
import { type Format, print, printRows, writeDiagnostic } from './base/output.js';
import { describeCount, describeDelivery, describeLetter } from './dlq-print.js';
import { dropMatching, dropNamed } from './dlq-drop.js';
import { replayMatching, replayNamed } from './dlq-replay.js';

const MAX_ROWS = 10_000;
const LIMIT = ['--limit <count>', `rows, 1 to ${MAX_ROWS}`, parseInteger(1, MAX_ROWS), 50] as const;
const ALL = ['--all', 'all dead letters that match the filters'] as const;
const IDS = ['[id...]', `delivery ids, at most ${MAX_NAMED}`] as const;

export function addDlq(program: Command): void {
  const dlq = program
    .command('dlq')
    .description('Dead letters: webhook deliveries that are no longer retried');
  const listExample = 'kasir dlq list --environment LIVE --reason http_401';
  addFiltered(dlq, 'list', 'List dead letters, newest first', listExample)
    .option(...LIMIT)
    .action((options) => withDatabase((sql) => list(sql, readScope(options), options)));
  const statsPurpose = 'Count dead letters by endpoint, event type and reason';
  addFiltered(dlq, 'stats', statsPurpose, 'kasir dlq stats --from 2026-08-02T10:00:00Z')
    .option(...LIMIT)
    .action((options) =>
      withDatabase(async (sql) => {
        const counts = await countDeadLetters(sql, readScope(options), options.limit);
        printRows(counts, options, describeCount);
        if (counts.length === 0) writeDiagnostic('no dead letters');
      }),
    );
  addCommand(dlq, 'show', 'Print a delivery with its attempts', 'kasir dlq show del_…')
    .argument('<id>', 'delivery id, del_…')
    .action((id, format) =>
      withDatabase(async (sql) => {
        const delivery = await findDelivery(sql, { id, merchantId: null });
        if (delivery === undefined) throw new Error(`no delivery ${id}`);
        print(delivery, format, describeDelivery(delivery));
      }),
    );
  addReplay(dlq);
  addDrop(dlq);
}

function addReplay(dlq: Command): void {
  const purpose =
    'Deliver dead letters again; with --all as a job that continues when this command ends';
  const example =
    'kasir dlq replay --all --endpoint we_… --from 2026-08-02T10:00:00Z --with-pending';
  addFiltered(dlq, 'replay', purpose, example)
    .argument(...IDS)
    .option(...ALL)
    .option('--with-pending', 'with --all, after an outage: also retry failed deliveries now')
    .option(...DRY_RUN)
    .action((ids, options, command) => {
      checkSelection(command, ids, options);
      const { withPending = false } = options;
      if (withPending && !options.all) command.error('error: --with-pending needs --all');
      const scope = { ...readScope(options), withPending };
      return withDatabase((sql) =>
        options.all ? replayMatching(sql, scope, options) : replayNamed(sql, ids, options),
      );
    });
}

function addDrop(dlq: Command): void {
  const example = 'kasir dlq drop --all --reason http_410 --dry-run';
  addFiltered(dlq, 'drop', 'Delete dead letters for good', example)
    .argument(...IDS)
    .option(...ALL)
    .option(...DRY_RUN)
    .action((ids, options, command) => {
      checkSelection(command, ids, options);
      return withDatabase((sql) =>
        options.all ? dropMatching(sql, readScope(options), options) : dropNamed(sql, ids, options),
      );
    });
}

function addFiltered(dlq: Command, name: string, purpose: string, example: string) {
  return addCommand(dlq, name, purpose, example)
    .option('--merchant <id>', 'filter by merchant, mer_…')
    .option('--endpoint <id>', 'filter by endpoint, we_…')
    .addOption(new Option('--environment <name>', 'filter by environment').choices(ENVIRONMENTS))
    .addOption(new Option('--type <event>', 'filter by event type').choices(WEBHOOK_TYPES))
    .addOption(new Option('--reason <code>', 'filter by failure').choices(DELIVERY_FAILURES))
    .option('--from <time>', 'filter: dead since this ISO 8601 time or later', parseTime)
    .option('--to <time>', 'filter: dead since this ISO 8601 time or earlier', parseTime);
}

type Filters = ReturnType<ReturnType<typeof addFiltered>['opts']>;

function readScope(filters: Filters): DeadLetterScope {
  return {
    merchantId: filters.merchant ?? null,
    endpointId: filters.endpoint ?? null,
    environment: filters.environment ?? null,
    type: filters.type ?? null,
    reason: filters.reason ?? null,
    from: filters.from ?? null,
    to: filters.to ?? null,
  };
}

/** Filters beside ids are refused, because they would be ignored. */
function checkSelection(
  command: Pick<Command, 'error'>,
  ids: readonly string[],
  options: Filters & { readonly all?: true | undefined },
): void {
  const isAll = options.all ?? false;
  const isFiltered = Object.values(readScope(options)).some((filter) => filter !== null);
  if (ids.length > 0 === isAll) command.error('error: give either delivery ids or --all');
  if (ids.length > MAX_NAMED) command.error(`error: give at most ${MAX_NAMED} delivery ids`);
  if (isFiltered && !isAll) command.error('error: filters need --all');
}

async function list(
  sql: Postgres,
  scope: DeadLetterScope,
  options: Format & { readonly limit: number },
): Promise<void> {
  const rows = await listDeadLetters(sql, scope, { limit: options.limit, after: null });
  const letters = rows.slice(0, options.limit);
  printRows(letters, options, describeLetter);
  const more = rows.length > letters.length ? ', there are more' : '';
  writeDiagnostic(letters.length === 0 ? 'no dead letters' : `${letters.length} shown${more}`);
}
