// A hook of Node's module loader: test files that import `tap` get their own test (own-test.ts).
import type { ResolveHook } from 'node:module';

const OWN_TEST = new URL('./own-test.js', import.meta.url).href;
const SUITE = new URL('./', import.meta.url).href;

export const resolve: ResolveHook = (specifier, context, next) => {
  const isOfSuite = context.parentURL?.startsWith(SUITE) ?? true;
  return specifier === 'tap' && !isOfSuite
    ? { url: OWN_TEST, shortCircuit: true }
    : next(specifier, context);
};
