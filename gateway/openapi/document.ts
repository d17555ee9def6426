// The OpenAPI 3.1 document. It is generated at start from the routes, the schemas and the error table, so it describes what
// is served.
import { DEFAULT_VERSION, VERSIONS } from '../auth/admission.js';
import type { Route } from '../routing/route.js';
import { describeOperation, buildOperationId, type OperationDeps, findTag } from './operation.js';
import { describeComponents, type Json } from './schemas.js';
import { describeWebhooks } from './webhooks.js';

export interface DocumentDeps extends OperationDeps {
  readonly brand: string;
}

/** @throws when two routes have the same operation id, or an example is missing */
export function describeApi(all: readonly Route[], deps: DocumentDeps): Json {
  const routes = all.filter(({ isHidden }) => isHidden !== true);
  const version = VERSIONS.at(-1) ?? '';
  assertDistinct(routes.map(buildOperationId));
  const tags = [...new Set(routes.map(({ path }) => findTag(path))), 'Webhooks'];
  return {
    openapi: '3.1.0',
    info: {
      title: `${deps.brand} API`,
      version,
      summary: 'Payments for merchants.',
      description: DESCRIPTION,
    },
    servers: [{ url: deps.baseUrl }],
    tags: tags.map((name) => ({ name })),
    paths: describePaths(routes, deps),
    webhooks: describeWebhooks(deps.brandHeader),
    components: {
      schemas: describeComponents(),
      securitySchemes: SECURITY_SCHEMES,
      headers: describeHeaders(version),
      parameters: describeParameters(deps.brandHeader, version),
    },
  };
}

const DESCRIPTION =
  'Amounts are strings of digits in minor units; one unit of IDR is one rupiah. Times are ISO 8601, UTC, with ' +
  'milliseconds. A field without a value is `null`. Unknown fields are errors. The prefix of the key selects the ' +
  'environment: `sk_test_` is TEST, `sk_live_` is LIVE.';

function assertDistinct(ids: readonly string[]): void {
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined)
    throw new Error(`two routes have the operation id ${twice}: change the summary of one`);
}

function describePaths(routes: readonly Route[], deps: OperationDeps): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const operations = (paths[route.path] ??= {});
    operations[route.method.toLowerCase()] = describeOperation(route, deps);
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

function describeHeaders(version: string): Json {
  const text = (description: string, example?: string): Json => ({
    description,
    schema: { type: 'string' },
    ...(example === undefined ? {} : { example }),
  });
  const whole = (description: string): Json => ({ description, schema: { type: 'integer' } });
  return {
    RequestId: text('The id of this request; also in the error body and in our logs.'),
    Version: text('The version that answered.', version),
    IdempotentReplayed: text('`true`: an earlier request with this key created it.', 'true'),
    RateLimitLimit: whole('Requests that are allowed at once.'),
    RateLimitRemaining: whole('Requests that are still allowed now.'),
    RateLimitReset: whole('Seconds until all of them are allowed again.'),
    RetryAfter: whole('Seconds to wait before the next attempt.'),
  };
}

function describeParameters(brandHeader: string, version: string): Json {
  return {
    Version: {
      name: `${brandHeader}-Version`,
      in: 'header',
      required: false,
      description: `Absent: \`${DEFAULT_VERSION}\`.`,
      schema: { type: 'string', enum: VERSIONS },
      example: version,
    },
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
  };
}
