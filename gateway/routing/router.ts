// Finds the route of a method and path. It is built once from all routes; two routes with one method and path, or a
// path that cannot be matched, stop the start. Segments are compared undecoded: no path needs percent-encoding, so an
// encoded path is a different one, and an id must parse as it was sent.
import { expectsContinue, type Head } from './request.js';
import { type ApiError, buildApiError } from './response.js';
import type { Route } from './route.js';
import { isPage, SLASH_ROUTE } from './slash-route.js';

const MAX_SEGMENTS = 12;

interface Node {
  readonly literals: Map<string, Node>;
  /** The child of a `{parameter}` segment. */
  parameter: Node | undefined;
  /** Routes by method; undefined: no route ends here. */
  routes: Map<string, Route> | undefined;
  /** The value of Allow. */
  allow: string;
}

export interface FoundRoute {
  readonly routes: ReadonlyMap<string, Route>;
  readonly allow: string;
  /** The segments of the `{…}` parameters, in order. */
  readonly values: readonly string[];
}

/** A request whose route is found. */
export interface OpenedRequest {
  readonly code: null;
  readonly route: Route;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface Router {
  /** undefined: no route has this path. */
  find(path: string): FoundRoute | undefined;
}

const NO_VALUES: readonly string[] = [];
const NO_PARAMS: Readonly<Record<string, unknown>> = {};
const NO_PATH = buildApiError('path_not_found');
const WRONG_EXPECTATION = buildApiError('expectation_unsupported', { param: 'Expect' });

export function createRouter(routes: readonly Route[]): Router {
  const root = createNode();
  const statics = new Map<string, FoundRoute>();
  for (const route of routes) addRoute(root, route);
  for (const route of routes) {
    if (route.path.includes('{')) continue;
    const found = findNode(root, route.path);
    if (found !== undefined) statics.set(route.path, found);
  }
  return { find: (path) => statics.get(path) ?? findNode(root, path) };
}

/** Finds the route and parses the ids in the path. */
export function openRequest(router: Router, head: Head): OpenedRequest | ApiError {
  const found = router.find(head.path);
  if (found === undefined) return openPageWithSlash(router, head) ?? NO_PATH;
  const route = found.routes.get(head.method === 'HEAD' ? 'GET' : head.method);
  if (route === undefined) {
    return buildApiError('method_not_allowed', {
      message: `This path takes ${found.allow} only.`,
      headers: [['Allow', found.allow]],
    });
  }
  if (head.invalidHeader !== '') {
    const message = `${head.invalidHeader} must be sent once, with a valid value.`;
    return buildApiError('field_invalid', { message, param: head.invalidHeader });
  }
  if (head.expect !== '' && !expectsContinue(head)) return WRONG_EXPECTATION;
  if (head.contentEncoding !== '' && head.contentEncoding.toLowerCase() !== 'identity') {
    const message = 'The body must be sent as it is, without Content-Encoding.';
    return buildApiError('media_type_unsupported', { message, param: 'Content-Encoding' });
  }
  if (found.values.length === 0) return { code: null, route, params: NO_PARAMS };
  return parseParams(route, found);
}

function openPageWithSlash(router: Router, { path, method }: Head): OpenedRequest | undefined {
  if (!path.endsWith('/') || (method !== 'GET' && method !== 'HEAD')) return undefined;
  const route = router.find(path.slice(0, -1))?.routes.get('GET');
  const isFound = route !== undefined && isPage(route);
  return isFound ? { code: null, route: SLASH_ROUTE, params: NO_PARAMS } : undefined;
}

function parseParams(route: Route, found: FoundRoute): OpenedRequest | ApiError {
  const params: Record<string, unknown> = {};
  let index = 0;
  for (const name in route.params) {
    const param = route.params[name];
    const value = param?.parse(found.values[index] ?? '');
    if (param === undefined || value === undefined)
      return buildApiError(param?.code ?? 'path_not_found');
    params[name] = value;
    index += 1;
  }
  return { code: null, route, params };
}

function createNode(): Node {
  return { literals: new Map(), parameter: undefined, routes: undefined, allow: '' };
}

function addRoute(root: Node, route: Route): void {
  const segments = route.path.split('/').slice(1);
  if (!route.path.startsWith('/') || segments.length > MAX_SEGMENTS) {
    throw new Error(
      `path ${route.path} must begin with / and have at most ${MAX_SEGMENTS} segments`,
    );
  }
  const names = segments.filter(isParameter).map((segment) => segment.slice(1, -1));
  if (names.join() !== Object.keys(route.params).join()) {
    throw new Error(`path ${route.path} must name its params in their order: ${names.join(', ')}`);
  }
  let node = root;
  for (const segment of segments) node = openChild(node, segment);
  node.routes ??= new Map();
  if (node.routes.has(route.method))
    throw new Error(`${route.method} ${route.path} is defined twice`);
  node.routes.set(route.method, route);
  node.allow = listMethods(node.routes);
}

const isParameter = (segment: string): boolean => segment.startsWith('{') && segment.endsWith('}');

function openChild(node: Node, segment: string): Node {
  if (isParameter(segment)) return (node.parameter ??= createNode());
  const next = node.literals.get(segment) ?? createNode();
  node.literals.set(segment, next);
  return next;
}

function listMethods(routes: ReadonlyMap<string, Route>): string {
  const methods = [...routes.keys()];
  if (routes.has('GET')) methods.push('HEAD');
  return methods.sort().join(', ');
}

/** A literal wins over a parameter at each segment, without backtracking, which no path needs. */
function findNode(root: Node, path: string): FoundRoute | undefined {
  let node = root;
  let values: string[] | undefined;
  for (let from = 1, count = 0; from <= path.length; count += 1) {
    if (count === MAX_SEGMENTS) return undefined;
    const slash = path.indexOf('/', from);
    const segment = slash === -1 ? path.slice(from) : path.slice(from, slash);
    const literal = node.literals.get(segment);
    const next = literal ?? (segment === '' ? undefined : node.parameter);
    if (next === undefined) return undefined;
    if (literal === undefined) (values ??= []).push(segment);
    node = next;
    if (slash === -1) break;
    from = slash + 1;
  }
  if (node.routes === undefined) return undefined;
  return { routes: node.routes, allow: node.allow, values: values ?? NO_VALUES };
}
