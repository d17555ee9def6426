// Reconciliation of yesterday in a service with simulated rails: everything is made today and dated back, then the command
// runs.
import { parseDay } from '#actors/core/days.js';
import { findLastRailDay } from '#actors/core/tasks/rail-days.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { runKasir } from '../kasir.js';
import type { RailService } from './service.js';

const HALF_A_DAY_MS = 12 * 3_600_000;

export interface Output {
  readonly code: number;
  readonly lines: Record<string, unknown>[];
  readonly text: string;
}

export async function runReconcile(databaseUrl: string, args: readonly string[]): Promise<Output> {
  const variables = { DATABASE_URL: databaseUrl };
  const { code, stdout, stderr } = await runKasir(variables, 'reconcile', ...args);
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { code, lines: parsed, text: stdout + stderr };
}

export const listDifferences = ({ lines }: Output) =>
  lines
    .filter((line) => 'orderId' in line)
    .map(({ orderId, kind, field, ours, theirs }) => [orderId, kind, field, ours, theirs])
    .sort();

/** The middle of a rail's day, so that no test depends on the hour. */
export function findNoon(day: string): Date {
  const parsed = parseDay(day);
  if (parsed === undefined) throw new Error(`${day} is no day`);
  return new Date(parsed.fromMs + HALF_A_DAY_MS);
}

export interface PaidOrder {
  readonly id: string;
  readonly orderId: string;
}

export interface DifferenceTask {
  readonly paymentId: string | null;
  readonly payoutId: string | null;
  readonly details: Readonly<Record<string, string>>;
}

export function openReconciled(service: RailService) {
  const { simulated, sql, create, statusOf, databaseUrl } = service;
  const nowMs = Date.now();
  const day = findLastRailDay(nowMs);
  const noon = findNoon(day);
  const before = noon.toISOString();

  const pay = async (method: string, amount = '25000'): Promise<PaidOrder> => {
    const { body } = await create(method, amount);
    const [id, orderId] = [String(body['id']), String(body['order_id'])];
    await simulated.control('POST', 'pay', { order_id: orderId });
    await waitUntil('paid', async () => (await statusOf(id)) === 'paid');
    return { id, orderId };
  };
  /** Changes the rail without a callback. */
  const change = async (path: string, body: object = {}): Promise<unknown> => {
    await simulated.plan({ kind: 'lost', operation: 'callback' });
    const answer = await simulated.control('POST', path, body);
    await simulated.plan();
    return answer;
  };
  const dateBack = async (orders: readonly PaidOrder[], payouts: readonly string[] = []) => {
    for (const { orderId } of orders) {
      await change(`orders/${orderId}/amend`, { paid_at: before, refunded_at: before });
    }
    for (const id of payouts) await change(`payouts/${id}/amend`, { created_at: before });
    await sql`update rail_transactions set booked_at = ${noon}
               where booked_at > ${new Date(nowMs)}`;
    await sql`update rail_calls set answered_at = ${noon}
               where operation = 'refund' and answered_at > ${new Date(nowMs)}`;
    await sql`update payouts set sent_at = ${noon}
               where sent_at > ${new Date(nowMs)}`;
  };
  const tasksOf = async (key: string): Promise<DifferenceTask[]> => {
    const rows = await sql<{ details: string; paymentId: string; payoutId: string }[]>`
      select details, payment_id as "paymentId", payout_id as "payoutId" from operator_tasks
       where kind = 'rail_difference' and (payment_id = ${key} or payout_id = ${key}) order by id`;
    return rows.map(({ details, ...row }) => ({
      ...row,
      details: JSON.parse(details) as Record<string, string>,
    }));
  };
  return {
    ...{ day, before, pay, change, dateBack, tasksOf },
    reconcile: (...words: string[]) =>
      runReconcile(databaseUrl, ['--date', day, '--wait', '30', '--json', ...words]),
  };
}
