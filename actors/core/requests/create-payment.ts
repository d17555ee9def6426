// Parses the body of a create request: its texts lose hidden characters (sent-texts.ts), then it is checked by its schema,
// and then by the rules that a schema cannot express. The amount loses its leading zeros.
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { type AmountError, type AmountMinor, isCurrency, parseAmount } from '../money.js';
import {
  describeAmountRange,
  isAmountWithinRange,
  isPaymentMethodId,
  type PaymentMethodId,
} from '../payment-methods.js';
import type { PaymentRequest } from '../payment/state.js';
import { isTestOnlyUrl } from '../urls.js';
import { EMAIL_REQUIREMENT, PHONE_REQUIREMENT } from '../schemas/fields.js';
import {
  type CreatePaymentBody,
  CreatePaymentRequest,
  MAX_METADATA_KEY_LENGTH,
} from '../schemas/payment.js';
import {
  readFreeText,
  readSentEmail,
  readSentPhone,
  readSentUrl,
  readTextMap,
  readTexts,
} from './sent-texts.js';
import {
  findEmailError,
  findFreeTextError,
  findSchemaError,
  findPageUrlError,
  findPhoneError,
  isWithinLength,
  type TextError,
  type ValidationError,
} from './validation.js';

type FaultCode =
  AmountError | TextError | 'currency_unsupported' | 'payment_method_unavailable' | 'url_invalid';
export type PaymentRequestError = ValidationError<FaultCode>;

const DEFAULT_CURRENCY = 'IDR';
const NAME_FAULT: PaymentRequestError = {
  code: 'field_invalid',
  param: 'metadata',
  message: `metadata must have names of 1 to ${MAX_METADATA_KEY_LENGTH} characters.`,
};
const EMAIL_FAULT: PaymentRequestError = {
  code: 'field_invalid',
  param: 'customer_email',
  message: `customer_email ${EMAIL_REQUIREMENT}.`,
};
const PHONE_FAULT: PaymentRequestError = {
  code: 'field_invalid',
  param: 'customer_phone',
  message: `customer_phone ${PHONE_REQUIREMENT}.`,
};
const SCHEMA = TypeCompiler.Compile(CreatePaymentRequest);
const TEXTS = {
  description: readFreeText,
  reference_id: readFreeText,
  customer_name: readFreeText,
  customer_email: readSentEmail,
  customer_phone: readSentPhone,
  success_url: readSentUrl,
  cancel_url: readSentUrl,
} as const satisfies Partial<Record<keyof CreatePaymentBody, unknown>>;

export function isValidationError(
  parsed: PaymentRequest | PaymentRequestError,
): parsed is PaymentRequestError {
  return 'code' in parsed;
}

/** `body` is parsed JSON. */
export function parseCreateRequest(body: unknown): PaymentRequest | PaymentRequestError {
  const read = readMetadata(readTexts(body, TEXTS));
  return findSchemaError(SCHEMA, read, codeFor) ?? parseFields(read as CreatePaymentBody);
}

function readMetadata(body: unknown): unknown {
  const metadata = (body as Partial<CreatePaymentBody> | null | undefined)?.metadata;
  const read = readTextMap(metadata);
  return read === metadata ? body : { ...(body as object), metadata: read };
}

/** A rule that needs the environment, which the parser of a body does not know. */
export function findTestOnlyParam({ successUrl, cancelUrl }: PaymentRequest): string | null {
  if (successUrl !== null && isTestOnlyUrl(successUrl)) return 'success_url';
  return cancelUrl !== null && isTestOnlyUrl(cancelUrl) ? 'cancel_url' : null;
}

function codeFor(param: string): FaultCode {
  if (param === 'amount') return 'amount_invalid';
  return param === 'success_url' || param === 'cancel_url' ? 'url_invalid' : 'field_invalid';
}

function parseFields(body: CreatePaymentBody): PaymentRequest | PaymentRequestError {
  const currency = body.currency ?? DEFAULT_CURRENCY;
  if (!isCurrency(currency)) return { code: 'currency_unsupported', param: 'currency' };
  const paymentMethod = body.payment_method ?? null;
  if (paymentMethod !== null && !isPaymentMethodId(paymentMethod)) {
    return { code: 'payment_method_unavailable', param: 'payment_method' };
  }
  const amountMinor = readAmount(body.amount, paymentMethod);
  if (typeof amountMinor === 'object') return amountMinor;
  const fault = findTextFault(body);
  if (fault !== null) return fault;
  return {
    amountMinor,
    currency,
    description: body.description ?? null,
    referenceId: body.reference_id ?? null,
    paymentMethod,
    customerName: body.customer_name ?? null,
    customerEmail: body.customer_email ?? null,
    customerPhone: body.customer_phone ?? null,
    successUrl: body.success_url ?? null,
    cancelUrl: body.cancel_url ?? null,
    metadata: body.metadata ?? {},
    expiresInS: body.expires_in ?? null,
  };
}

/** The schema has checked the digits. */
function readAmount(
  text: string,
  method: PaymentMethodId | null,
): AmountMinor | PaymentRequestError {
  const amount = parseAmount(text);
  if (typeof amount !== 'string' && isAmountWithinRange(amount, method)) return amount;
  const message = `amount must be ${describeAmountRange(method)}.`;
  return { code: 'amount_out_of_range', param: 'amount', message };
}

const FREE_TEXTS = ['description', 'reference_id', 'customer_name'] as const;
const URLS = ['success_url', 'cancel_url'] as const;

function findTextFault(body: CreatePaymentBody): PaymentRequestError | null {
  for (const param of FREE_TEXTS) {
    const value = body[param];
    const code = value === undefined ? null : findFreeTextError(value);
    if (code !== null) return { code, param };
  }
  for (const param of URLS) {
    const value = body[param];
    const code = value === undefined ? null : findPageUrlError(value);
    if (code !== null) return { code, param };
  }
  return findContactFault(body) ?? findMetadataFault(body.metadata);
}

function findContactFault(body: CreatePaymentBody): PaymentRequestError | null {
  const { customer_email: email, customer_phone: phone } = body;
  const code = email === undefined ? null : findEmailError(email);
  if (code === 'field_invalid') return EMAIL_FAULT;
  if (code !== null) return { code, param: 'customer_email' };
  const phoneCode = phone === undefined ? null : findPhoneError(phone);
  if (phoneCode === 'field_invalid') return PHONE_FAULT;
  return phoneCode === null ? null : { code: phoneCode, param: 'customer_phone' };
}

/** The error does not repeat an invalid name, which may be a card number. */
function findMetadataFault(metadata: CreatePaymentBody['metadata']): PaymentRequestError | null {
  if (metadata === undefined) return null;
  for (const [key, value] of Object.entries(metadata)) {
    if (key === '' || !isWithinLength(key, MAX_METADATA_KEY_LENGTH)) return NAME_FAULT;
    const keyFault = findFreeTextError(key);
    if (keyFault !== null) return { code: keyFault, param: 'metadata' };
    // A name such as "cvv" tells the meaning of its value.
    const code = findFreeTextError(value) ?? findFreeTextError(`${key}: ${value}`);
    if (code !== null) return { code, param: `metadata.${key}` };
  }
  return null;
}
