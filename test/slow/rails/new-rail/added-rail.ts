// A copy of the sources to which a rail was added, and its difference to them.
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { copyWith, type OtherBuild } from '#test/slow/flows/other-build.js';
import type { TestScope } from '#test/support/servers.js';

const ROOT = findPackageRoot();
const NAMES = 'actors/core/rails/rail-names.ts';
export const ADAPTERS = 'actors/rails/adapters';
/** Everything that a process runs. */
const COMPARED = ['actors', 'gateway', 'store', 'ops'];

/** Copies the folder `from` of the rail, and adds its name to the list. */
export function addRail(t: TestScope, name: string, from: string): OtherBuild {
  const [, last = ''] =
    /'(\w+)'\] as const;\nexport type LiveRailName/.exec(readSource(NAMES)) ?? [];
  const build = copyWith(t, {
    file: NAMES,
    from: `'${last}'] as const;\nexport type LiveRailName`,
    to: `'${last}', '${name}'] as const;\nexport type LiveRailName`,
  });
  cpSync(join(ROOT, from), join(build.sources, ADAPTERS, name), { recursive: true });
  return build;
}

export interface Difference {
  readonly added: readonly string[];
  /** `path:line` of each line that was changed or added in a file that both have. */
  readonly changedLines: readonly string[];
  readonly missing: readonly string[];
}

export function compareWithSources({ sources }: OtherBuild): Difference {
  const [before, after] = [listFiles(ROOT), listFiles(sources)];
  const both = after.filter((path) => before.includes(path));
  return {
    added: after.filter((path) => !before.includes(path)),
    changedLines: both.flatMap((path) =>
      compareLines(readSource(path), readFileSync(join(sources, path), 'utf8')).map(
        (line) => `${path}:${line}`,
      ),
    ),
    missing: before.filter((path) => !after.includes(path)),
  };
}

const readSource = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

function listFiles(root: string): string[] {
  return COMPARED.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)),
  ).sort();
}

function compareLines(before: string, after: string): number[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const longest = Math.max(old.length, now.length);
  return Array.from({ length: longest }, (_, index) => index + 1).filter(
    (line) => old[line - 1] !== now[line - 1],
  );
}
