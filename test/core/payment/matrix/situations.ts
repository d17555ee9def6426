// The rows and columns of the grid: the situations of a payment, and the commands that it may get.
import { EXPIRY_GRACE_MS } from '#actors/core/payment/due.js';
import type { PaymentEvent } from '#actors/core/payment/events.js';
import { type Step, tell } from '#test/support/given-when-then.js';
import {
  ACCEPTED,
  cancel,
  chargeAnswered,
  choose,
  closeAnswered,
  create,
  endRefund,
  erase,
  disown,
  EXPIRE,
  EXPIRE_COMMAND,
  EXPIRES_AFTER_MS,
  fail,
  recordRefund,
  refund,
  refundAnswered,
  REFUSED,
  RELEASE,
  reverse,
  settle,
  simulate,
  UNKNOWN,
} from '../samples.js';

const test = create('TEST');
const live = create('LIVE');
const chosen = [live, choose('VA_BCA'), chargeAnswered(ACCEPTED)];
const creating = create('LIVE', { paymentMethod: 'QRIS' });
const paid = [...chosen, settle()];
const manual = [...paid, refund(), refundAnswered({ result: 'manual_required' })];

/**
 * t_*       TEST; the others are LIVE
 * unchosen  without a method; creating with one; charging after the customer's choice: the rail has not answered
 * open      the customer can pay at the rail
 * *_asked   the rail was asked and has not answered
 */
export const SITUATIONS = {
  none: [],
  t_pending: tell(test),
  t_paid: tell(test, simulate('paid')),
  t_failed: tell(test, simulate('failed')),
  t_cancelled: tell(test, cancel('TEST')),
  t_refunded: tell(test, simulate('paid'), refund(null, { environment: 'TEST' })),
  unchosen: tell(live),
  creating: tell(creating),
  creating_cancel: tell(creating, cancel()),
  creating_expiry: tell(creating, EXPIRE),
  charging: tell(live, choose('VA_BCA')),
  open: tell(...chosen),
  cancel_asked: tell(...chosen, cancel()),
  expiry_asked: tell(...chosen, EXPIRE),
  switch_asked: tell(...chosen, choose('VA_BNI')),
  paid: tell(...paid),
  refund_asked: tell(...paid, refund()),
  refund_manual: tell(...manual),
  refunded: tell(...manual, endRefund('complete_refund')),
  failed: tell(...chosen, fail()),
  cancelled: tell(...chosen, cancel(), closeAnswered({ result: 'closed' })),
  reversed: tell(...paid, reverse()),
} as const satisfies Record<string, readonly PaymentEvent[]>;
export type Situation = keyof typeof SITUATIONS;

const HOLD_OVER_MS = 3 * 86_400_000;
const isTest = (situation: Situation): boolean =>
  situation === 'none' || situation.startsWith('t_');
const findEnvironment = (situation: Situation) => (isTest(situation) ? 'TEST' : 'LIVE');

function createSame(situation: Situation): Step {
  if (situation.startsWith('creating')) return creating;
  return isTest(situation) ? test : live;
}

/** Commands of the payment's own merchant, about its first order and its first refund. */
export const COMMANDS = {
  create: createSame,
  choose_bca: () => choose('VA_BCA'),
  choose_bni: () => choose('VA_BNI'),
  simulate_paid: () => simulate('paid'),
  simulate_failed: () => simulate('failed'),
  cancel: (situation) => cancel(findEnvironment(situation)),
  settle: (situation) => settleFor(situation, 'tx-1'),
  settle_second: (situation) => settleFor(situation, 'tx-2'),
  disown: () => disown('tx-9'),
  fail: () => fail(),
  reverse: () => reverse(),
  expire_early: () => ({ afterMs: EXPIRES_AFTER_MS - 1, command: EXPIRE_COMMAND }),
  expire: () => EXPIRE,
  expire_later: () => ({ afterMs: EXPIRES_AFTER_MS + EXPIRY_GRACE_MS, command: EXPIRE_COMMAND }),
  release_hold: () => ({ afterMs: HOLD_OVER_MS, command: RELEASE }),
  charge_accepted: () => chargeAnswered(ACCEPTED),
  charge_refused: () => chargeAnswered(REFUSED),
  charge_unknown: () => chargeAnswered(UNKNOWN),
  close_closed: () => closeAnswered({ result: 'closed' }),
  close_settled: (situation) => {
    const { settlement } = settleFor(situation, 'tx-1');
    return closeAnswered({ result: 'settled', settlement });
  },
  close_refused: () => closeAnswered(REFUSED),
  close_unknown: () => closeAnswered(UNKNOWN),
  refund: (situation) => refund(null, { environment: findEnvironment(situation) }),
  refund_succeeded: () => refundAnswered({ result: 'succeeded', railReference: 'r-1' }),
  refund_failed: () => refundAnswered({ result: 'failed' }),
  refund_manual: () => refundAnswered({ result: 'manual_required' }),
  refund_unknown: () => refundAnswered(UNKNOWN),
  complete_refund: () => endRefund('complete_refund'),
  fail_refund: () => endRefund('fail_refund'),
  record_refund: () => recordRefund(10_000n),
  erase: () => erase(),
} as const satisfies Record<string, (situation: Situation) => Step>;
export type CommandName = keyof typeof COMMANDS;

function settleFor(situation: Situation, railTransactionId: string) {
  const rail = isTest(situation) ? 'sandbox' : 'midtrans';
  return settle(railTransactionId, { rail });
}
