// Reads what tap measured and names the files of a folder that are not covered to the last branch.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

interface Figures {
  readonly lines: { readonly pct: number };
  readonly branches: { readonly pct: number };
  readonly functions: { readonly pct: number };
}

const REPORT = '.tap/report/coverage-summary.json';

/** One line for each file of `folder` below 100 %; a missing report is a line too. */
export function findUncovered(root: string, folder: string): string[] {
  let report: Record<string, Figures>;
  try {
    report = JSON.parse(readFileSync(join(root, REPORT), 'utf8')) as Record<string, Figures>;
  } catch {
    return [`${REPORT} is missing: coverage of ${folder} is unknown`];
  }
  const files = Object.entries(report)
    .map(([path, figures]) => ({ path: relative(root, path), ...figures }))
    .filter(({ path }) => path.startsWith(`${folder}/`));
  if (files.length === 0) return [`no file of ${folder} was measured`];
  return files.flatMap(({ path, lines, branches, functions }) => {
    const lowest = Math.min(lines.pct, branches.pct, functions.pct);
    const parts = `lines ${lines.pct} %, branches ${branches.pct} %, functions ${functions.pct} %`;
    return lowest === 100 ? [] : [`${path} is not covered: ${parts}`];
  });
}
