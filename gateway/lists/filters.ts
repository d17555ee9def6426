// Filters of several lists: by the time of creation, by the merchant's own reference, by merchant and environment.
import { Type } from '@sinclair/typebox';
import { MERCHANT_ID_PATTERN } from '#actors/core/ids.js';
import { findFreeTextError } from '#actors/core/requests/validation.js';
import { type ApiError, buildApiError } from '../routing/response.js';
import { EnvironmentChoice } from '../routing/schema-parts.js';
import { buildParameterError } from './page.js';

const MAX_REFERENCE_CHARACTERS = 128;
const TIME = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;
/** Postgres takes other years in another form only. Some clients send the first and the last moment for "always". */
const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');
/** Of a query in which the plus of the offset was not encoded, and so is a space. */
const LOST_PLUS = /T[\d:.]+ \d{2}:\d{2}$/;
/** Completes "created_from …". */
export const TIME_REQUIREMENT = 'must be a time such as 2026-08-02T10:15:30Z, or a day in UTC';
const buildTimeSchema = (description: string) =>
  Type.Optional(
    Type.String({
      description,
      errorMessage: TIME_REQUIREMENT,
      examples: ['2026-08-02T00:00:00.000Z'],
    }),
  );

/** Of lists of administrators. */
export const MerchantIdFilter = Type.Optional(
  Type.String({
    pattern: MERCHANT_ID_PATTERN,
    errorMessage: 'must be the id of a merchant, such as mer_5jz8q4m1n7v2c9k3x6w0t4h8rb',
  }),
);

export const EnvironmentFilter = Type.Optional(EnvironmentChoice);

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

/** A time of a query, or null when it is absent. */
export function readDate<Param extends string>(
  query: Readonly<Partial<Record<Param, string>>>,
  param: Param,
): Date | null | ApiError {
  const timeMs = readTime(query, param);
  return typeof timeMs === 'number' ? new Date(timeMs) : timeMs;
}

function readTime<Param extends string>(
  query: Readonly<Partial<Record<Param, string>>>,
  param: Param,
): number | null | ApiError {
  const text = query[param];
  if (text === undefined) return null;
  const hint = LOST_PLUS.test(text) ? '; write the + of its offset as %2B' : '';
  return parseTime(text) ?? buildParameterError(param, `${TIME_REQUIREMENT}${hint}`);
}

/** The checks of a create, so that a card number in a filter is an error too. */
export function checkReference(referenceId: string): ApiError | null {
  if (referenceId.length > MAX_REFERENCE_CHARACTERS * 2) {
    return buildParameterError(
      'reference_id',
      `must be at most ${MAX_REFERENCE_CHARACTERS} characters`,
    );
  }
  const code = findFreeTextError(referenceId);
  return code === null ? null : buildApiError(code, { param: 'reference_id' });
}

/**
 * The milliseconds of a time in a query: ISO 8601 with an offset, or a day, which begins at midnight UTC. It is of the years 1
 * to 9999 in UTC. undefined: it is none of these.
 */
export function parseTime(text: string): number | undefined {
  const day = TIME.exec(text)?.[1];
  if (day === undefined) return undefined;
  const ms = Date.parse(text);
  return isDay(day) && ms >= EARLIEST_MS && ms <= LATEST_MS ? ms : undefined;
}

/** Date.parse reads 31 February as a day of March. */
function isDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}
