// Turns an administrator's request into the resolution of a task, or into the error that rejects it. It writes nothing.
import type { MerchantId, PaymentId } from '#actors/core/ids.js';
import { formatAmount, parseAmount, makeMinor } from '#actors/core/money.js';
import { RAIL_NAMES } from '#actors/core/rails/rail-names.js';
import { ACTIONS_OF_KIND, isTaskKind } from '#actors/core/tasks/kinds.js';
import { type TaskKind } from '#actors/core/tasks/kinds.js';
import {
  resolveAction,
  type TaskContext,
  listAllowedActions,
} from '#actors/core/tasks/allowed-actions.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import { findAssignedPayment } from '#store/postgres/tasks/find-assigned-payment.js';
import type { TaskRow } from '#store/postgres/tasks/list-tasks.js';
import type { Resolution } from '#store/postgres/tasks/resolve-task.js';
import { buildParameterError } from '#gateway/lists/page.js';
import { type ApiError, buildApiError } from '#gateway/routing/response.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import type { ResolveTaskRequest } from './schema.js';

export async function chooseAction(
  deps: AccountDeps,
  task: TaskRow,
  body: ResolveTaskRequest,
): Promise<Resolution | ApiError> {
  const { kind, standing } = task;
  if (!isTaskKind(kind)) {
    return buildApiError('state_conflict', {
      message: `This version does not know tasks of the kind ${kind}.`,
    });
  }
  const context = buildTaskContext(task, kind);
  const error = checkRequest(context, body);
  if (error !== null) return error;
  const assignee = await findAssignee(deps, context, body);
  if (isApiError(assignee)) return assignee;
  const effect = resolveAction(context, body.action, assignee);
  if (effect === null) return buildApiError('state_conflict', { message: explainAllowed(context) });
  return {
    ...effect,
    taskId: task.id,
    state: standing,
    action: body.action,
    note: body.note,
    externalReference: body.external_reference ?? null,
    targetPayment: body.payment_id ?? null,
  };
}

function buildTaskContext(
  { standing, environment, merchantId, ...task }: TaskRow,
  kind: TaskKind,
): TaskContext {
  const details = JSON.parse(task.details) as Readonly<Record<string, string>>;
  const { amount, currency } = details;
  const rail = RAIL_NAMES.find((name) => name === details['rail']);
  const money =
    amount === undefined || currency === undefined || rail === undefined
      ? null
      : { amountMinor: makeMinor(BigInt(amount)), currency, rail };
  return { kind, state: standing, environment, merchantId, money };
}

/** Checks the request by itself; the task's state is checked later. */
function checkRequest({ kind, money }: TaskContext, body: ResolveTaskRequest): ApiError | null {
  const { action, amount } = body;
  const actions = ACTIONS_OF_KIND[kind];
  if (actions.length > 0 && !actions.includes(action)) {
    return buildParameterError('action', `must be one of ${actions.join(', ')} for this task`);
  }
  if (action === 'return' && body.external_reference === undefined) {
    return buildParameterError('external_reference', 'is required with return');
  }
  const assignees = [body.merchant_id, body.payment_id].filter((id) => id !== undefined);
  if (assignees.length !== (action === 'assign' ? 1 : 0)) {
    return buildParameterError(
      'merchant_id',
      'or payment_id is required with assign, and not allowed with other actions',
    );
  }
  if (amount === undefined) return null;
  const whole = money?.amountMinor ?? null;
  if (whole !== null && parseAmount(amount) === whole) return null;
  const must =
    whole === null
      ? 'is not allowed: this task moves no money'
      : `must be the whole amount, ${formatAmount(whole)}`;
  return buildParameterError('amount', must);
}

/** Ids are strings. */
const isApiError = (found: MerchantId | ApiError | null): found is ApiError =>
  typeof found === 'object' && found !== null;

/** The merchant that `assign` names. A named payment must have the environment and the currency of the money. */
async function findAssignee(
  deps: AccountDeps,
  { environment, money }: TaskContext,
  body: ResolveTaskRequest,
): Promise<MerchantId | ApiError | null> {
  const { merchant_id: merchantId, payment_id: paymentId } = body;
  if (merchantId !== undefined) {
    const [merchant] = await findMerchant(deps.accounts, merchantId as MerchantId);
    return merchant?.id ?? buildApiError('merchant_not_found', { param: 'merchant_id' });
  }
  if (paymentId === undefined) return null;
  const [payment] = await findAssignedPayment(deps.accounts, paymentId as PaymentId);
  if (payment === undefined) return buildApiError('payment_not_found', { param: 'payment_id' });
  const isAlike = payment.environment === environment && payment.currency === money?.currency;
  return isAlike
    ? payment.merchantId
    : buildParameterError('payment_id', 'must have the environment and the currency of the money');
}

function explainAllowed({ kind, state }: TaskContext): string {
  const actions = listAllowedActions(kind, state);
  if (state === 'ending') {
    return 'An end of its refund is decided and under way: repeat that request, or its approval.';
  }
  return actions.length === 0
    ? 'Its refund or payout is still open: complete or fail it first.'
    : `In the state ${state} it allows: ${actions.join(', ')}.`;
}
