// The programs that the interactive reference shows. Its script runs in browsers and is no part of the build of Node, so tests
// load the file itself.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findPackageRoot } from '#ops/runtime/package-root.js';

export interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Snippets {
  readonly buildExampleCall: (
    document: unknown,
    place: { readonly path: string; readonly method: string },
    options: { readonly origin: string; readonly key?: string },
  ) => Call | undefined;
  readonly LANGUAGES: Readonly<Record<string, { readonly write: (call: Call) => string }>>;
}

const file = join(findPackageRoot(), 'gateway/web/reference-snippets.js');
export const { buildExampleCall, LANGUAGES } = (await import(pathToFileURL(file).href)) as Snippets;
