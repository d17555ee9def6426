// The imports between the files of a tree, read as text. Types count too, because a reader follows them as well.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Each node with those that it leads to; it never leads to itself. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

const IMPORT = /(?:from|import)\s*\(?\s*['"]((?:[.#]|@dashboard\/)[^'"]+)['"]/g;
const DASHBOARD = 'gateway/web/dashboard';

/** A path from the root. An import names the file that is compiled from a source. */
function findSource(root: string, path: string): string | undefined {
  const sources = [path, path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')];
  return sources.find((source) => existsSync(join(root, source)));
}

function resolveImport(from: string, name: string): string {
  if (name.startsWith('#')) return name.slice(1);
  return name.startsWith('@') ? name.replace('@dashboard', DASHBOARD) : join(dirname(from), name);
}

/** Imports of generated files, which are not in the tree, are left out. */
function listImports(root: string, from: string): readonly string[] {
  const text = readFileSync(join(root, from), 'utf8');
  return [...text.matchAll(IMPORT)].flatMap(([, name = '']) => {
    const path = findSource(root, resolveImport(from, name));
    return path === undefined || path === from ? [] : [path];
  });
}

export const readImports = (root: string, files: readonly string[]): Graph =>
  new Map(files.map((from) => [from, new Set(listImports(root, from))]));

/** The same imports between groups of files, such as folders. */
export function groupImports(graph: Graph, groupOf: (path: string) => string): Graph {
  const groups = new Map<string, Set<string>>();
  for (const [from, paths] of graph) {
    const group = groupOf(from);
    const reached = groups.get(group) ?? new Set<string>();
    groups.set(group, reached);
    for (const to of paths) if (groupOf(to) !== group) reached.add(groupOf(to));
  }
  return groups;
}

function findReachable(graph: Graph, from: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [from];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const next of graph.get(node) ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      open.push(next);
    }
  }
  return reached;
}

/** The strongly connected components of more than one node: each node of a ring leads to every other, however far around. */
export function findRings(graph: Graph): readonly (readonly string[])[] {
  const reachable = new Map([...graph.keys()].map((node) => [node, findReachable(graph, node)]));
  const inRings = [...graph.keys()].filter((node) => reachable.get(node)?.has(node) === true);
  const rings = inRings.map((node) =>
    inRings.filter(
      (other) => reachable.get(node)?.has(other) === true && reachable.get(other)?.has(node),
    ),
  );
  return rings.filter((ring, at) => ring[0] === inRings[at]);
}

/** How many pairs of nodes have an import between them, in whichever direction. */
export function countPairs(graph: Graph): number {
  const pairs = [...graph].flatMap(([from, paths]) =>
    [...paths].map((to) => [from, to].sort().join(' ')),
  );
  return new Set(pairs).size;
}

/** The nodes of the longest path. The graph must have no ring. */
export function countLayers(graph: Graph): number {
  const depths = new Map<string, number>();
  const findDepth = (node: string): number => {
    const known = depths.get(node);
    if (known !== undefined) return known;
    const depth = 1 + Math.max(0, ...[...(graph.get(node) ?? [])].map(findDepth));
    depths.set(node, depth);
    return depth;
  };
  return Math.max(...[...graph.keys()].map(findDepth));
}
