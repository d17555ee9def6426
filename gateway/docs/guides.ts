// The guides: one Markdown file each in docs/guides, in the order of the navigation.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { type Installation, type RenderedGuide, renderMarkdown } from './markdown.js';

const FOLDER = 'docs/guides';

/** File names without `.md`. */
export const GUIDE_NAMES = [
  'README',
  'quick-start',
  'payments',
  'webhooks',
  'testing',
  'idempotency',
  'errors',
  'refunds',
  'payouts',
  'links-and-invoices',
  'csv-files',
  'clients',
  'going-live',
] as const;
export type GuideName = (typeof GUIDE_NAMES)[number];

export interface Guide extends RenderedGuide {
  readonly name: GuideName;
  readonly path: string;
}

/** Reads and renders every guide. @throws when a file is missing or links to a file that is no guide */
export function readGuides(installation: Installation): readonly Guide[] {
  return GUIDE_NAMES.map((name) => {
    const file = `${FOLDER}/${name}.md`;
    const text = readFileSync(join(findPackageRoot(), file), 'utf8');
    return { name, path: buildPath(name), ...renderMarkdown(text, installation, findPath) };
  });
}

const buildPath = (name: GuideName): string => (name === 'README' ? '/docs' : `/docs/${name}`);

function findPath(file: string): string {
  const name = GUIDE_NAMES.find((each) => `${each}.md` === file);
  if (name === undefined) throw new Error(`a guide links to ${file}, which is no guide`);
  return buildPath(name);
}
