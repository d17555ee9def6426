// From an administrator's wish to the resolution of a task, or to what is wrong with the wish. Nothing is written.
import type { MerchantId, PaymentId } from '#actors/core/ids.js';
import { formatAmount, parseAmount, toMinor } from '#actors/core/money.js';
import { RAIL_NAMES } from '#actors/core/rails/answers.js';
import { ACTIONS_OF_KIND, type AnyTaskKind, isTaskKind } from '#actors/core/tasks/kinds.js';
import { findWayOut, type TaskMatter, waysOutOf } from '#actors/core/tasks/allowed-actions.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import { findAssignedPayment } from '#store/postgres/tasks/find-assigned-payment.js';
import type { TaskRow } from '#store/postgres/tasks/list-tasks.js';
import type { Resolution } from '#store/postgres/tasks/resolve-task.js';
import { refuseParameter } from '#gateway/api/lists/page.js';
import { type Refusal, refuse } from '#gateway/http/answer.js';
import { type AccountParts, ask } from '#gateway/merchant/parts.js';
import type { ResolveTaskRequest } from './schema.js';

export async function chooseWay(
  parts: AccountParts,
  task: TaskRow,
  body: ResolveTaskRequest,
): Promise<Resolution | Refusal> {
  const { kind, standing } = task;
  if (!isTaskKind(kind)) {
    return refuse('state_conflict', { message: `Nothing is known here of the kind ${kind}.` });
  }
  const matter = toMatter(task, kind);
  const fault = findFault(matter, body);
  if (fault !== null) return fault;
  const assignee = await findAssignee(parts, matter, body);
  if (isRefusal(assignee)) return assignee;
  const way = findWayOut(matter, body.action, assignee);
  if (way === null) return refuse('state_conflict', { message: explain(matter) });
  return {
    ...way,
    taskId: task.id,
    standing,
    action: body.action,
    note: body.note,
    externalReference: body.external_reference ?? null,
    targetPayment: body.payment_id ?? null,
  };
}

/** The details of a task are texts that the core wrote. Without a payment it is money of LIVE (unknown-order.ts). */
function toMatter(
  { standing, environment, merchantId, ...task }: TaskRow,
  kind: AnyTaskKind,
): TaskMatter {
  const details = JSON.parse(task.details) as Readonly<Record<string, string>>;
  const { amount, currency } = details;
  const rail = RAIL_NAMES.find((name) => name === details['rail']);
  const money =
    amount === undefined || currency === undefined || rail === undefined
      ? null
      : { amountMinor: toMinor(BigInt(amount)), currency, rail };
  return { kind, standing, environment: environment ?? 'LIVE', merchantId, money };
}

/** What is wrong with the wish itself, whoever else does what. */
function findFault({ kind, money }: TaskMatter, body: ResolveTaskRequest): Refusal | null {
  const { action, amount } = body;
  const actions = ACTIONS_OF_KIND[kind];
  if (actions.length > 0 && !actions.includes(action)) {
    return refuseParameter('action', `must be one of ${actions.join(', ')} for this task`);
  }
  if (action === 'return' && body.external_reference === undefined) {
    return refuseParameter('external_reference', 'is required with return');
  }
  const assignees = [body.merchant_id, body.payment_id].filter((id) => id !== undefined);
  if (assignees.length !== (action === 'assign' ? 1 : 0)) {
    return refuseParameter(
      'merchant_id',
      'or payment_id is to be sent with assign, and only there',
    );
  }
  if (amount === undefined) return null;
  const whole = money?.amountMinor ?? null;
  if (whole !== null && parseAmount(amount) === whole) return null;
  const must =
    whole === null ? 'is not moved by this task' : `must be all of ${formatAmount(whole)}`;
  return refuseParameter('amount', must);
}

/** An id is a text, whatever its brand. */
const isRefusal = (found: MerchantId | Refusal | null): found is Refusal =>
  typeof found === 'object' && found !== null;

/** Whom `assign` names; of a payment the money must be of its environment and currency. */
async function findAssignee(
  parts: AccountParts,
  { environment, money }: TaskMatter,
  body: ResolveTaskRequest,
): Promise<MerchantId | Refusal | null> {
  const { merchant_id: merchantId, payment_id: paymentId } = body;
  if (merchantId !== undefined) {
    const [merchant] = await ask(parts, (sql) => findMerchant(sql, merchantId as MerchantId));
    return merchant?.id ?? refuse('merchant_not_found', { param: 'merchant_id' });
  }
  if (paymentId === undefined) return null;
  const [payment] = await ask(parts, (sql) => findAssignedPayment(sql, paymentId as PaymentId));
  if (payment === undefined) return refuse('payment_not_found', { param: 'payment_id' });
  const isAlike = payment.environment === environment && payment.currency === money?.currency;
  return isAlike
    ? payment.merchantId
    : refuseParameter('payment_id', 'must be of the environment and currency of the money');
}

function explain({ kind, standing }: TaskMatter): string {
  const ways = waysOutOf(kind, standing);
  return ways.length === 0
    ? 'Its refund or payout is still open, and is to be completed or failed first.'
    : `As the matter stands (${standing}), it allows: ${ways.join(', ')}.`;
}
