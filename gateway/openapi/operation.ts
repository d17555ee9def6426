// A route as an OpenAPI operation.
import type { TSchema } from '@sinclair/typebox';
import { listErrorCodes } from '../routing/route-errors.js';
import type { Route } from '../routing/route.js';
import { describeErrors } from './errors.js';
import { describeSchema, type Json } from './schemas.js';
import { buildSample } from './sample.js';

export interface OperationDeps {
  readonly brandHeader: string;
  readonly baseUrl: string;
}

const TAGS: readonly (readonly [prefix: string, tag: string])[] = [
  ['/v1/payments', 'Payments'],
  ['/v1/refunds', 'Refunds'],
  ['/v1/payment-methods', 'Payment methods'],
  ['/v1/balance', 'Balance'],
  ['/v1/payouts', 'Payouts'],
  ['/v1/events', 'Events'],
  ['/v1/sandbox', 'Sandbox'],
  ['/v1/auth', 'Accounts'],
  ['/v1/merchants/kyc', 'KYC'],
  ['/v1/merchants/me/api-keys', 'API keys'],
  ['/v1/merchants/me/webhooks', 'Webhook endpoints'],
  ['/v1/merchants/me/payment-links', 'Payment links'],
  ['/v1/merchants/me/invoices', 'Invoices'],
  ['/v1/merchants/me/payments', 'Transactions'],
  ['/v1/merchants/me/api-logs', 'API logs'],
  ['/v1/merchants/me/refunds', 'Transactions'],
  ['/v1/merchants/me/balance', 'Transactions'],
  ['/v1/merchants/me/events', 'Transactions'],
  ['/v1/merchants', 'Merchant'],
  ['/v1/admin', 'Administration'],
  ['/checkout', 'Hosted page'],
  ['/pay', 'Payment links'],
  ['/invoice', 'Invoices'],
  ['/docs', 'Documentation'],
  ['/assets', 'Documentation'],
  ['/', 'Health'],
];
const ARTICLES = new Set(['a', 'an', 'the', 'of', 'or', 'be']);
const MAX_ID_WORDS = 5;
const SAMPLES_OF_PARAMS: Readonly<Record<string, string>> = {
  payment_id: 'pay_5jz8q4m1n7v2c9k3x6w0t4h8rb',
  refund_id: 'ref_2m7w1p9d4c8x3k6v0n5j1q7tzh',
  payout_id: 'po_6c1n8v4x2m9w7k3q5z0t1j4hbr',
  event_id: 'evt_5jz8q4m1n7v2c9k3x6w0t4h8rb0002',
  asset: 'icon.3f2c1a9b8d7e.svg',
  user_id: 'usr_5jz8q4m1n7v2c9k3x6w0t4h8rb',
  session_id: 'ses_5jz8q4m1n7v2c9k3x6w0t4h8rb',
  webhook_id: 'we_5jz8q4m1n7v2c9k3x6w0t4h8rb',
  delivery_id: 'del_0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  request_id: 'req_4f1f7dc669b8b5d68fc900000a',
  replay_id: 'rpl_5jz8q4m1n7v2c9k3x6w0t4h8rb',
  api_key_id: 'key_5jz8q4m1n7v2c9k3x6w0t4h8rb',
  merchant_id: 'mer_5jz8q4m1n7v2c9k3x6w0t4h8rb',
  document_id: 'doc_5jz8q4m1n7v2c9k3x6w0t4h8rb',
  payment_link_id: 'plink_5jz8q4m1n7v2c9k3x6w0t4h8rb',
  slug: '5jz8q4m1n7v2c9k3',
  task_id: 'task_5jz8q4m1n7v2c9k3x6w0t4h8rb000200',
  approval_id: 'appr_5jz8q4m1n7v2c9k3x6w0t4h8rb',
  invoice_id: 'inv_5jz8q4m1n7v2c9k3x6w0t4h8rb',
  erasure_id: 'era_5jz8q4m1n7v2c9k3x6w0t4h8rb',
};

const SECURITY: Readonly<Record<Route['auth'], readonly Json[]>> = {
  key: [{ bearer: [] }, { apiKey: [] }],
  session: [{ session: [] }],
  none: [],
};

export function findTag(path: string): string {
  return TAGS.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'Other';
}

