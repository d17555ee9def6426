// Finds the row of a method and path. Built once from all tables; a path that two rows share, or a row that
// cannot be reached, stops the start. Segments are compared as they were sent: no path of ours needs
// percent-encoding, so an encoded one is another path, and what stands for an id must parse as one.
import type { Route } from './route.js';

const MAX_SEGMENTS = 12;

interface Node {
  readonly literals: Map<string, Node>;
  /** What any other segment leads to. */
  parameter: Node | undefined;
  /** Rows by method; undefined: nothing ends here. */
  rows: Map<string, Route> | undefined;
  /** The value of Allow. */
  allow: string;
}

export interface FoundRoute {
  readonly rows: ReadonlyMap<string, Route>;
  readonly allow: string;
  /** The segments that stand for `{…}`, in order. */
  readonly values: readonly string[];
}

export interface Router {
  /** undefined: no row has this path. */
  find(path: string): FoundRoute | undefined;
}

const NO_VALUES: readonly string[] = [];

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

function createNode(): Node {
  return { literals: new Map(), parameter: undefined, rows: undefined, allow: '' };
}

function addRoute(root: Node, route: Route): void {
  const segments = route.path.split('/').slice(1);
  if (!route.path.startsWith('/') || segments.length > MAX_SEGMENTS) {
    throw new Error(`path ${route.path} cannot be served`);
  }
  const names = segments.filter(isParameter).map((segment) => segment.slice(1, -1));
  if (names.join() !== Object.keys(route.params).join()) {
    throw new Error(`path ${route.path} and its params differ`);
  }
  let node = root;
  for (const segment of segments) node = openChild(node, segment);
  node.rows ??= new Map();
  if (node.rows.has(route.method)) throw new Error(`${route.method} ${route.path} is there twice`);
  node.rows.set(route.method, route);
  node.allow = listMethods(node.rows);
}

const isParameter = (segment: string): boolean => segment.startsWith('{') && segment.endsWith('}');

function openChild(node: Node, segment: string): Node {
  if (isParameter(segment)) return (node.parameter ??= createNode());
  const next = node.literals.get(segment) ?? createNode();
  node.literals.set(segment, next);
  return next;
}

function listMethods(rows: ReadonlyMap<string, Route>): string {
  const methods = [...rows.keys()];
  if (rows.has('GET')) methods.push('HEAD');
  return methods.sort().join(', ');
}

/** Literals win over parameters, segment by segment, and there is no way back: no table needs one. */
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
  if (node.rows === undefined) return undefined;
  return { rows: node.rows, allow: node.allow, values: values ?? NO_VALUES };
}
