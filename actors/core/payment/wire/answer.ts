// The body of an answer that shows a payment. A snapshot is the text of the answer without `checkout_url`, and `internal`
// behind it (snapshot.ts), so a body is cut out of it: neither a create, a get nor a list builds the object again
// (docs/decisions/0046-snapshot-is-the-answer.md).
//
// Both places are unique. A quote within a text is escaped, so `,"name":` is a member's name. Of the members that a
// merchant names, in `metadata`, none is in front of `order_id`, and each is a text, so that no `{` follows its name.
import type { RefundId } from '#actors/core/ids.js';
import { formatAmount } from '#actors/core/money.js';
import type { PaymentCommand } from '../commands.js';
import { type FinalOutcome, isRejection, type Waiter } from '../outcome.js';
import { computeRefundableMinor, findRefund, isOfTenant, type PaymentState } from '../state.js';
import { findShownStatus, viewRefund, viewSandbox } from '../view.js';
import { BEGIN, decodeSnapshot, encodeSnapshot, FORMAT, INTERNAL } from './snapshot.js';

type PaymentTenant = Pick<PaymentState, 'merchantId' | 'environment'>;

/** The member in front of which `checkout_url` belongs. */
const BEHIND_URL = ',"order_id":';
/** Behind the answer. A snapshot of another format is not cut. */
const END = `${INTERNAL}"format":${FORMAT},`;

/** The JSON of the payment, from its snapshot. */
export function cutAnswer(snapshot: string, baseUrl: string): string {
  const urlAt = snapshot.indexOf(BEHIND_URL);
  const endAt = snapshot.indexOf(END, urlAt);
  const id = snapshot.slice(BEGIN.length, snapshot.indexOf('"', BEGIN.length));
  if (urlAt === -1 || endAt === -1)
    throw new TypeError(`snapshot is malformed: it is not of format ${FORMAT}`);
  const url = JSON.stringify(`${baseUrl}/checkout/${id}`);
  return `${snapshot.slice(0, urlAt)},"checkout_url":${url}${snapshot.slice(urlAt, endAt)}}`;
}

/** Whether the payment belongs to the merchant, in this environment. The text of another format is decoded. */
export function isSnapshotOf(snapshot: string, tenant: PaymentTenant): boolean {
  const { merchantId, environment } = tenant;
  const shown = `","object":"payment","environment":"${environment}",`;
  const hidden = `${END}"merchantId":"${merchantId}",`;
  const isOwn =
    snapshot.startsWith(shown, snapshot.indexOf('"', BEGIN.length)) &&
    snapshot.startsWith(hidden, snapshot.indexOf(END));
  return isOwn || isOfTenant(decodeSnapshot(snapshot), tenant);
}

/** The JSON of the payment in this state. */
export function formatPayment(state: PaymentState, baseUrl: string): string {
  return cutAnswer(encodeSnapshot(state), baseUrl);
}

/** The object that an answer shows: the payment, its public view, or one of its refunds. */
export type AnswerSubject = 'payment' | 'sandbox' | { refundId: RefundId };

export function findCommandSubject(command: PaymentCommand): AnswerSubject {
  if (command.type === 'simulate') return 'sandbox';
  return 'refundId' in command ? { refundId: command.refundId } : 'payment';
}

export function findWaiterSubject(waiter: Waiter): AnswerSubject {
  const [, refundId] = waiter.split(':');
  return refundId === undefined ? 'payment' : { refundId: refundId as RefundId };
}

/** A payment, and its snapshot where it was encoded already. */
export interface AnswerSource {
  readonly state: PaymentState;
  readonly snapshot: string | undefined;
}

/** The subject's JSON. For a rejection: the status that excludes the command. */
export function buildAnswerBody(
  subject: AnswerSubject,
  outcome: FinalOutcome,
  { state, snapshot }: AnswerSource,
  baseUrl: string,
): string {
  if (outcome === 'refund_exceeds_payment') return formatAmount(computeRefundableMinor(state));
  if (isRejection(outcome)) return findShownStatus(state);
  if (subject === 'payment') return cutAnswer(snapshot ?? encodeSnapshot(state), baseUrl);
  if (subject === 'sandbox') return JSON.stringify(viewSandbox(state));
  const refund = findRefund(state, subject.refundId);
  return refund === undefined ? '' : JSON.stringify(viewRefund(state, refund));
}
