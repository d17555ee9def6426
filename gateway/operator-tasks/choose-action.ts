// From an administrator's wish to the resolution of a task, or to what is wrong with the wish. Nothing is written.
import type { MerchantId, PaymentId } from '#actors/core/ids.js';
import { formatAmount, parseAmount, makeMinor } from '#actors/core/money.js';
import { RAIL_NAMES } from '#actors/core/rails/answers.js';
import { ACTIONS_OF_KIND, type TaskKind, isTaskKind } from '#actors/core/tasks/kinds.js';
import {
  resolveAction,
  type TaskContext,
  listAllowedActions,
} from '#actors/core/tasks/allowed-actions.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import { findAssignedPayment } from '#store/postgres/tasks/find-assigned-payment.js';
import type { TaskRow } from '#store/postgres/tasks/list-tasks.js';
import type { Resolution } from '#store/postgres/tasks/resolve-task.js';
import { buildParameterError } from '../lists/page.js';
import { type ApiError, buildApiError } from '../routing/response.js';
import { type AccountDeps, queryAccounts } from '../accounts/account-deps.js';
import type { ResolveTaskRequest } from './schema.js';

export async function chooseAction(
  parts: AccountDeps,
  task: TaskRow,
  body: ResolveTaskRequest,
): Promise<Resolution | ApiError> {
  const { kind, standing } = task;
  if (!isTaskKind(kind)) {
    return buildApiError('state_conflict', {
      message: `Nothing is known here of the kind ${kind}.`,
    });
  }
  const matter = buildTaskMatter(task, kind);
  const fault = checkRequest(matter, body);
  if (fault !== null) return fault;
  const assignee = await findAssignee(parts, matter, body);
  if (isApiError(assignee)) return assignee;
  const way = resolveAction(matter, body.action, assignee);
  if (way === null) return buildApiError('state_conflict', { message: explainAllowed(matter) });
  return {
    ...way,
    taskId: task.id,
    state: standing,
    action: body.action,
    note: body.note,
    externalReference: body.external_reference ?? null,
    targetPayment: body.payment_id ?? null,
  };
}

/** The details of a task are texts that the core wrote. Without a payment it is money of LIVE (unknown-order.ts). */
function buildTaskMatter(
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
  return { kind, state: standing, environment: environment ?? 'LIVE', merchantId, money };
}

/** What is wrong with the wish itself, whoever else does what. */
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
      'or payment_id is to be sent with assign, and only there',
    );
  }
  if (amount === undefined) return null;
  const whole = money?.amountMinor ?? null;
  if (whole !== null && parseAmount(amount) === whole) return null;
  const must =
    whole === null ? 'is not moved by this task' : `must be all of ${formatAmount(whole)}`;
  return buildParameterError('amount', must);
}

/** An id is a text, whatever its brand. */
const isApiError = (found: MerchantId | ApiError | null): found is ApiError =>
  typeof found === 'object' && found !== null;

/** Whom `assign` names; of a payment the money must be of its environment and currency. */
async function findAssignee(
  parts: AccountDeps,
  { environment, money }: TaskContext,
  body: ResolveTaskRequest,
): Promise<MerchantId | ApiError | null> {
  const { merchant_id: merchantId, payment_id: paymentId } = body;
  if (merchantId !== undefined) {
    const [merchant] = await queryAccounts(parts, (sql) =>
      findMerchant(sql, merchantId as MerchantId),
    );
    return merchant?.id ?? buildApiError('merchant_not_found', { param: 'merchant_id' });
  }
  if (paymentId === undefined) return null;
  const [payment] = await queryAccounts(parts, (sql) =>
    findAssignedPayment(sql, paymentId as PaymentId),
  );
  if (payment === undefined) return buildApiError('payment_not_found', { param: 'payment_id' });
  const isAlike = payment.environment === environment && payment.currency === money?.currency;
  return isAlike
    ? payment.merchantId
    : buildParameterError('payment_id', 'must be of the environment and currency of the money');
}

function explainAllowed({ kind, state }: TaskContext): string {
  const ways = listAllowedActions(kind, state);
  return ways.length === 0
    ? 'Its refund or payout is still open, and is to be completed or failed first.'
    : `As the matter stands (${state}), it allows: ${ways.join(', ')}.`;
}
