// Callbacks of Xendit carry a constant token, which proves no status. Their ids only name the subject of a status inquiry,
// whose answer names our order again.
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { ReportedState } from '#actors/core/statuses.js';
import type { CallbackReading, CallbackSubject, RawCallback } from '../rail.js';
import {
  buildDedupeKey,
  isSameSecret,
  parseJson,
  readRailAmount,
  sumRailAmounts,
} from '../wire.js';
import { Amount, Id, readCaptures } from './wire.js';

const Text = Type.String({ minLength: 1, maxLength: 255 });
const Webhook = TypeCompiler.Compile(
  Type.Object({
    event: Text,
    data: Type.Object({
      reference_id: Text,
      id: Type.Optional(Id),
      payment_request_id: Type.Optional(Id),
      request_amount: Type.Optional(Amount),
      amount: Type.Optional(Amount),
      captures: Type.Optional(Type.Unknown()),
      currency: Type.Optional(Text),
    }),
  }),
);

export function readXenditCallback(callback: RawCallback, token: string): CallbackReading {
  const { headers, body: raw } = callback;
  if (!isSameSecret(headers['x-callback-token'] ?? '', token)) return { result: 'forged' };
  const body = parseJson(raw);
  if (!Webhook.Check(body)) return { result: 'malformed' };
  const subject = readSubject(body.event, body.data);
  if (subject === null) return { result: 'malformed' };
  const delivery = headers['webhook-id'] ?? raw.toString('utf8');
  const dedupeKey = buildDedupeKey([body.event, body.data.reference_id, delivery]);
  const reports = readReportedState(body.event, subject);
  return { result: 'genuine', dedupeKey, subject, reports, money: readMoney(body.data) };
}

const REPORTS: Readonly<Record<string, ReportedState>> = {
  capture: 'settled',
  succeeded: 'settled',
  failure: 'ended',
  expiry: 'ended',
};

/** Other events, such as an authorization, change nothing about the order. */
function readReportedState(event: string, { kind }: CallbackSubject): ReportedState {
  if (kind !== 'order') return 'ended';
  return REPORTS[event.split('.')[1] ?? ''] ?? 'open';
}

/** null: the event is about no order, refund or payout. */
function readSubject(
  event: string,
  data: { reference_id: string; id?: string; payment_request_id?: string },
): CallbackSubject | null {
  const { reference_id: ours } = data;
  const railReference = data.id ?? null;
  switch (event.split('.')[0]) {
    case 'payment':
    case 'payment_request':
      return { kind: 'order', orderId: ours, railReference: data.payment_request_id ?? null };
    case 'refund':
      return { kind: 'refund', refundId: ours, railReference };
    case 'payout':
      return { kind: 'payout', payoutId: ours, railReference };
    default:
      return null;
  }
}

interface Money {
  readonly captures?: unknown;
  readonly request_amount?: unknown;
  readonly amount?: unknown;
  readonly currency?: string;
}

/** The amount paid if the callback has it, else the amount requested. */
function readMoney({ captures: given, request_amount: asked, amount, currency }: Money) {
  const captures = readCaptures(given);
  const amountMinor =
    captures.length === 0
      ? readRailAmount(asked ?? amount)
      : sumRailAmounts(captures.map(({ capture_amount }) => capture_amount));
  return amountMinor === null || currency === undefined ? null : { amountMinor, currency };
}
