// The operations of an OpenAPI document, and the check that an answer is described. Documents let answers get more fields;
// here an answer must have only the fields of its schema, so that each field is described.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Route } from '#gateway/routing/route.js';
import { listErrorCodes } from '#gateway/routing/route-errors.js';
import type { Json } from './arbitrary.js';

export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Json[];
  /** The schema of the JSON body; undefined: there is none. */
  readonly body: Json | undefined;
  /** The credential that it needs. */
  readonly credential: 'key' | 'session' | 'none';
  /** Explains why the answer is not described; undefined: it is. */
  findUndescribed(answer: ContractAnswer): string | undefined;
}

export interface ContractAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Headers;
  readonly text: string;
}

const ROOT = 'https://contract.test/';

/** The node at a path of keys; undefined: there is none. */
function at(tree: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? (node as Json)[key] : undefined),
    tree,
  );
}

export function createResolver(document: Json): (ref: string) => Json {
  return (ref) => at(document, ...ref.slice(2).split('/')) as Json;
}

/** The operations of `document`, which was generated from `routes`. */
export function listOperations(document: Json, routes: readonly Route[]): readonly Operation[] {
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema({ $id: ROOT, ...(closeObjects(document) as Json) });
  const compile = (schema: unknown): ValidateFunction =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${ROOT}#/`)) as object);
  return Object.entries(document['paths'] as Record<string, Json>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      describe({ document, routes, compile }, { path, method: method.toUpperCase(), operation }),
    ),
  );
}

interface Tools {
  readonly document: Json;
  readonly routes: readonly Route[];
  readonly compile: (schema: unknown) => ValidateFunction;
}

interface Place {
  readonly path: string;
  readonly method: string;
  readonly operation: unknown;
}

function describe(tools: Tools, { path, method, operation }: Place): Operation {
  const { document, routes, compile } = tools;
  const resolve = createResolver(document);
  const follow = (node: Json): Json =>
    typeof node['$ref'] === 'string' ? resolve(node['$ref']) : node;
  const responses = Object.fromEntries(
    Object.entries(at(operation, 'responses') as Record<string, Json>).map(([status, response]) => [
      status,
      follow(response),
    ]),
  );
  const route = routes.find((each) => each.path === path && each.method === method);
  if (route === undefined) throw new Error(`${method} ${path} is no route`);
  const codes: readonly string[] = listErrorCodes(route);
  const checks = new Map<string, ValidateFunction>();
  for (const [status, response] of Object.entries(responses)) {
    const schema = at(response, 'content', 'application/json', 'schema');
    if (schema !== undefined) checks.set(status, compile(schema));
  }
  const parameters = (at(operation, 'parameters') as Json[]).map(follow);
  return {
    name: `${method} ${path}`,
    method,
    path,
    parameters,
    body: at(operation, 'requestBody', 'content', 'application/json', 'schema') as Json | undefined,
    credential: findCredentialKind(at(operation, 'security') as Json[]),
    findUndescribed: (answer) => {
      const code = readErrorCode(answer);
      if (code !== undefined && !codes.includes(code)) return `the code ${code} is not described`;
      const isPage = !path.startsWith('/v1/');
      return explainUndescribed(
        { response: responses[String(answer.status)], isPage },
        checks,
        answer,
      );
    },
  };
}

/** undefined: the answer has no error body. */
function readErrorCode({ status, contentType, text }: ContractAnswer): string | undefined {
  if (status < 400 || !contentType.startsWith('application/json')) return undefined;
  return at(JSON.parse(text), 'error', 'code') as string | undefined;
}

/** The document with `additionalProperties: false` in each object schema that says nothing about other properties. */
function closeObjects(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closeObjects);
  if (typeof node !== 'object' || node === null) return node;
  const closed = Object.fromEntries(
    Object.entries(node).map(([key, child]) => [key, closeObjects(child)]),
  );
  const isOpen = closed['type'] === 'object' && 'properties' in closed;
  return isOpen ? { additionalProperties: false, ...closed } : closed;
}

function findCredentialKind([scheme]: readonly Json[]): Operation['credential'] {
  if (scheme === undefined) return 'none';
  return 'session' in scheme ? 'session' : 'key';
}

function explainUndescribed(
  { response, isPage }: { readonly response: unknown; readonly isPage: boolean },
  checks: ReadonlyMap<string, ValidateFunction>,
  { status, contentType, headers, text }: ContractAnswer,
): string | undefined {
  if (response === undefined) return `the status ${status} is not described: ${text.slice(0, 200)}`;
  const isLimit = (name: string): boolean => name.startsWith('RateLimit-');
  const optional = new Set(['Idempotent-Replayed', 'Retry-After']);
  const missing = Object.keys(at(response, 'headers') ?? {}).find(
    (name) =>
      !isLimit(name) &&
      !optional.has(name) &&
      !(isPage && name.endsWith('-Version')) &&
      !headers.has(name),
  );
  if (missing !== undefined) return `the header ${missing} is missing with ${status}`;
  if (!contentType.startsWith('application/json')) {
    const types = Object.keys(at(response, 'content') ?? {});
    const isKnown = types.length === 0 || types.includes('*/*') || status >= 400;
    const isDescribed = types.some((type) => contentType.startsWith(type));
    return isKnown || isDescribed ? undefined : `the media type ${contentType} is not described`;
  }
  const check = checks.get(String(status));
  if (check === undefined || check(JSON.parse(text))) return undefined;
  return `${status}: ${JSON.stringify(check.errors?.slice(0, 3))} in ${text.slice(0, 300)}`;
}
