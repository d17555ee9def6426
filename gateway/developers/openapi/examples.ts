// Examples of requests and answers, by operation id, and of webhooks, by type. They are real answers of the service with
// fixed ids and times; test/slow/gateway/openapi-examples.test.ts records them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import type { Json } from './schemas.js';

export interface OperationExamples {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** By status. */
  readonly answers: Json;
}

export interface Examples {
  readonly operations: Readonly<Record<string, OperationExamples>>;
  readonly webhooks: Json;
}

/** The word in the names of recorded headers. */
const WRITTEN_HEADER = 'Service';

export function readExamples(brandHeader = WRITTEN_HEADER): Examples {
  const path = join(findPackageRoot(), 'gateway/developers/openapi/examples.json');
  const text = readFileSync(path, 'utf8').replaceAll(`${WRITTEN_HEADER}-`, `${brandHeader}-`);
  return JSON.parse(text) as Examples;
}
