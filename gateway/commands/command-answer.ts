// Turns the outcome of a command into an HTTP answer.
import type { PaymentId } from '#actors/core/ids.js';
import { isRejection } from '#actors/core/payment/outcome.js';
import type { CommandAnswer } from './dispatcher.js';
import { findErrorCode } from '../routing/errors.js';
import { type Answer, IDEMPOTENT_REPLAYED, buildApiError, reply } from '../routing/response.js';

const REPLAYED_HEADERS = [IDEMPOTENT_REPLAYED] as const;

/** `paymentId` is part of the errors that ask the merchant to look the payment up: 502 and 504. */
export function buildCommandAnswer(answer: CommandAnswer, paymentId: PaymentId): Answer {
  switch (answer.kind) {
    case 'not_accepted':
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
