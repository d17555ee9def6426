// Refunds of all merchants. An administrator completes or fails those that no rail can make, and decides about those that
// failed and that their rail reports as made. The payment's actor decides: the first command wins, and its repeats are
// idempotent.
import type { MerchantId, RefundId } from '#actors/core/ids.js';
import type { RefundEnd } from '#actors/core/approvals/refund-end.js';
import {
  findRefund,
  isRefundDisputed,
  type PaymentState,
  type Refund,
} from '#actors/core/payment/state.js';
import { findShownMethod, findShownStatus, viewRefund } from '#actors/core/payment/view.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import type { ShownRefundStatus } from '#actors/core/schemas/refund.js';
import {
  findPaymentOfRefund,
  type ListedRefund,
  listAllRefunds,
  type PaymentOfRefund,
} from '#store/postgres/payments/list-refunds.js';
import { storeRefundEnd, withdrawRefundEnd } from '#store/postgres/payments/refund-ends.js';
import type { Actor } from '#store/postgres/operations/audit.js';
import {
  claimContradiction,
  type MovedByTask,
  releaseContradiction,
} from '#store/postgres/tasks/claim-contradiction.js';
import { findTasksOfRefund } from '#store/postgres/tasks/list-tasks.js';
import { resolveTask } from '#store/postgres/tasks/resolve-task.js';
import { readPage, writePage } from '#gateway/lists/page.js';
import { STATUSES } from '#gateway/money/refunds/list.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import { sendCommand } from '#gateway/money/payments/handlers.js';
import { type Answer, type ApiError, buildApiError, reply } from '#gateway/routing/response.js';
import type { NoParams, SessionRequest } from '#gateway/routing/request.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import type { AdminRefundsQuery } from './refund-schema.js';

export type AdminRefundDeps = AccountDeps & Pick<ApiDeps, 'dispatcher'>;
/** The end that an administrator asks for; the refund says of which payment. */
export type RequestedRefundEnd = Omit<RefundEnd, 'paymentId'>;

const RESOLVED_WITH_REFUND: ReadonlySet<string> = new Set([
  'refund_manual_required',
  'refund_unresolved',
  'refund_contradicted',
]);
const SHOWN_STATUSES = Object.keys(STATUSES) as ShownRefundStatus[];
const SCOPE = { list: 'refunds', merchantId: 'all', environment: 'all' } as const;

/** 200 with a page, newest first. */
export async function showRefunds(
  deps: AccountDeps,
  { query }: SessionRequest<NoParams, undefined, AdminRefundsQuery>,
): Promise<Answer> {
  const page = readPage(SCOPE, query);
  if ('code' in page) return page;
  const { status, merchant_id: merchant = null, environment = null } = query;
  const statuses = status === undefined ? [] : STATUSES[status];
  const filter = { statuses, merchantId: merchant as MerchantId | null, environment };
  const found = await deps.readList(SCOPE.merchantId, (sql) => listAllRefunds(sql, filter, page));
  return reply(200, writePage(SCOPE, page.limit, found, writeRow));
}

/** 200 with the refund. */
export async function showRefund(
  deps: AccountDeps,
  { params }: Pick<SessionRequest<{ readonly refund_id: RefundId }>, 'params'>,
): Promise<Answer> {
  const id = params.refund_id;
  const [found] = await findPaymentOfRefund(deps.accounts, id);
  return found === undefined
    ? buildApiError('refund_not_found')
    : reply(200, writeRow({ id, snapshot: found.snapshot }));
}

function writeRow({ id, snapshot }: Pick<ListedRefund, 'id' | 'snapshot'>): string {
  const state = decodeSnapshot(snapshot);
  const refund = findRefund(state, id);
  if (refund === undefined) throw new Error(`payment ${state.id} does not hold its refund ${id}`);
  return JSON.stringify(viewAdminRefund(state, refund));
}

function viewAdminRefund(state: PaymentState, refund: Refund): object {
  return {
    ...viewRefund(state, refund),
    merchant_id: state.merchantId,
    environment: state.environment,
    payment_status: findShownStatus(state),
    payment_method: findShownMethod(state),
    rail: state.capture?.rail ?? null,
    external_reference: refund.externalReference,
    contradicted: isRefundDisputed(refund),
  };
}

/**
 * 200 with the refund as merchants see it; 409 unless it is MANUAL_REQUIRED, unresolved or contradicted, or has ended with
 * the same reference: a repeat then sends no command. If the process dies after the claim, a repeat goes on.
 * `decidedBy`: one administrator, whose decision is stored here; or two, whose approval is stored already.
 */
