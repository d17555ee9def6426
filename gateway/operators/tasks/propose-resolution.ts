// Task actions that two administrators decide: those that move LIVE money above the limit, and `book`, which books on the
// payment what a reconciliation found at its rail.
import { PAYMENT_CORRECTIONS } from '#actors/core/approvals/kinds.js';
import { parseAmount } from '#actors/core/money.js';
import { NO_SUBJECT } from '#store/postgres/approvals/approval-row.js';
import type { Actor } from '#store/postgres/operations/audit.js';
import type { TaskRow } from '#store/postgres/tasks/list-tasks.js';
import type { Resolution } from '#store/postgres/tasks/resolve-task.js';
import {
  type PaymentProposalDeps,
  proposePaymentCorrection,
} from '../approvals/payment-proposals.js';
import { type ApprovalDeps, isAboveLimit, propose } from '../approvals/propose.js';
import { type Answer, buildApiError } from '#gateway/routing/response.js';
import type { ResolveTaskRequest } from './schema.js';

const NOT_BOOKABLE = buildApiError('state_conflict', {
  message: 'The details of this task do not name a payment and a booking: acknowledge it.',
});

export type TaskDeps = ApprovalDeps & PaymentProposalDeps;

export interface ProposedAction {
  readonly task: TaskRow;
  readonly body: ResolveTaskRequest;
  readonly resolution: Resolution;
}

/** 202 with the approval; undefined: the action needs one person. */
export async function proposeResolution(
  deps: TaskDeps,
  actor: Actor,
  action: ProposedAction,
): Promise<Answer | undefined> {
  const { task, body, resolution } = action;
  if (body.action === 'book') return proposeBooking(deps, actor, action);
  const { posting, merchantId } = resolution;
  if (posting === null || !isAboveLimit(deps, task.environment, posting.amountMinor)) {
    return undefined;
  }
  const { amountMinor, currency } = posting;
  const subject = {
    merchantId: merchantId ?? task.merchantId,
    paymentId: task.paymentId,
    taskId: task.id,
  };
  return propose(deps, actor, {
    ...{ kind: 'task_resolution', ...NO_SUBJECT, ...subject, amountMinor, currency },
    reference: `${task.id}:${body.action}`,
    request: { ...body },
    reason: body.note,
  });
}

/** The task keeps its actions until the booking is applied, which resolves it. */
async function proposeBooking(
  deps: TaskDeps,
  actor: Actor,
  { task, body }: ProposedAction,
): Promise<Answer> {
  const details = JSON.parse(task.details) as Readonly<Record<string, string>>;
  const { booking, rail, railTransactionId, amount, currency = '', orderId = null } = details;
  const kind = PAYMENT_CORRECTIONS.find((one) => one === booking);
  const { paymentId, id: taskId } = task;
  // A reversal takes the settlement back as a whole.
  const amountMinor = kind === 'reversal' ? null : parseAmount(amount ?? '');
  const isWhole = kind !== undefined && rail !== undefined && railTransactionId !== undefined;
  if (!isWhole || paymentId === null || typeof amountMinor === 'string') return NOT_BOOKABLE;
  const movement = { kind, paymentId, rail, railTransactionId, amountMinor, currency, orderId };
  return proposePaymentCorrection(deps, actor, { ...movement, reason: body.note, taskId });
}
