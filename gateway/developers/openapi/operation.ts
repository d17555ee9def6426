// A route as an OpenAPI operation.
import type { TSchema } from '@sinclair/typebox';
import { listErrorCodes } from '#gateway/routing/route-errors.js';
import type { Route } from '#gateway/routing/route.js';
import { referToErrors } from './errors.js';
import type { OperationExamples } from './examples.js';
import { buildRef, type Json, type SchemaWriter } from './schemas.js';

const SECURITY: Readonly<Record<Route['auth'], readonly Json[]>> = {
  key: [{ bearer: [] }, { apiKey: [] }],
  session: [{ session: [] }, { sessionCookie: [] }],
  none: [],
};

export function describeOperation(route: Route, tag: string, deps: OperationDeps): Json {
  const { operationId = '', summary, description, body } = route;
  const examples = deps.examples[operationId] ?? NO_EXAMPLES;
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    security: SECURITY[route.auth],
    parameters: describeParameters(route, deps, examples),
    ...(body === undefined ? {} : { requestBody: describeBody(body, deps, examples) }),
    responses: {
      ...describeAnswers(route, deps, examples),
      ...referToErrors(listErrorCodes(route)),
    },
  };
}

function describeParameters(
  route: Route,
  { schemas }: OperationDeps,
  { params = {} }: OperationExamples,
): readonly Json[] {
  const inPath = Object.keys(route.params).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...showExample(params[name]),
  }));
  return [
    ...inPath,
    ...describeQuery(route, schemas),
    ...(route.isIdempotent ? [buildRef('parameters', 'IdempotencyKey')] : []),
    buildRef('parameters', 'Version'),
  ];
}

const showExample = (example: unknown): Json => (example === undefined ? {} : { example });

function describeQuery({ query }: Route, schemas: SchemaWriter): readonly Json[] {
  const properties = (query?.schema['properties'] ?? {}) as Record<string, TSchema>;
  const required = new Set((query?.schema['required'] ?? []) as string[]);
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = schemas.describe(property);
    return {
      name,
      in: 'query',
      required: required.has(name),
      ...(description === undefined ? {} : { description }),
      schema,
    };
  });
}

function describeBody(
  { schema, isOptional = false }: NonNullable<Route['body']>,
  { schemas }: OperationDeps,
  { body }: OperationExamples,
): Json {
  const media = { schema: schemas.describe(schema), ...showExample(body) };
  return { required: !isOptional, content: { 'application/json': media } };
}

export interface OperationDeps {
  readonly schemas: SchemaWriter;
  /** Of each answer. */
  readonly headers: Json;
  readonly examples: Readonly<Record<string, OperationExamples>>;
}

const NO_EXAMPLES: OperationExamples = { answers: {} };
const REPLAYED = { 'Idempotent-Replayed': buildRef('headers', 'IdempotentReplayed') };

function describeAnswers(route: Route, deps: OperationDeps, { answers }: OperationExamples): Json {
  const entries = Object.keys(route.answers).map((status) => {
    const isReplay = route.isIdempotent && status === '200';
    const description = isReplay
      ? 'Created by an earlier request with the same key and body.'
      : (DESCRIPTIONS[status] ?? 'Success.');
    const headers = { ...deps.headers, ...(isReplay ? REPLAYED : {}) };
    return [
      status,
      {
        description,
        headers,
        ...describeContent(route, status, { schemas: deps.schemas, example: answers[status] }),
      },
    ];
  });
  return Object.fromEntries(entries) as Json;
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  201: 'Created.',
  202: 'Accepted; it is not done yet.',
  204: 'Done.',
};

const CSV = {
  'text/csv': {
    schema: {
      type: 'string',
      description:
        'The whole list, with the column names in the first line. Texts are quoted, numbers are bare.',
    },
  },
};

function describeContent(
  { mediaType = 'text/html', hasCsv, answers }: Route,
  status: string,
  { schemas, example }: { readonly schemas: SchemaWriter; readonly example: unknown },
): Json {
  const schema = answers[Number(status)] ?? null;
  if (schema !== null) {
    const json = { schema: schemas.describe(schema), ...showExample(example) };
    return { content: { 'application/json': json, ...(hasCsv === true ? CSV : {}) } };
  }
  const type = mediaType === 'application/json' ? 'object' : 'string';
  return status === '200' ? { content: { [mediaType]: { schema: { type } } } } : {};
}
