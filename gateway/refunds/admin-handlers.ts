// Refunds of all merchants; those that a rail cannot do, completed or failed by an administrator. The payment's
// actor decides: what came first counts, the same again is no conflict.
import type { MerchantId, RefundId } from '#actors/core/ids.js';
import type { CompleteRefund, FailRefund } from '#actors/core/payment/commands.js';
import { findRefund, type PaymentState, type Refund } from '#actors/core/payment/state.js';
import { methodShown, statusShown, viewRefund } from '#actors/core/payment/view.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import type { ShownRefundStatus } from '#actors/core/schemas/refund.js';
import {
  findPaymentOfRefund,
  type ListedRefund,
  listAllRefunds,
} from '#store/postgres/payments/list-refunds.js';
import type { Actor } from '#store/postgres/operations/audit.js';
import { findTasksOfRefund } from '#store/postgres/tasks/list-tasks.js';
import { resolveTask } from '#store/postgres/tasks/resolve-task.js';
import { readPage, writePage } from '../lists/page.js';
import { STATUSES } from './list.js';
import type { ApiDeps } from '../payments/api-deps.js';
import { sendCommand } from '../payments/handlers.js';
import { type Answer, buildApiError, reply } from '../routing/response.js';
import type { NoParams, SessionRequest } from '../routing/request.js';
import { buildActor } from '../auth/actor.js';
import { type AccountDeps, queryAccounts } from '../accounts/account-deps.js';
import type { AdminRefundsQuery, EndRefundRequest } from '../operator-tasks/schema.js';

export type MoneyDeps = AccountDeps & Pick<ApiDeps, 'dispatcher' | 'partitions'>;
type RefundCompletion = CompleteRefund | FailRefund;

const ENDED_WITH_REFUND: ReadonlySet<string> = new Set([
  'refund_manual_required',
  'refund_unresolved',
]);
const SHOWN = Object.keys(STATUSES) as ShownRefundStatus[];
const SCOPE = { list: 'refunds', merchantId: 'all', environment: 'all' } as const;

/** 200 with a page, newest first. */
export async function showRefunds(
  parts: AccountDeps,
  { query }: SessionRequest<NoParams, undefined, AdminRefundsQuery>,
): Promise<Answer> {
  const page = readPage(SCOPE, query);
  if ('code' in page) return page;
  const { status, merchant_id: merchant = null, environment = null } = query;
  const statuses = status === undefined ? [] : STATUSES[status];
  const filter = { statuses, merchantId: merchant as MerchantId | null, environment };
  const found = await queryAccounts(parts, (sql) => listAllRefunds(sql, filter, page));
  return reply(200, writePage(SCOPE, page.limit, found, writeRow));
}

function writeRow({ id, snapshot }: ListedRefund): string {
  const state = decodeSnapshot(snapshot);
  const refund = findRefund(state, id);
  if (refund === undefined) throw new Error(`payment ${state.id} does not hold its refund ${id}`);
  return JSON.stringify(viewRefundOf(state, refund));
}

function viewRefundOf(state: PaymentState, refund: Refund): object {
  return {
    ...viewRefund(state, refund),
    merchant_id: state.merchantId,
    environment: state.environment,
    payment_status: statusShown(state),
    payment_method: methodShown(state),
    rail: state.capture?.rail ?? null,
    external_reference: refund.externalReference,
  };
}

/** 200 with the refund as merchants see it; 409 for one that waits for nobody, or that ended otherwise. */
export async function endRefund(
  parts: MoneyDeps,
  request: SessionRequest<{ readonly refund_id: RefundId }, EndRefundRequest>,
  type: RefundCompletion['type'],
): Promise<Answer> {
  const actor = buildActor(request);
  const { params, body } = request;
  const refundId = params.refund_id;
  const [found] = await queryAccounts(parts, (sql) => findPaymentOfRefund(sql, refundId));
  if (found === undefined) return buildApiError('refund_not_found');
  const externalReference = body.external_reference;
  const command = { type, paymentId: found.paymentId, refundId, externalReference };
  const answer = await sendCommand(parts, command, (state) => readEnded(state, command));
  if (answer.code === 'state_conflict') return explainConflict(parts, command);
  if (answer.code === null) await closeTasks(parts, actor, command);
  return answer;
}

/** The refund as it is stored, once it has ended as the command wants. */
function readEnded(state: PaymentState, command: RefundCompletion): string | undefined {
  const refund = findRefund(state, command.refundId);
  const status = command.type === 'complete_refund' ? 'succeeded' : 'failed';
  const isDone =
    refund?.status === status && refund.externalReference === command.externalReference;
  return isDone ? JSON.stringify(viewRefund(state, refund)) : undefined;
}

/** The actor names the status of the payment; of the refund it is told here. */
async function explainConflict(parts: MoneyDeps, { refundId }: RefundCompletion): Promise<Answer> {
  const [refund] = await queryAccounts(parts, (sql) => findPaymentOfRefund(sql, refundId));
  const currentStatus = SHOWN.find((shown) =>
    STATUSES[shown].some((one) => one === refund?.status),
  );
  return buildApiError('state_conflict', currentStatus === undefined ? {} : { currentStatus });
}

/**
 * What waited for the refund ends with it. When that fails the refund is done all the same: its task stays open and
 * can be acknowledged, or the same call repeated.
 */
async function closeTasks(
  parts: MoneyDeps,
  actor: Actor,
  command: RefundCompletion,
): Promise<void> {
  try {
    for (const task of await queryAccounts(parts, (sql) => findTasksOfRefund(sql, command))) {
      if (!ENDED_WITH_REFUND.has(task.kind)) continue;
      const { id: taskId, standing } = task;
      const note = command.type === 'complete_refund' ? 'refund completed' : 'refund failed';
      const way = { action: 'acknowledge', posting: null, merchantId: null } as const;
      const names = { externalReference: command.externalReference, targetPayment: null };
      await queryAccounts(parts, (sql) =>
        resolveTask(sql, actor, { ...way, ...names, taskId, state: standing, note }),
      );
    }
  } catch (error) {
    parts.onError(error);
  }
}
