// Turns what a handler threw into an answer: an outage is 503, a session that ended meanwhile 401, a bug 500. The transport calls it, so handlers
// call the store directly and let its errors pass.
import { DeadlineError } from '#ops/runtime/deadline.js';
import { ThreadCrashedError } from '#ops/runtime/threads/thread-crashed.js';
import { classifyFailure, isSessionEnded } from '#store/postgres/classify-failure.js';
import { type ApiError, buildApiError } from './response.js';

/** Too much of this work waits already: 503 `overloaded`. */
export class OverloadedError extends Error {}

/** Too much work of this client waits already: 429. */
export class TooManyWaitingError extends Error {}

const TOO_MANY_WAITING = buildApiError('rate_limited', {
  message: 'Too many requests from your address wait already. Wait, then try again.',
  retryAfterSeconds: 1,
});
const OVERLOADED = buildApiError('overloaded');
const SESSION_EXPIRED = buildApiError('session_expired');
const UNAVAILABLE = buildApiError('dependency_unavailable');
/** A table, column or function is missing: a migration is under way, or the schema is of another version. */
const SCHEMA_MISMATCH = new Set<unknown>(['42P01', '42703', '42883']);

/** undefined: the error is a bug. */
export function mapStoreFailure(error: unknown): ApiError | undefined {
  if (error instanceof OverloadedError) return OVERLOADED;
  if (error instanceof TooManyWaitingError) return TOO_MANY_WAITING;
  if (isSessionEnded(error)) return SESSION_EXPIRED;
  return isStoreFailure(error) || isSchemaMismatch(error) ? UNAVAILABLE : undefined;
}

function isSchemaMismatch(error: unknown): boolean {
  return error instanceof Error && 'code' in error && SCHEMA_MISMATCH.has(error.code);
}

/** After a write it means that the outcome is not known. */
export function isStoreFailure(error: unknown): boolean {
  if (error instanceof DeadlineError || error instanceof ThreadCrashedError) return true;
  // Node gives its own errors of wrong arguments a code too, and they are bugs.
  if (error instanceof TypeError || error instanceof RangeError) return false;
  // Nothing was stored.
  if (isSessionEnded(error)) return false;
  // Only errors of the driver have a code; our own have none.
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return classifyFailure(error) === 'unknown';
}
