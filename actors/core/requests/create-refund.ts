// Parses the body of a refund request, and fingerprints it to recognise repeats.
import { hash } from 'node:crypto';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { parsePaymentId, type PaymentId } from '../ids.js';
import { type AmountError, type AmountMinor, parseAmount } from '../money.js';
import { type CreateRefundBody, CreateRefundRequest } from '../schemas/refund.js';
import { readFreeText, readTexts } from './sent-texts.js';
import {
  findFreeTextError,
  findSchemaError,
  type TextError,
  type ValidationError,
} from './validation.js';

export interface RefundRequest {
  readonly paymentId: PaymentId;
  /** null: all that is left. */
  readonly amountMinor: AmountMinor | null;
  readonly reason: string | null;
  readonly referenceId: string | null;
}

export type RefundRequestError = ValidationError<AmountError | TextError | 'payment_not_found'>;

const FORMAT = '1';
const DIGEST_CHARACTERS = 22;
const SCHEMA = TypeCompiler.Compile(CreateRefundRequest);
/** The schema has checked the digits, so the amount is zero. */
const AMOUNT_FAULT: RefundRequestError = {
  code: 'amount_out_of_range',
  param: 'amount',
  message: 'amount must be above 0 and at most the refundable_amount of the payment.',
};
const FREE_TEXTS = ['reason', 'reference_id'] as const;
const TEXTS = { reason: readFreeText, reference_id: readFreeText } as const;

/** `body` is parsed JSON. A malformed payment id is answered like an unknown one. */
export function parseRefundRequest(body: unknown): RefundRequest | RefundRequestError {
  const read = readTexts(body, TEXTS);
  return findSchemaError(SCHEMA, read, codeFor) ?? parseFields(read as CreateRefundBody);
}

function codeFor(param: string): 'amount_invalid' | 'field_invalid' {
  return param === 'amount' ? 'amount_invalid' : 'field_invalid';
}

function parseFields(body: CreateRefundBody): RefundRequest | RefundRequestError {
  const amountMinor = body.amount === undefined ? null : parseAmount(body.amount);
  if (typeof amountMinor === 'string') return AMOUNT_FAULT;
  for (const param of FREE_TEXTS) {
    const code = findFreeTextError(body[param] ?? '');
    if (code !== null) return { code, param };
  }
  const paymentId = parsePaymentId(body.payment_id);
  if (paymentId === undefined) return { code: 'payment_not_found', param: 'payment_id' };
  const { reason = null, reference_id: referenceId = null } = body;
  return { paymentId, amountMinor, reason, referenceId };
}

/** Equal for equal requests, even when their bytes differ; `<format>:<128 bits in base64url>`. */
export function fingerprintRefund(request: RefundRequest): string {
  const { paymentId, amountMinor, reason, referenceId } = request;
  const amount = amountMinor === null ? null : amountMinor.toString();
  const description = JSON.stringify([paymentId, amount, reason, referenceId]);
  return `${FORMAT}:${hash('sha256', description, 'base64url').slice(0, DIGEST_CHARACTERS)}`;
}
