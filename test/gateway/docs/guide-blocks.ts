// The code blocks of the guides. The word after the language says how a test uses the block:
//   example            runs as it is shown; blocks of a shell share their variables
//   answer <status>    the last answer of the shell block above it: each field is there, `…` stands for any text
//   receiver           runs as a server that receives webhooks
//   event              an event that a receiver gets
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GUIDE_NAMES } from '#gateway/docs/guides.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';

export interface GuideBlock {
  readonly guide: string;
  readonly language: string;
  /** Empty: no test runs it. */
  readonly role: string;
  readonly status: number;
  readonly text: string;
}

const FENCE = /^( *)```(\w+) ?(\w*) ?(\d*)\n([^]*?)^ *```$/gm;

export const listBlocks = (guide: string): readonly GuideBlock[] =>
  readBlocks(`docs/guides/${guide}.md`).map((block) => ({ guide, ...block }));

/** The blocks of a page, which may be indented. */
export function readBlocks(path: string): readonly Omit<GuideBlock, 'guide'>[] {
  const page = readFileSync(join(findPackageRoot(), path), 'utf8');
  return [...page.matchAll(FENCE)].map(
    ([, indent = '', language = '', role = '', status, code = '']) => {
      const text = code.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
      return { language, role, status: Number(status), text };
    },
  );
}

export const listAllBlocks = (): readonly GuideBlock[] => GUIDE_NAMES.flatMap(listBlocks);

/** Lists the fields of `expected` that `found` does not have. */
export function listDifferences(expected: unknown, found: unknown, path = ''): readonly string[] {
  if (typeof expected === 'string') {
    const pattern = expected.split('…').map((part) => part.replaceAll(/[^\w]/g, '\\$&'));
    const isEqual = typeof found === 'string' && new RegExp(`^${pattern.join('.+')}$`).test(found);
    return isEqual ? [] : [`${path}: ${String(found)} is not ${expected}`];
  }
  if (typeof expected !== 'object' || expected === null) {
    return expected === found ? [] : [`${path}: ${String(found)} is not ${String(expected)}`];
  }
  return Object.entries(expected).flatMap(([name, value]) =>
    listDifferences(value, (found as Record<string, unknown> | null)?.[name], `${path}.${name}`),
  );
}
