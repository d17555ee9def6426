// `kasir payment show`: everything that is known of one payment, in the order of time.
import type { Command } from '@commander-js/extra-typings';
import type { PaymentId } from '#actors/core/ids.js';
import { partitionFor } from '#actors/core/partition.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import type { Postgres } from '#store/postgres/client.js';
import { readInstallation } from '#store/postgres/migration/installation.js';
import {
  findPayment,
  readStory,
  type StoredPayment,
  type StoryEntry,
} from '#store/postgres/operations/payment-story.js';
import { readClaims } from '#store/postgres/payments/partition-leases.js';
import { findWaitingCommands, type WaitingCommand } from '#store/redis/backlog.js';
import { withDatabase } from '../base/database.js';
import { addCommand, parsePayment } from '../base/options.js';
import { describeError, type Format, print, writeDiagnostic } from '../base/output.js';
import { withRedis } from '../base/redis.js';
import { describePayment, describeStory, summarizePayment } from './describe.js';
import { type EventsPlace, findEvents } from './find-events.js';

export function addPayment(program: Command): void {
  const payment = program.command('payment').description('The story of one payment');
  const purpose =
    'Print commands, events, postings, calls of rails and deliveries of a payment, in the order of time';
  addCommand(payment, 'show', purpose, 'kasir payment show pay_…')
    .argument('<payment>', 'id of the payment, pay_…', parsePayment)
    .action((id, format) => withDatabase((sql) => show(sql, id, format)));
}

async function show(sql: Postgres, id: PaymentId, format: Format): Promise<void> {
  const { counts = [1] } = (await readInstallation(sql)) ?? {};
  const partitions = [...new Set(counts.map((count) => partitionFor(id, count)))];
  const stored = await findPayment(sql, id);
  const waiting = await findWaiting(sql, id, partitions);
  if (stored === undefined && waiting.length === 0) throw new Error(`no payment ${id}`);
  const known = stored === undefined ? [] : await readKnown(sql, { id, partitions }, stored);
  const story = [...known, ...waiting].sort((a, b) => a.at.getTime() - b.at.getTime());
  const payment = stored === undefined ? null : summarizePayment(decodeSnapshot(stored.snapshot));
  const text = [
    payment === null ? `${id} is not created yet` : describePayment(payment),
    ...describeStory(story),
  ].join('\n');
  print({ payment, story }, format, text);
}

async function readKnown(
  sql: Postgres,
  place: EventsPlace,
  stored: StoredPayment,
): Promise<StoryEntry[]> {
  const { attempts, refunds } = decodeSnapshot(stored.snapshot);
  const created = { at: stored.createdAt, kind: 'event', subject: 'payment_created' };
  const events = await findEvents(sql, place, stored);
  const rest = await readStory(sql, {
    id: place.id,
    version: stored.version,
    orderIds: attempts.map(({ orderId }) => orderId),
    refundIds: refunds.map((refund) => refund.id),
  });
  const entries = events.map(({ at, kind, subject, details }) => ({ at, kind, subject, details }));
  return [{ ...created, details: { version: 1 } }, ...entries, ...rest];
}

/** Commands in the streams that no commit has reached. Senders may not know of a split for a moment. */
async function findWaiting(
  sql: Postgres,
  id: PaymentId,
  partitions: readonly number[],
): Promise<StoryEntry[]> {
  const claims = await readClaims(sql, [...partitions]);
  if (claims.length === 0) return [];
  try {
    return await withRedis(async (redis) => {
      const found: StoryEntry[] = [];
      for (const { partition, position: after } of claims) {
        const waiting = await findWaitingCommands(redis, { partition, after }, id);
        found.push(...waiting.map((command) => describeWaiting(partition, command)));
      }
      return found;
    });
  } catch (error) {
    writeDiagnostic(`commands in the stream are not shown: ${describeError(error)}`);
    return [];
  }
}

function describeWaiting(
  partition: number,
  { position: { ms, seq }, text }: WaitingCommand,
): StoryEntry {
  const [, type = 'unreadable'] = /"type":"([a-z_]{1,40})"/.exec(text) ?? [];
  const details = { partition, position: `${ms}-${seq}` };
  return { at: new Date(Number(ms)), kind: 'waiting command', subject: type, details };
}
