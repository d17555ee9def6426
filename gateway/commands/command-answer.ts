// From what became of a command to the answer of the contract.
import type { PaymentId } from '#actors/core/ids.js';
import { isRejection } from '#actors/core/payment/outcome.js';
import type { CommandAnswer } from './dispatcher.js';
import { codeOf } from '../routing/errors.js';
import { type Answer, IDEMPOTENT_REPLAYED, refuse, reply } from '../routing/response.js';

const REPLAYED_HEADERS = [IDEMPOTENT_REPLAYED] as const;

/** `paymentId` is named where the contract wants it: an unknown outcome, a create that the rail refused. */
export function answerTo(answer: CommandAnswer, paymentId: PaymentId): Answer {
  switch (answer.kind) {
    case 'refused':
      return refuse(answer.code);
    case 'unanswered':
      return refuse('outcome_unknown', { paymentId });
    case 'reply':
      return answerToReply(answer.outcome, answer.body, paymentId);
  }
}

function answerToReply(outcome: string, body: string, paymentId: PaymentId): Answer {
  switch (outcome) {
    case 'created':
      return reply(201, body);
    case 'replayed':
      return reply(200, body, REPLAYED_HEADERS);
    case 'done':
    case 'unchanged':
      return reply(200, body);
    case 'state_conflict':
      return refuse('state_conflict', { currentStatus: body });
    case 'payment_processing_failed':
    case 'outcome_unknown':
      return refuse(outcome, { paymentId });
    case 'overloaded':
      return refuse('overloaded');
    default:
      return isRejection(outcome) ? refuse(codeOf(outcome)) : refuse('internal_error');
  }
}
