// The state machine: decides what a command does to a payment. Pure and total: no command in any
// state throws. Calls to rails are effects of the events and are never made here.
import { unreachable } from '../unreachable.js';
import { decideChargeAnswer, decideChoice } from './attempts.js';
import { decideCancel, decideCloseAnswer, decideExpiry, decideFailure } from './closing.js';
import type { PaymentCommand } from './commands.js';
import { decideCreate } from './create.js';
import { decideErasure } from './erasure.js';
import { decideRefund, decideRefundAnswer, decideRefundCompletion } from './refunds.js';
import {
  decideDisowned,
  decideRelease,
  decideReversal,
  decideSettlement,
  decideSimulation,
} from './settlement.js';
import { type Decision, reject } from './slice.js';
import type { PaymentState } from './state.js';

/**
 * `nowMs` is the actor's clock, read once per batch. The events are to be applied with evolve, in
 * order.
 */
export function decide(
  state: PaymentState | undefined,
  command: PaymentCommand,
  nowMs: number,
): Decision {
  if (command.type === 'create') return decideCreate(state, command, nowMs);
  if (state === undefined) return reject('payment_not_found');
  return decideExisting(state, command, nowMs);
}

type LaterCommand = Exclude<PaymentCommand, { type: 'create' }>;

function decideExisting(state: PaymentState, command: LaterCommand, nowMs: number): Decision {
  switch (command.type) {
    case 'choose_method':
      return decideChoice(state, command, nowMs);
    case 'simulate':
      return decideSimulation(state, command, nowMs);
    case 'cancel':
      return decideCancel(state, command, nowMs);
    case 'settle':
      return decideSettlement(state, command.settlement, nowMs);
    case 'disown_settlement':
      return decideDisowned(state, command, nowMs);
    case 'fail':
      return decideFailure(state, command, nowMs);
    case 'reverse':
      return decideReversal(state, command, nowMs);
    case 'expire':
      return decideExpiry(state, nowMs);
    case 'release_hold':
      return decideRelease(state, nowMs);
    case 'charge_answered':
      return decideChargeAnswer(state, command, nowMs);
    case 'close_answered':
      return decideCloseAnswer(state, command, nowMs);
    case 'refund':
      return decideRefund(state, command, nowMs);
    case 'refund_answered':
      return decideRefundAnswer(state, command, nowMs);
    case 'complete_refund':
    case 'fail_refund':
      return decideRefundCompletion(state, command, nowMs);
    case 'erase':
      return decideErasure(state, command, nowMs);
    default:
      return unreachable(command);
  }
}
