// Orders that a rail has opened with payment instructions that must not be shown. Pure. Somebody could pay such an order, so it
// is closed until the rail confirms that, and inquiries go on meanwhile. The charge is answered only then: its attempt fails, and
// the customer may choose again. The first inquiry stores the close together with a task, so a process that dies forgets neither.
import type { Attempt } from '#actors/core/payment/state.js';
import { deriveTaskId } from '#actors/core/tasks/kinds.js';
import type { InquiryTask } from '#store/postgres/rails/inquiries.js';
import { filterEffective, type InquiryResult, listDoubts } from './inquiry-result.js';
import { type InquiredClose, planRepeatedClose, type RepeatedClose } from './repeated-closes.js';

/** For the log. */
export const UNUSABLE_MESSAGE =
  'a rail opened an order with payment instructions that must not be shown; the order is closed at the rail';

export interface UnusableStep {
  readonly result: InquiryResult;
  readonly close: RepeatedClose | null;
  readonly tasks: readonly InquiryTask[];
}

export function closeUnusable(order: InquiredClose): UnusableStep {
  const close = planRepeatedClose(order, true);
  const isRepeated = close !== null && order.closes > 0;
  return { result: answerCloses(order, isRepeated), close, tasks: [buildTask(order)] };
}

/** Senders who wait learn that the outcome is unknown when the first close did not help. */
function answerCloses(
  { state, attempt, calls, nowMs }: InquiredClose,
  isRepeated: boolean,
): InquiryResult {
  const givenUp = calls.filter(
    ({ call, isGivenUp }) =>
      isGivenUp && call.operation !== 'refund' && call.orderId === attempt.orderId,
  );
  const doubts = isRepeated ? givenUp.flatMap(({ call }) => listDoubts(call)) : [];
  const lostCloses = givenUp.filter(({ call }) => call.operation === 'close');
  return {
    commands: [],
    doubts: filterEffective(state, doubts, nowMs),
    answeredCalls: lostCloses.map(({ id }) => id),
  };
}

/** One task for each order. */
function buildTask({ attempt, railReference }: InquiredClose): InquiryTask {
  const { rail, orderId, method }: Attempt = attempt;
  const details = { rail, orderId, railReference, method };
  const id = deriveTaskId(`instructions unusable:${rail}:${orderId}`);
  return { id, kind: 'instructions_unusable', details: JSON.stringify(details) };
}
