// The error answers of an operation: one response per status, with an example for each code.
import { ERRORS, type ErrorCode } from '../routing/errors.js';
import { type Json, buildRef } from './schemas.js';

const EXAMPLE_REQUEST_ID = 'req_7c9e6679f4b8d1a25e30000001';
const EXAMPLE_PAYMENT_ID = 'pay_5jz8q4m1n7v2c9k3x6w0t4h8rb';
const NAMES_PAYMENT: readonly ErrorCode[] = ['payment_processing_failed', 'outcome_unknown'];
const RETRY_STATUSES = [429, 503];

const TITLES: Readonly<Record<number, string>> = {
  400: 'Something in the request is invalid.',
  401: 'The credential is missing or wrong.',
  403: 'The credential does not allow this.',
  404: 'There is no such object.',
  409: 'The request conflicts with the state of the object.',
  413: 'The body is too large.',
  415: 'The media type of the body is not supported.',
  429: 'Too many requests.',
  500: 'An error on our side.',
  502: 'The payment could not be processed.',
  503: 'Nothing was accepted; try again.',
  504: 'The outcome is not known yet.',
};

export interface ErrorDeps {
  readonly baseUrl: string;
  /** References to the headers of each answer of the operation. */
  readonly headers: Json;
}

export function describeErrors(codes: readonly ErrorCode[], deps: ErrorDeps): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const entries = [...byStatus].map(([status, group]) => [
    String(status),
    describeResponse(status, group, deps),
  ]);
  return Object.fromEntries(entries) as Json;
}

function describeResponse(status: number, codes: readonly ErrorCode[], deps: ErrorDeps): Json {
  const list = codes.map((code) => `\`${code}\``).join(', ');
  const retryAfter = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };
  return {
    description: `${TITLES[status] ?? 'An error.'} Codes: ${list}.`,
    headers: RETRY_STATUSES.includes(status) ? { ...deps.headers, ...retryAfter } : deps.headers,
    content: {
      'application/json': {
        schema: {
          allOf: [
            buildRef('Error'),
            { properties: { error: { properties: { code: { enum: codes } } } } },
          ],
        },
        examples: Object.fromEntries(codes.map((code) => [code, describeExample(code, deps)])),
      },
    },
  };
}

function describeExample(code: ErrorCode, { baseUrl }: ErrorDeps): Json {
  const { type, message } = ERRORS[code];
  const error = {
    type,
    code,
    message,
    param: null,
    request_id: EXAMPLE_REQUEST_ID,
    doc_url: `${baseUrl}/docs#errors/${code}`,
    ...(NAMES_PAYMENT.includes(code) ? { payment_id: EXAMPLE_PAYMENT_ID } : {}),
  };
  return { summary: message, value: { error } };
}
