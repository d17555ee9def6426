// Filters that several lists have: by the time of creation, by the merchant's own reference.
import { Type } from '@sinclair/typebox';
import { findFreeTextFault } from '#actors/core/requests/validation.js';
import { type ApiError, buildApiError } from '../routing/response.js';
import { buildParameterError } from './page.js';
import { parseTime } from './parse-time.js';

const MAX_REFERENCE_CHARACTERS = 128;
const buildTimeSchema = (description: string) =>
  Type.Optional(Type.String({ description, examples: ['2026-08-02T00:00:00.000Z'] }));

export const TIMES_QUERY = {
  created_from: buildTimeSchema('Created at this time or later: ISO 8601, or a day in UTC.'),
  created_to: buildTimeSchema('Created before this time.'),
};

interface TimesQuery {
  readonly created_from?: string;
  readonly created_to?: string;
}

export interface Times {
  /** Included. */
  readonly createdFromMs: number | null;
  /** Not included. */
  readonly createdToMs: number | null;
}

export function readTimes(query: TimesQuery): Times | ApiError {
  const createdFromMs = readTime(query, 'created_from');
  if (typeof createdFromMs === 'object' && createdFromMs !== null) return createdFromMs;
  const createdToMs = readTime(query, 'created_to');
  if (typeof createdToMs === 'object' && createdToMs !== null) return createdToMs;
  return { createdFromMs, createdToMs };
}

function readTime(query: TimesQuery, param: keyof TimesQuery): number | null | ApiError {
  const text = query[param];
  if (text === undefined) return null;
  return (
    parseTime(text) ?? buildParameterError(param, 'must be a time such as 2026-08-02T10:15:30Z')
  );
}

/** As on create: what nothing can have as its reference is refused, a card number above all. */
export function checkReference(referenceId: string): ApiError | null {
  if (referenceId.length > MAX_REFERENCE_CHARACTERS * 2) {
    return buildParameterError('reference_id', 'is too long');
  }
  const code = findFreeTextFault(referenceId);
  return code === null ? null : buildApiError(code, { param: 'reference_id' });
}
