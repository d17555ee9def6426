// The error answers: one response and one schema per status, shared by all operations of a document. An operation refers
// to the response and lists its own codes in words.
import { ErrorSchema } from '#actors/core/schemas/fields.js';
import { ERROR_HELP } from '#gateway/routing/error-help.js';
import { ERRORS, type ErrorCode } from '#gateway/routing/errors.js';
import { type Json, buildRef, type SchemaWriter } from './schemas.js';

const EXAMPLE_REQUEST_ID = 'req_7c9e6679f4b8d1a25e30000001';
const EXAMPLE_PAYMENT_ID = 'pay_5jz8q4m1n7v2c9k3x6w0t4h8rb';
const NAMES_PAYMENT: readonly ErrorCode[] = ['payment_processing_failed', 'outcome_unknown'];
const RETRY_STATUSES = [429, 503];

const RESPONSES: Readonly<Record<number, readonly [name: string, title: string]>> = {
  400: ['BadRequest', 'Something in the request is invalid.'],
  401: ['Unauthorized', 'The credential is missing or wrong.'],
  403: ['Forbidden', 'The credential does not allow this.'],
  404: ['NotFound', 'There is no such object.'],
  409: ['Conflict', 'The request conflicts with the state of the object.'],
  413: ['BodyTooLarge', 'The body is too large.'],
  415: ['UnsupportedMediaType', 'The media type of the body is not supported.'],
  429: ['RateLimited', 'Too many requests.'],
  500: ['Internal', 'An error on our side.'],
  502: ['ProcessingFailed', 'The payment could not be processed.'],
  503: ['Unavailable', 'Nothing was accepted; try again.'],
  504: ['OutcomeUnknown', 'The outcome is not known yet.'],
};

function findResponse(status: number): readonly [name: string, title: string] {
  const found = RESPONSES[status];
  if (found === undefined) throw new Error(`the status ${status} needs a row in RESPONSES`);
  return found;
}

function groupByStatus(codes: readonly ErrorCode[]): readonly (readonly [number, ErrorCode[]])[] {
  const groups = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERRORS[code];
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return [...groups];
}

/** The error answers of an operation. */
export function referToErrors(codes: readonly ErrorCode[]): Json {
  const entries = groupByStatus(codes).map(([status, group]) => {
    const [name, title] = findResponse(status);
    const list = group.map((code) => `\`${code}\``).join(', ');
    return [status, { ...buildRef('responses', name), description: `${title} Codes: ${list}.` }];
  });
  return Object.fromEntries(entries) as Json;
}

export interface ErrorDeps {
  readonly baseUrl: string;
  readonly headers: Json;
  readonly schemas: SchemaWriter;
}

/** `codes` are those of all operations of the document. */
export function describeErrorResponses(codes: readonly ErrorCode[], deps: ErrorDeps): Json {
  const entries = groupByStatus(codes).map(([status, group]) => [
    findResponse(status)[0],
    describeResponse(status, group, deps),
  ]);
  return Object.fromEntries(entries) as Json;
}

function describeResponse(status: number, codes: readonly ErrorCode[], deps: ErrorDeps): Json {
  const { headers, schemas, baseUrl } = deps;
  const [name, description] = findResponse(status);
  const retryAfter = { 'Retry-After': buildRef('headers', 'RetryAfter') };
  const error = {
    ...ErrorSchema.properties.error,
    properties: {
      ...ErrorSchema.properties.error.properties,
      type: { type: 'string', enum: [...new Set(codes.map((code) => ERRORS[code].type))] },
      code: { type: 'string', description: 'What programs look at.', enum: codes },
    },
  };
  const schema = { ...ErrorSchema, title: `${name}Error`, description, properties: { error } };
  const examples = codes.map((code) => [code, describeExample(code, baseUrl)]);
  return {
    description,
    headers: RETRY_STATUSES.includes(status) ? { ...headers, ...retryAfter } : headers,
    content: {
      'application/json': {
        schema: schemas.describe(schema),
        examples: Object.fromEntries(examples) as Json,
      },
    },
  };
}

function describeExample(code: ErrorCode, baseUrl: string): Json {
  const { type, message } = ERRORS[code];
  const error = {
    type,
    code,
    message,
    param: null,
    request_id: EXAMPLE_REQUEST_ID,
    doc_url: `${baseUrl}/docs/errors#${code}`,
    ...(NAMES_PAYMENT.includes(code) ? { payment_id: EXAMPLE_PAYMENT_ID } : {}),
  };
  const { cause, remedy } = ERROR_HELP[code];
  return { summary: message, description: `${cause} ${remedy}`, value: { error } };
}
