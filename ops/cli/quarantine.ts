// `kasir quarantine`: commands that could not be applied. A retry appends the command to its stream again, signed with the key of
// the process that may send it, so that the payments process checks and decides it as if it were new. A command has no effect
// the second time, so a retry that was stopped halfway is repeated.
import { randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import {
  formatPosition,
  parsePosition,
  partitionFor,
  type Position,
} from '#actors/core/partition.js';
import { type CommandSource, type SentCommand, SOURCES } from '#actors/core/payment/commands.js';
import { decodeSentCommand } from '#actors/core/payment/wire/command.js';
import { isUnauthorized } from '#actors/core/quarantine-reasons.js';
import { type Config, readConfig } from '#ops/runtime/config.js';
import type { Postgres } from '#store/postgres/client.js';
import { readInstallation } from '#store/postgres/migration/installation.js';
import {
  type CommandPlace,
  endQuarantine,
  findQuarantined,
  listQuarantined,
  type QuarantinedCommand,
  readOutcome,
  readPaymentVersion,
} from '#store/postgres/operations/quarantine.js';
import type { RedisClient } from '#store/redis/client.js';
import { sendFrames } from '#store/redis/commands.js';
import { identifyOperator, withDatabase } from './base/database.js';
import { addCommand, DRY_RUN, parseInteger } from './base/options.js';
import { type Format, markProblem, print, printRows, writeDiagnostic } from './base/output.js';
import { withProgress } from './base/progress.js';
import { withRedis } from './base/redis.js';
import { waitFor } from './base/wait-for.js';

const MAX_ROWS = 10_000;
const MAX_WAIT_S = 3_600;
const ID = /^(\d{1,4})-(\d{1,20}-\d{1,20})-(\d{1,9})$/;

export function addQuarantine(program: Command): void {
  const quarantine = program
    .command('quarantine')
    .description('Commands that could not be applied');
  const listPurpose = 'List quarantined commands with their reasons, newest first';
  addCommand(quarantine, 'list', listPurpose, 'kasir quarantine list --limit 10')
    .option('--limit <count>', `rows, 1 to ${MAX_ROWS}`, parseInteger(1, MAX_ROWS), 50)
    .action(({ limit, ...format }) =>
      withDatabase(async (sql) => {
        const rows = (await listQuarantined(sql, limit)).map(buildRow);
        printRows(rows, format, describeRow);
        writeDiagnostic(rows.length === 0 ? 'no quarantined commands' : `${rows.length} shown`);
      }),
    );
  const retryPurpose = 'Send quarantined commands again, after their cause was removed';
  addCommand(quarantine, 'retry', retryPurpose, 'kasir quarantine retry 7-1796000000000-0-0')
    .argument('<id...>', 'ids that kasir quarantine list prints', collectIds, [])
    .option(...DRY_RUN)
    .option('--wait <seconds>', 'time to wait for the outcome', parseInteger(0, MAX_WAIT_S), 10)
    .action((places, options) => withDatabase((sql) => retryAll(sql, places, options)));
}

/** Commander calls it for each id. */
function collectIds(text: string, places: CommandPlace[]): CommandPlace[] {
  const [, partition, position, index] = ID.exec(text) ?? [];
  if (partition === undefined || position === undefined || index === undefined) {
    throw new InvalidArgumentError(
      'It must be an id of kasir quarantine list: 7-1796000000000-0-0.',
    );
  }
  const place = { partition: Number(partition), position: parsePosition(position) };
  return [...places, { ...place, index: Number(index) }];
}

const formatId = ({ partition, position, index }: CommandPlace): string =>
  `${partition}-${formatPosition(position)}-${index}`;

interface ListedRow {
  readonly id: string;
  readonly quarantinedAt: Date;
  /** null: the command cannot be read. */
  readonly type: string | null;
  readonly paymentId: string | null;
  readonly error: string;
}

/** The rest of a command may be a customer's, and is not printed. */
function buildRow(row: QuarantinedCommand): ListedRow {
  const { quarantinedAt, error } = row;
  const { type = null, paymentId = null } = decode(row) ?? {};
  return { id: formatId(row), quarantinedAt, type, paymentId, error };
}

const describeRow = ({ id, quarantinedAt, type, paymentId, error }: ListedRow): string =>
  `${id}  ${quarantinedAt.toISOString()}  ${type ?? 'unreadable'}  ${paymentId ?? 'no payment'}  ${error}`;

function decode({ command }: QuarantinedCommand): SentCommand | undefined {
  try {
    return decodeSentCommand(command);
  } catch {
    return undefined;
  }
}

interface RetryOptions extends Format {
  readonly dryRun?: true | undefined;
  readonly wait: number;
}

interface RetryDeps {
  readonly sql: Postgres;
  readonly redis: RedisClient;
  readonly commandKeys: Config['commandKeys'];
  readonly partitions: number;
  readonly waitMs: number;
}

type Outcome =
  | 'not quarantined'
  | 'would be sent'
  | 'applied'
  | 'without effect'
  | 'deferred'
  | 'waits'
  | `refused: ${string}`
  | `quarantined again: ${string}`
  | `not sent: ${string}`;

const GOOD: readonly Outcome[] = ['would be sent', 'applied', 'without effect'];

async function retryAll(
  sql: Postgres,
  places: readonly CommandPlace[],
  options: RetryOptions,
): Promise<void> {
  const { commandKeys } = readConfig('start');
  const partitions = (await readInstallation(sql))?.partitions;
  if (partitions === undefined) throw new Error('no process has started on this database yet');
  const show = (place: CommandPlace, outcome: Outcome): void => {
    const id = formatId(place);
    print({ id, outcome }, options, `${id}  ${outcome}`);
    if (!GOOD.includes(outcome)) markProblem();
  };
  if (options.dryRun) {
    for (const place of places) {
      const checked = await checkRetry(sql, place, commandKeys);
      show(place, typeof checked === 'string' ? checked : 'would be sent');
    }
    return;
  }
  await withRedis(async (redis) => {
    const deps = { sql, redis, commandKeys, partitions, waitMs: options.wait * 1_000 };
    await withProgress(async (tell) => {
      for (const [done, place] of places.entries()) {
        tell({ step: `sending ${formatId(place)}`, done, total: places.length });
        show(place, await retry(deps, place));
      }
    });
  });
}

interface SendableCommand {
  readonly sent: SentCommand;
  readonly source: CommandSource;
  readonly text: string;
}

/** A command that may be sent, or why it may not. */
async function checkRetry(
  sql: Postgres,
  place: CommandPlace,
  commandKeys: Config['commandKeys'],
): Promise<SendableCommand | Outcome> {
  const row = await findQuarantined(sql, place);
  if (row === undefined) return 'not quarantined';
  if (isUnauthorized(row.error)) return `refused: ${row.error}`;
  const sent = decode(row);
  if (sent === undefined) return 'refused: the command cannot be read';
  const source = SOURCES[sent.type];
  if (source === null) return 'refused: only the payments process makes this command';
  if (commandKeys[source].length > 0) return { sent, source, text: row.command };
  const variable = `COMMAND_KEY_${source.toUpperCase()}`;
  return `not sent: ${variable} is missing; run the command with the variables of a payments process`;
}

async function retry(deps: RetryDeps, place: CommandPlace): Promise<Outcome> {
  const { sql, commandKeys, partitions } = deps;
  const checked = await checkRetry(sql, place, commandKeys);
  if (typeof checked === 'string') return checked;
  const { type, paymentId } = checked.sent;
  const before = await readPaymentVersion(sql, paymentId);
  const partition = partitionFor(paymentId, partitions);
  const position = await append(deps, partition, checked);
  if (typeof position === 'string') return position;
  await endQuarantine(sql, place, {
    ...{ actor: identifyOperator().actor, paymentId, type, formerly: formatId(place) },
    appendedAt: `${partition}-${formatPosition(position)}`,
  });
  const outcome = await waitForOutcome(deps, { partition, position });
  if (outcome !== 'applied') return outcome;
  return (await readPaymentVersion(sql, paymentId)) === before ? 'without effect' : 'applied';
}

/** Returns the place of the frame, or why there is none. */
async function append(
  { redis, commandKeys }: RetryDeps,
  partition: number,
  { source, text }: SendableCommand,
): Promise<Position | Outcome> {
  const name = `cli-${randomBytes(6).toString('hex')}`;
  const sender = { name, source, keys: commandKeys[source] };
  const appended: Position[] = [];
  const frames = new Map([[partition, [{ correlation: '', text }]]]);
  const results = await sendFrames(redis, sender, frames, (_, position) => {
    appended.push(position);
  });
  return appended[0] ?? explainUnsent(results.get(partition));
}

const explainUnsent = (result: string | undefined): Outcome =>
  result === 'unknown'
    ? 'not sent: Redis gave no answer; repeat the command, which does nothing twice'
    : 'not sent: Redis has lost the stream; repeat the command once the partition has an owner';

async function waitForOutcome(
  { sql, waitMs }: RetryDeps,
  frame: Omit<CommandPlace, 'index'>,
): Promise<Outcome> {
  const { isCommitted, error, isDeferred } = await waitFor(
    waitMs,
    () => readOutcome(sql, frame),
    (outcome) => outcome.error !== null || outcome.isCommitted,
  );
  if (error !== null) return `quarantined again: ${error}`;
  if (isCommitted) return isDeferred ? 'deferred' : 'applied';
  return 'waits';
}
