// Callbacks of Xendit carry a constant token, which proves no status. Their ids only name the subject of a status inquiry,
// whose answer names our order again. A refund of the dashboard has no key of ours: its payment request, or its payment,
// leads to the order.
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { parseRefundId } from '#actors/core/ids.js';
import { maybe } from '#actors/core/payment/wire/fields.js';
import type { ReportedState } from '#actors/core/statuses.js';
import type { CallbackReading, CallbackSubject, RawCallback } from '../rail.js';
import {
  buildDedupeKey,
  isSameSecret,
  parseJson,
  readRailAmount,
  sumRailAmounts,
} from '../wire.js';
import { Amount, Id, readCaptures, readReference, Reference } from './wire.js';

const Text = Type.String({ minLength: 1, maxLength: 255 });
const DataSchema = Type.Object({
  reference_id: Reference,
  id: maybe(Id),
  payment_request_id: maybe(Id),
  payment_id: maybe(Id),
  request_amount: maybe(Amount),
  amount: maybe(Amount),
  captures: Type.Optional(Type.Unknown()),
  currency: maybe(Text),
});
type Data = Static<typeof DataSchema>;
const Webhook = TypeCompiler.Compile(Type.Object({ event: Text, data: DataSchema }));

export function readXenditCallback(callback: RawCallback, token: string): CallbackReading {
  const { headers, body: raw } = callback;
  if (!isSameSecret(headers['x-callback-token'] ?? '', token)) return { result: 'forged' };
  const body = parseJson(raw);
  if (isTestWebhook(body)) return { result: 'test' };
  if (!Webhook.Check(body)) return { result: 'malformed' };
  const { event, data } = body;
  const subject = readSubject(event, data);
  if (subject === null) return { result: 'malformed' };
  const delivery = headers['webhook-id'] ?? raw.toString('utf8');
  const dedupeKey = buildDedupeKey([event, data.reference_id ?? '', delivery]);
  const isGivenBack = isRefundOfDashboard(event, subject);
  const money = isGivenBack ? null : readMoney(data);
  return {
    result: 'genuine',
    dedupeKey,
    subject,
    reports: readReportedState(event, subject),
    money,
  };
}

const isRefundOfDashboard = (event: string, { kind }: CallbackSubject): boolean =>
  kind === 'order' && event.startsWith('refund.');

const REPORTS: Readonly<Record<string, ReportedState>> = {
  capture: 'settled',
  succeeded: 'settled',
  failure: 'ended',
  expiry: 'ended',
};

/** Other events, such as an authorization or a refund of the dashboard that failed, change nothing about the order. */
function readReportedState(event: string, subject: CallbackSubject): ReportedState {
  if (subject.kind !== 'order') return 'ended';
  if (isRefundOfDashboard(event, subject)) {
    return event === 'refund.succeeded' ? 'given_back' : 'open';
  }
  return REPORTS[event.split('.')[1] ?? ''] ?? 'open';
}

/** null: the event is about no order, refund or payout. */
function readSubject(event: string, data: Data): CallbackSubject | null {
  const ours = readReference(data.reference_id);
  const railReference = data.id ?? null;
  switch (event.split('.')[0]) {
    case 'payment':
    case 'payment_request':
      return readOrder(ours, data);
    case 'refund':
      if (ours !== null && parseRefundId(ours) !== undefined) {
        return { kind: 'refund', refundId: ours, railReference };
      }
      return readOrder(null, data);
    case 'payout':
      return ours === null ? null : { kind: 'payout', payoutId: ours, railReference };
    default:
      return null;
  }
}

function readOrder(orderId: string | null, data: Data): CallbackSubject | null {
  const { payment_request_id: railReference = null, payment_id: railTransactionId = null } = data;
  const isNamed = orderId !== null || railReference !== null || railTransactionId !== null;
  return isNamed ? { kind: 'order', orderId, railReference, railTransactionId } : null;
}

/** The amount paid if the callback has it, else the amount requested. */
function readMoney({ captures: given, request_amount: asked, amount, currency }: Data) {
  const captures = readCaptures(given);
  const amountMinor =
    captures.length === 0
      ? readRailAmount(asked ?? amount)
      : sumRailAmounts(captures.map(({ capture_amount }) => capture_amount));
  const isTold = amountMinor !== null && currency !== undefined && currency !== null;
  return isTold ? { amountMinor, currency } : null;
}

/**
 * The samples that Xendit's dashboard sends when an address is tested and saved. They carry the account's own token and are
 * those of the documentation: always the same reference, or a business that does not exist. The documented sample of a
 * refund is wrapped twice.
 */
const SAMPLE_BUSINESS = 'sample_business_id';
const SAMPLE_REFERENCES: ReadonlySet<unknown> = new Set([
  // Payment status, payment request status and payment token status of the Payments API v3.
  '90392f42-d98a-49ef-a7f3-90392f42d98a',
  // Of the documentation: payments, refunds, payouts.
  'example_reference_id',
  'b2756a1e-e6cd-4352-9a68-0483aa2b6a2',
  'myref-1482928194',
]);

const SampleReference = Type.Object({ reference_id: Type.Optional(Type.Unknown()) });
const Sample = TypeCompiler.Compile(
  Type.Object({
    business_id: Type.Optional(Type.Unknown()),
    data: Type.Intersect([SampleReference, Type.Object({ data: Type.Optional(SampleReference) })]),
  }),
);

/** The token was compared before. */
function isTestWebhook(body: unknown): boolean {
  if (!Sample.Check(body)) return false;
  const { business_id: business, data } = body;
  const references = [data.reference_id, data.data?.reference_id];
  return business === SAMPLE_BUSINESS || references.some((one) => SAMPLE_REFERENCES.has(one));
}