export async function endRefund(
  deps: AdminRefundDeps,
  actor: Actor,
  end: RequestedRefundEnd,
  decidedBy: 'one' | 'approval',
): Promise<Answer> {
  const [found] = await findPaymentOfRefund(deps.accounts, end.refundId);
  if (found === undefined) return buildApiError('refund_not_found');
  const command = { ...end, paymentId: found.paymentId };
  const state = decodeSnapshot(found.snapshot);
  const ended = readEnded(state, command);
  // The repeat of a request from before the contradiction decides nothing about it.
  if (ended !== undefined && isDisputedIn(state, command)) return reply(200, ended);
  const moved = await claimContradiction(deps.accounts, command);
  if (moved !== undefined) {
    // An earlier command that still waits may not move the money again. An approval is refused with this answer.
    await withdrawRefundEnd(deps.accounts, actor, command);
    return buildMovedConflict(found, moved);
  }
  if (ended === undefined && decidedBy === 'one') await storeEnd(deps, actor, state, command);
  const answer =
    ended === undefined
      ? await sendCommand(deps, command, (now) => readEnded(now, command))
      : reply(200, ended);
  if (answer.code === 'state_conflict') {
    await withdrawRefundEnd(deps.accounts, actor, command);
    return explainConflict(deps, command);
  }
  if (answer.code === null) await closeTasks(deps, actor, command);
  return answer;
}

/** Before its command, because the payments process ends a LIVE refund only as it is stored. */
async function storeEnd(
  { accounts }: AdminRefundDeps,
  actor: Actor,
  state: PaymentState,
  end: RefundEnd,
): Promise<void> {
  const refund = findRefund(state, end.refundId);
  if (refund === undefined) throw new Error(`${end.paymentId} does not hold ${end.refundId}`);
  const { merchantId, environment } = state;
  const { amountMinor } = refund;
  await storeRefundEnd(accounts, actor, { end, merchantId, environment, amountMinor });
}

/** The stored refund, once the command has taken effect. */
function readEnded(state: PaymentState, command: RefundEnd): string | undefined {
  const refund = findRefund(state, command.refundId);
  return isEndedSo(refund, command) ? JSON.stringify(viewRefund(state, refund)) : undefined;
}

/** Whether the refund ended as the administrator asked, with the same reference. */
export function isEndedSo(
  refund: Refund | undefined,
  { type, externalReference }: Omit<RequestedRefundEnd, 'refundId'>,
): refund is Refund {
  const status = type === 'complete_refund' ? 'succeeded' : 'failed';
  return refund?.status === status && refund.externalReference === externalReference;
}

/**
 * The actor's conflict names the status of the payment; the answer names that of the refund. If it is still disputed, the
 * actions of its task are allowed again.
 */
async function explainConflict(deps: AdminRefundDeps, command: RefundEnd): Promise<Answer> {
  const [found] = await findPaymentOfRefund(deps.accounts, command.refundId);
  if (isDisputed(found, command)) await releaseContradiction(deps.accounts, command);
  return buildRefundConflict(found);
}

/** `message` replaces that of the error code. */
export function buildRefundConflict(
  found: PaymentOfRefund | undefined,
  message: { readonly message?: string } = {},
): ApiError {
  const currentStatus = SHOWN_STATUSES.find((shown) =>
    STATUSES[shown].some((one) => one === found?.status),
  );
  return buildApiError('state_conflict', {
    ...message,
    ...(currentStatus === undefined ? {} : { currentStatus }),
  });
}

export function buildMovedConflict(
  found: PaymentOfRefund,
  { taskId, action }: MovedByTask,
): ApiError {
  return buildRefundConflict(found, {
    message: `The task ${taskId} has moved the money of this refund (${action}), so the refund cannot be ended any more.`,
  });
}

function isDisputed(found: PaymentOfRefund | undefined, command: RefundEnd): boolean {
  return found !== undefined && isDisputedIn(decodeSnapshot(found.snapshot), command);
}

function isDisputedIn(state: PaymentState, { refundId }: RefundEnd): boolean {
  const refund = findRefund(state, refundId);
  return refund !== undefined && isRefundDisputed(refund);
}

/**
 * Resolves the operator tasks of the refund. The repeat of a request from before the contradiction decides nothing about it.
 * A failure is only logged, because the refund has ended: the task stays open until it is acknowledged or the same request
 * is repeated.
 */
async function closeTasks(deps: AdminRefundDeps, actor: Actor, command: RefundEnd): Promise<void> {
  try {
    const [found] = await findPaymentOfRefund(deps.accounts, command.refundId);
    if (isDisputed(found, command)) {
      await releaseContradiction(deps.accounts, command);
      return;
    }
    for (const task of await findTasksOfRefund(deps.accounts, command)) {
      if (!RESOLVED_WITH_REFUND.has(task.kind)) continue;
      const { id: taskId, standing } = task;
      const note = command.type === 'complete_refund' ? 'refund completed' : 'refund failed';
      const effect = { action: 'acknowledge', posting: null, merchantId: null } as const;
      const references = { externalReference: command.externalReference, targetPayment: null };
      await resolveTask(deps.accounts, actor, {
        ...effect,
        ...references,
        taskId,
        state: standing,
        note,
      });
    }
  } catch (error) {
    deps.onError(error);
  }
}
