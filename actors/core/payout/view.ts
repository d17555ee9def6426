// A payout as merchants see it, without its rail.
import { formatAmount } from '../money.js';
import { formatTime } from '../payment/view.js';
import type { PayoutBody } from '../schemas/payout.js';
import type { PayoutState } from './state.js';

export function viewPayout(state: PayoutState): PayoutBody {
  const { request } = state;
  return {
    id: state.id,
    object: 'payout',
    environment: state.environment,
    status: state.status,
    amount: formatAmount(request.amountMinor),
    currency: request.currency,
    bank_code: request.bankCode,
    account_number: request.accountNumber,
    account_holder: request.accountHolder,
    reference_id: request.referenceId,
    description: request.description,
    failure_code: state.failureCode,
    created_at: new Date(state.createdAtMs).toISOString(),
    completed_at: formatTime(state.completedAtMs),
    failed_at: formatTime(state.failedAtMs),
    reversed_at: formatTime(state.reversedAtMs),
  };
}
