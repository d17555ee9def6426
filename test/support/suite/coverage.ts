// Reads what tap measured and names the files of a folder that are not covered to the last branch.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Figures {
  readonly lines: { readonly pct: number };
  readonly branches: { readonly pct: number };
  readonly functions: { readonly pct: number };
}

const REPORT = '.tap/report/coverage-summary.json';

/**
 * One line for each file of `folder` below 100 %, and for each that no test has loaded; a missing report is a
 * line too. Files that hold nothing but types have no code to cover.
 */
export function findUncovered(root: string, folder: string): string[] {
  let report: Record<string, Figures>;
  try {
    report = JSON.parse(readFileSync(join(root, REPORT), 'utf8')) as Record<string, Figures>;
  } catch {
    return [`${REPORT} is missing: coverage of ${folder} is unknown`];
  }
  const sources = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path));
  return sources.flatMap((path) => {
    const figures = report[join(root, path)];
    if (figures === undefined) return hasCode(root, path) ? [`${path} is loaded by no test`] : [];
    return judge(path, figures);
  });
}

function judge(path: string, { lines, branches, functions }: Figures): string[] {
  const parts = `lines ${lines.pct} %, branches ${branches.pct} %, functions ${functions.pct} %`;
  const isFull = Math.min(lines.pct, branches.pct, functions.pct) === 100;
  return isFull ? [] : [`${path} is not covered: ${parts}`];
}

function hasCode(root: string, path: string): boolean {
  const compiled = readFileSync(join(root, 'dist', path.replace(/\.ts$/, '.js')), 'utf8');
  return compiled
    .replaceAll(/\/\*.*?\*\//gs, '')
    .split('\n')
    .some((line) => !/^\s*(\/\/|export \{\};|$)/.test(line));
}
