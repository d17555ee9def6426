// Commands as text, for the stream. Decoding throws on what is malformed: such a command can only be parked.
import {
  type Environment,
  type MerchantId,
  type OrderId,
  parseMerchantId,
  parseOrderId,
  parsePaymentId,
  parseRefundId,
  type PaymentId,
  type RefundId,
} from '#actors/core/ids.js';
import { CHARGEABLE_METHODS } from '#actors/core/payment-methods.js';
import { RAIL_NAMES, type RailName } from '#actors/core/rails/answers.js';
import type { CommandType, PaymentCommand } from '../commands.js';
import { CLOSE_PURPOSES } from '#actors/core/statuses.js';
import { unreachable } from '#actors/core/unreachable.js';
import {
  decodeChargeAnswer,
  decodeCloseAnswer,
  decodeRefundAnswer,
  encodeChargeAnswer,
  encodeCloseAnswer,
  encodeRefundAnswer,
} from './answers.js';
import {
  flagOrNothing,
  listOrNothing,
  parseObject,
  type Raw,
  readAmount,
  readFlag,
  readId,
  readListOf,
  readObject,
  readOneOf,
  readOptional,
  readText,
  readTextOrNull,
} from './fields.js';
import { decodeRequest, decodeSettlement, encodeRequest, encodeSettlement } from './parts.js';

const ENVIRONMENTS: readonly Environment[] = ['TEST', 'LIVE'];

export function encodeCommand(command: PaymentCommand): string {
  return JSON.stringify(describe(command));
}

function describe(command: PaymentCommand) {
  const { type: t, paymentId: i } = command;
  switch (command.type) {
    case 'create': {
      const { merchantId: m, environment: v, fingerprint: f } = command;
      return { t, i, m, v, f, q: encodeRequest(command.request), r: listOrNothing(command.rails) };
    }
    case 'choose_method':
      return { t, i, m: command.method, r: listOrNothing(command.rails) };
    case 'simulate':
      return { t, i, o: command.outcome };
    case 'cancel':
      return { t, i, m: command.merchantId, v: command.environment };
    case 'settle':
    case 'disown_settlement':
      return { t, i, s: encodeSettlement(command.settlement) };
    case 'fail':
      return { t, i, o: command.orderId, f: command.failureCode };
    case 'reverse':
      return { t, i, r: command.rail, x: command.railTransactionId };
    case 'expire':
    case 'release_hold':
      return { t, i };
    case 'charge_answered':
      return { t, i, o: command.orderId, a: encodeChargeAnswer(command.answer) };
    case 'close_answered':
      return { t, i, o: command.orderId, p: command.purpose, a: encodeCloseAnswer(command.answer) };
    case 'refund': {
      const { merchantId: m, environment: v, refundId: r, reason, referenceId } = command;
      const a = command.amountMinor?.toString();
      return { t, i, m, v, r, a, w: reason ?? undefined, n: referenceId ?? undefined };
    }
    case 'refund_answered':
      return { t, i, r: command.refundId, a: encodeRefundAnswer(command.answer) };
    case 'complete_refund':
    case 'fail_refund':
      return { t, i, r: command.refundId, e: command.externalReference };
    case 'erase':
      return { t, i, r: flagOrNothing(command.withReference) };
    default:
      return unreachable(command);
  }
}

type Decoders = { [T in CommandType]: (raw: Raw, type: T) => Extract<PaymentCommand, { type: T }> };

const DECODERS: Decoders = {
  create: (raw, type) => ({
    type,
    ...readOwner(raw),
    request: decodeRequest(readObject(raw, 'q')),
    fingerprint: readText(raw, 'f'),
    rails: readRails(raw),
  }),
  choose_method: (raw, type) => ({
    type,
    paymentId: readPayment(raw),
    method: readOneOf(raw, 'm', CHARGEABLE_METHODS),
    rails: readRails(raw),
  }),
  simulate: (raw, type) => ({
    type,
    paymentId: readPayment(raw),
    outcome: readOneOf(raw, 'o', ['paid', 'failed']),
  }),
  cancel: (raw, type) => ({ type, ...readOwner(raw) }),
  settle: (raw, type) => ({
    type,
    paymentId: readPayment(raw),
    settlement: decodeSettlement(readObject(raw, 's')),
  }),
  disown_settlement: (raw, type) => ({
    type,
    paymentId: readPayment(raw),
    settlement: decodeSettlement(readObject(raw, 's')),
  }),
  fail: (raw, type) => ({
    type,
    paymentId: readPayment(raw),
    orderId: readOrder(raw),
    failureCode: readOneOf(raw, 'f', ['declined', 'expired', 'processing_failed']),
  }),
  reverse: (raw, type) => ({
    type,
    paymentId: readPayment(raw),
    rail: readOneOf(raw, 'r', RAIL_NAMES),
    railTransactionId: readText(raw, 'x'),
  }),
  expire: (raw, type) => ({ type, paymentId: readPayment(raw) }),
  release_hold: (raw, type) => ({ type, paymentId: readPayment(raw) }),
  charge_answered: (raw, type) => ({
    type,
    paymentId: readPayment(raw),
    orderId: readOrder(raw),
    answer: decodeChargeAnswer(readObject(raw, 'a')),
  }),
  close_answered: (raw, type) => ({
    type,
    paymentId: readPayment(raw),
    orderId: readOrder(raw),
    purpose: readOneOf(raw, 'p', CLOSE_PURPOSES),
    answer: decodeCloseAnswer(readObject(raw, 'a')),
  }),
  refund: (raw, type) => ({
    type,
    ...readOwner(raw),
    refundId: readRefund(raw),
    amountMinor: readOptional(raw, 'a', readAmount),
    reason: readTextOrNull(raw, 'w'),
    referenceId: readTextOrNull(raw, 'n'),
  }),
  refund_answered: (raw, type) => ({
    type,
    paymentId: readPayment(raw),
    refundId: readRefund(raw),
    answer: decodeRefundAnswer(readObject(raw, 'a')),
  }),
  complete_refund: (raw, type) => ({ type, ...readRefundEnd(raw) }),
  fail_refund: (raw, type) => ({ type, ...readRefundEnd(raw) }),
  erase: (raw, type) => ({
    type,
    paymentId: readPayment(raw),
    withReference: readFlag(raw, 'r'),
  }),
};
const COMMAND_TYPES = Object.keys(DECODERS) as CommandType[];

export function decodeCommand(text: string): PaymentCommand {
  const raw = parseObject(text);
  return decodeAs(raw, readOneOf(raw, 't', COMMAND_TYPES));
}

function decodeAs<T extends CommandType>(raw: Raw, type: T): PaymentCommand {
  return DECODERS[type](raw, type);
}

function readOwner(raw: Raw) {
  return {
    paymentId: readPayment(raw),
    merchantId: readId<MerchantId>(raw, 'm', parseMerchantId),
    environment: readOneOf(raw, 'v', ENVIRONMENTS),
  };
}

function readRefundEnd(raw: Raw) {
  const externalReference = readText(raw, 'e');
  return { paymentId: readPayment(raw), refundId: readRefund(raw), externalReference };
}

function readPayment(raw: Raw): PaymentId {
  return readId(raw, 'i', parsePaymentId);
}

function readOrder(raw: Raw): OrderId {
  return readId(raw, 'o', parseOrderId);
}

function readRefund(raw: Raw): RefundId {
  return readId(raw, 'r', parseRefundId);
}

function readRails(raw: Raw): readonly RailName[] {
  return readListOf(raw, 'r', RAIL_NAMES);
}
