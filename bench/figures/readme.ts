// Writes what was measured into bench/README.md, between the marks of its section.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackageRoot } from '#ops/runtime/package-root.js';

export type Section =
  | 'table'
  | 'memory'
  | 'webhooks'
  | 'rails'
  | 'download'
  | 'lists'
  | 'api-logs'
  | 'attacks'
  | 'public-routes';

/** @throws Error when the section has no marks */
export function writeSection(section: Section, text: string): void {
  const path = join(findPackageRoot(), 'bench', 'README.md');
  const readme = readFileSync(path, 'utf8');
  const begin = `<!-- ${section}: measured -->`;
  const [from, to] = [readme.indexOf(begin), readme.indexOf(`<!-- ${section}: end -->`)];
  if (from < 0 || to < from) throw new Error(`${path} has no place for ${section}`);
  const before = readme.slice(0, from + begin.length);
  writeFileSync(path, `${before}\n\n${text}\n\n${readme.slice(to)}`);
}

/** `Measured 2026-08-02 on 2 × …` */
export function describeRun(machine: string): string {
  return `Measured ${new Date().toISOString().slice(0, 10)} on ${machine}.`;
}
