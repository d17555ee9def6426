// An OpenAPI 3.1 document. It is generated at start from the routes, the schemas and the error table, so it describes what
// is served.
import { DEFAULT_VERSION, VERSIONS } from '#gateway/auth/admission.js';
import { createSessionCookie } from '#gateway/auth/session-cookie.js';
import { ERRORS, type ErrorCode } from '#gateway/routing/errors.js';
import { listErrorCodes } from '#gateway/routing/route-errors.js';
import type { Route } from '#gateway/routing/route.js';
import { type ApiDocument, findTag, selectRoutes } from './documents.js';
import { describeErrorResponses } from './errors.js';
import { describeOperation, type OperationDeps } from './operation.js';
import { readExamples } from './examples.js';
import { buildRef, createSchemaWriter, type Json } from './schemas.js';
import { describeWebhooks } from './webhooks.js';

export interface DocumentDeps {
  readonly brand: string;
  readonly brandHeader: string;
  readonly baseUrl: string;
}

/** @throws when two routes have the same operation id, or two schemas the same title */
export function describeApi(
  document: ApiDocument,
  all: readonly Route[],
  { brand, brandHeader, baseUrl }: DocumentDeps,
): Json {
  const routes = selectRoutes(document, all);
  assertDistinct(routes);
  const isIdempotent = routes.some((route) => route.isIdempotent);
  const schemas = createSchemaWriter();
  const examples = readExamples(brandHeader);
  const headers = referToHeaders(brandHeader);
  const codes = new Set(routes.flatMap(listErrorCodes));
  const inOrder = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
  const { title, summary, tags, hasWebhooks } = document;
  const version = VERSIONS.at(-1) ?? '';
  return {
    openapi: '3.1.0',
    info: {
      title: `${brand} ${title}`,
      version,
      summary,
      description: DESCRIPTION,
      contact: { name: brand, url: `${baseUrl}/docs` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    tags: [...tags, ...(hasWebhooks ? [WEBHOOKS] : [])].map(({ name, description }) => ({
      name,
      description,
    })),
    paths: describePaths(document, routes, { schemas, headers, examples: examples.operations }),
    ...(hasWebhooks ? { webhooks: describeWebhooks(brandHeader, schemas, examples.webhooks) } : {}),
    components: {
      responses: describeErrorResponses(inOrder, { baseUrl, headers, schemas }),
      schemas: schemas.components,
      securitySchemes: selectSecuritySchemes(routes, createSessionCookie(baseUrl).name),
      headers: { ...describeHeaders(version), ...(isIdempotent ? REPLAYED : {}) },
      parameters: {
        ...describeVersion(brandHeader, version),
        ...(isIdempotent ? IDEMPOTENCY_KEY : {}),
      },
    },
  };
}

const WEBHOOKS = { name: 'Webhooks', description: 'Requests that your endpoints receive.' };

const DESCRIPTION =
  'Amounts are strings of digits in minor units; one unit of IDR is one rupiah. Times are ISO 8601, UTC, with ' +
  'milliseconds. A field without a value is `null` in answers. In requests `null` means that the field is absent; where ' +
  'the schema of a field allows `null`, it clears the field. An empty array is taken for an empty object where only an ' +
  'object is allowed. Unknown fields are errors. The prefix of the key selects the ' +
  'environment: `sk_test_` is TEST, `sk_live_` is LIVE.';

function assertDistinct(routes: readonly Route[]): void {
  const ids = routes.map(({ operationId }) => operationId);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined)
    throw new Error(`two routes have the operation id ${twice}: change that of one`);
}

function describePaths(document: ApiDocument, routes: readonly Route[], deps: OperationDeps): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const operations = (paths[route.path] ??= {});
    const tag = findTag(document, route.path)?.name ?? '';
    operations[route.method.toLowerCase()] = describeOperation(route, tag, deps);
  }
  return paths;
}

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A secret key: `sk_test_…`, `sk_live_…`.',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'The same key.' },
  session: {
    type: 'http',
    scheme: 'bearer',
    description: 'A session of the dashboard, from `POST /v1/auth/login`: `cs_…`.',
  },
} as const;

function selectSecuritySchemes(routes: readonly Route[], cookieName: string): Json {
  const { session, ...keys } = SECURITY_SCHEMES;
  const has = (auth: Route['auth']): boolean => routes.some((route) => route.auth === auth);
  const sessionCookie = {
    type: 'apiKey',
    in: 'cookie',
    name: cookieName,
    description:
      'The same session in a browser, from `POST /v1/auth/login` with `cookie: true`. It counts when no other credential is ' +
      'sent. A request that is not GET then needs the header `Origin` of this host, which browsers add.',
  };
  return {
    ...(has('key') ? keys : {}),
    ...(has('session') ? { session, sessionCookie } : {}),
  };
}

/** Each answer has these. */
function referToHeaders(brandHeader: string): Json {
  return {
    [`${brandHeader}-Request-Id`]: buildRef('headers', 'RequestId'),
    [`${brandHeader}-Version`]: buildRef('headers', 'Version'),
    'RateLimit-Limit': buildRef('headers', 'RateLimitLimit'),
    'RateLimit-Remaining': buildRef('headers', 'RateLimitRemaining'),
    'RateLimit-Reset': buildRef('headers', 'RateLimitReset'),
  };
}

function describeHeaders(version: string): Json {
  const text = (description: string): Json => ({ description, schema: { type: 'string' } });
  const whole = (description: string): Json => ({ description, schema: { type: 'integer' } });
  return {
    RequestId: text('The id of this request; also in the error body and in our logs.'),
    Version: { ...text('The version that answered.'), example: version },
    RateLimitLimit: whole('Requests that are allowed at once.'),
    RateLimitRemaining: whole('Requests that are still allowed now.'),
    RateLimitReset: whole('Seconds until all of them are allowed again.'),
    RetryAfter: whole('Seconds to wait before the next attempt.'),
  };
}

const REPLAYED = {
  IdempotentReplayed: {
    description: '`true`: an earlier request with this key created it.',
    schema: { type: 'string' },
    example: 'true',
  },
} as const;

function describeVersion(brandHeader: string, version: string): Json {
  return {
    Version: {
      name: `${brandHeader}-Version`,
      in: 'header',
      required: false,
      description: `Absent: \`${DEFAULT_VERSION}\`.`,
      schema: { type: 'string', enum: VERSIONS },
      example: version,
    },
  };
}

const IDEMPOTENCY_KEY = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Identifies this operation for ever: a repeat with the same body returns the same object, with another ' +
      'body 409. Required with a live key. Printable ASCII.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '0d6a7c5e-8a4e-4d0b-9f4e-3b1f0a2c6d10',
  },
} as const;
