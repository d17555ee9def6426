// Parses the body of a payout request, and fingerprints it to recognise repeats.
import { hash } from 'node:crypto';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { type AmountError, isCurrency, parseAmount } from '../money.js';
import type { PayoutRequest } from '../payout/state.js';
import { type CreatePayoutBody, CreatePayoutRequest } from '../schemas/payout.js';
import { removeSeparators } from '../typed-identifiers.js';
import { readFreeText, readTexts } from './sent-texts.js';
import {
  findFreeTextError,
  findSchemaError,
  type TextError,
  type ValidationError,
} from './validation.js';

export type PayoutRequestError = ValidationError<AmountError | TextError | 'currency_unsupported'>;

const FORMAT = '1';
const DIGEST_CHARACTERS = 22;
const DEFAULT_CURRENCY = 'IDR';
const SCHEMA = TypeCompiler.Compile(CreatePayoutRequest);
/** The schema has checked the digits, so the amount is zero. */
const AMOUNT_FAULT: PayoutRequestError = {
  code: 'amount_out_of_range',
  param: 'amount',
  message: 'amount must be above 0 and at most the available balance (GET /v1/balance).',
};
const FREE_TEXTS = ['account_holder', 'reference_id', 'description'] as const;
const TEXTS = {
  account_number: removeSeparators,
  account_holder: readFreeText,
  reference_id: readFreeText,
  description: readFreeText,
} as const;

/** `body` is parsed JSON. */
export function parsePayoutRequest(body: unknown): PayoutRequest | PayoutRequestError {
  const read = readTexts(body, TEXTS);
  return findSchemaError(SCHEMA, read, codeFor) ?? parseFields(read as CreatePayoutBody);
}

function codeFor(param: string): 'amount_invalid' | 'field_invalid' {
  return param === 'amount' ? 'amount_invalid' : 'field_invalid';
}

function parseFields(body: CreatePayoutBody): PayoutRequest | PayoutRequestError {
  const amountMinor = parseAmount(body.amount);
  if (typeof amountMinor === 'string') return AMOUNT_FAULT;
  const currency = body.currency ?? DEFAULT_CURRENCY;
  if (!isCurrency(currency)) return { code: 'currency_unsupported', param: 'currency' };
  for (const param of FREE_TEXTS) {
    const code = findFreeTextError(body[param] ?? '');
    if (code !== null) return { code, param };
  }
  return {
    amountMinor,
    currency,
    bankCode: body.bank_code,
    accountNumber: body.account_number,
    accountHolder: body.account_holder,
    referenceId: body.reference_id ?? null,
    description: body.description ?? null,
  };
}

/** Equal for equal requests, even when their bytes differ; `<format>:<128 bits in base64url>`. */
export function fingerprintPayout(request: PayoutRequest): string {
  const { amountMinor, currency, bankCode, accountNumber, accountHolder } = request;
  const account = [bankCode, accountNumber, accountHolder];
  const words = [request.referenceId, request.description];
  const description = JSON.stringify([amountMinor.toString(), currency, ...account, ...words]);
  return `${FORMAT}:${hash('sha256', description, 'base64url').slice(0, DIGEST_CHARACTERS)}`;
}
