// From what became of a command to the answer of the contract.
import type { PaymentId } from '#actors/core/ids.js';
import { isRejection } from '#actors/core/payment/outcome.js';
import type { CommandAnswer } from './dispatcher.js';
import { findErrorCode } from '../routing/errors.js';
import { type Answer, IDEMPOTENT_REPLAYED, buildApiError, reply } from '../routing/response.js';

const REPLAYED_HEADERS = [IDEMPOTENT_REPLAYED] as const;

/** `paymentId` is named where the contract wants it: an unknown outcome, a create that the rail refused. */
export function buildCommandAnswer(answer: CommandAnswer, paymentId: PaymentId): Answer {
  switch (answer.kind) {
    case 'refused':
      return buildApiError(answer.code);
    case 'unanswered':
      return buildApiError('outcome_unknown', { paymentId });
    case 'reply':
      return buildReplyAnswer(answer.outcome, answer.body, paymentId);
  }
}

function buildReplyAnswer(outcome: string, body: string, paymentId: PaymentId): Answer {
  switch (outcome) {
    case 'created':
      return reply(201, body);
    case 'replayed':
      return reply(200, body, REPLAYED_HEADERS);
    case 'done':
    case 'unchanged':
      return reply(200, body);
    case 'state_conflict':
      return buildApiError('state_conflict', { currentStatus: body });
    case 'payment_processing_failed':
    case 'outcome_unknown':
      return buildApiError(outcome, { paymentId });
    case 'overloaded':
      return buildApiError('overloaded');
    default:
      return isRejection(outcome)
        ? buildApiError(findErrorCode(outcome))
        : buildApiError('internal_error');
  }
}