/** `Create a payment` is `createPayment`. */
export function buildOperationId(route: Route): string {
  const words = route.summary
    .replace(/,.*$/, '')
    .replace(/[^A-Za-z ]/g, '')
    .toLowerCase()
    .split(' ')
    .filter((word) => word !== '' && !ARTICLES.has(word))
    .slice(0, MAX_ID_WORDS);
  const [first = '', ...rest] = words;
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

export function describeOperation(route: Route, deps: OperationDeps): Json {
  const headers = describeHeaders(route, deps);
  return {
    operationId: buildOperationId(route),
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [findTag(route.path)],
    security: SECURITY[route.auth],
    parameters: describeParameters(route, deps),
    ...(route.body === undefined ? {} : { requestBody: describeBody(route.body) }),
    responses: {
      ...describeAnswers(route, headers),
      ...describeErrors(listErrorCodes(route), { baseUrl: deps.baseUrl, headers }),
    },
  };
}

const isVersioned = ({ path }: Route): boolean => path.startsWith('/v1/');

function describeHeaders(route: Route, { brandHeader }: OperationDeps): Json {
  const ref = (name: string) => ({ $ref: `#/components/headers/${name}` });
  const limits = ['Limit', 'Remaining', 'Reset'].map((word) => [
    `RateLimit-${word}`,
    ref(`RateLimit${word}`),
  ]);
  return {
    [`${brandHeader}-Request-Id`]: ref('RequestId'),
    ...(isVersioned(route) ? { [`${brandHeader}-Version`]: ref('Version') } : {}),
    ...(route.limit !== undefined ? (Object.fromEntries(limits) as Json) : {}),
  };
}

function describeParameters(route: Route, { brandHeader }: OperationDeps): readonly Json[] {
  const inPath = Object.keys(route.params).map((name) => {
    const example = SAMPLES_OF_PARAMS[name];
    if (example === undefined)
      throw new Error(`the path parameter ${name} needs an example in SAMPLES_OF_PARAMS`);
    return { name, in: 'path', required: true, schema: { type: 'string' }, example };
  });
  const version = { $ref: `#/components/parameters/Version` };
  const key = { $ref: '#/components/parameters/IdempotencyKey' };
  return [
    ...inPath,
    ...describeQuery(route),
    ...(route.isIdempotent ? [key] : []),
    ...(isVersioned(route) && brandHeader !== '' ? [version] : []),
  ];
}

function describeQuery(route: Route): readonly Json[] {
  const schema: TSchema | undefined = route.query?.schema;
  const properties = (schema?.['properties'] ?? {}) as Record<string, TSchema>;
  const required = new Set((schema?.['required'] ?? []) as string[]);
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = describeSchema(property);
    return {
      name,
      in: 'query',
      required: required.has(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function describeBody(body: NonNullable<Route['body']>): Json {
  const media = { schema: describeSchema(body.schema), example: buildSample(body.schema) };
  const form = { schema: media.schema };
  const isForm = body.checkForm !== undefined;
  return {
    required: true,
    content: {
      'application/json': media,
      ...(isForm ? { 'application/x-www-form-urlencoded': form } : {}),
    },
  };
}

const REPLAYED = { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } };
const LOCATION = {
  Location: { description: 'The next page.', schema: { type: 'string' } },
};

function describeAnswers(route: Route, headers: Json): Json {
  const entries = Object.entries(route.answers).map(([status, schema]) => {
    const extra = {
      ...(route.isIdempotent && status === '200' ? REPLAYED : {}),
      ...(status === '303' ? LOCATION : {}),
    };
    const description = describeStatus(route, status);
    return [
      status,
      { description, headers: { ...headers, ...extra }, ...describeContent(route, status, schema) },
    ];
  });
  return Object.fromEntries(entries) as Json;
}

function describeStatus(route: Route, status: string): string {
  if (status === '201') return 'Created.';
  if (status === '303') return 'See the page at `Location`.';
  if (status === '304') return 'Not modified.';
  return route.isIdempotent
    ? 'Created by an earlier request with the same key and body.'
    : 'Success.';
}

const CSV = {
  'text/csv': {
    schema: {
      type: 'string',
      description: 'The whole list, with the column names in the first line.',
    },
  },
};

function describeContent(route: Route, status: string, schema: TSchema | null): Json {
  if (schema !== null) {
    const content = { schema: describeSchema(schema), example: buildSample(schema) };
    return { content: { 'application/json': content, ...(route.hasCsv === true ? CSV : {}) } };
  }
  if (status !== '200') return {};
  const { mediaType = 'text/html' } = route;
  const described = { type: mediaType === 'application/json' ? 'object' : 'string' };
  return { content: { [mediaType]: { schema: described } } };
}
