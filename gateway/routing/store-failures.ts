// What handlers of this area throw when a part of the service is away, as answers; a bug stays one.
import { DeadlineError } from '#ops/runtime/deadline.js';
import { classifyFailure } from '#store/postgres/classify-failure.js';
import { type Answer, type ApiError, buildApiError } from './response.js';
import type { Route } from './route.js';

/** Work that is refused because too much of it waits already; answered with 503 `overloaded`. */
export class OverloadedError extends Error {}

/** The rows, answering 503 where their handlers throw for an outage. */
export function mapStoreFailures(
  routes: readonly Route[],
  onError: (error: unknown) => void,
): readonly Route[] {
  return routes.map((route) => ({
    ...route,
    async handle(request): Promise<Answer> {
      try {
        return await route.handle(request);
      } catch (error) {
        const refusal = findStoreFailure(error);
        if (refusal === undefined) throw error;
        onError(error);
        return refusal;
      }
    },
  }));
}

function findStoreFailure(error: unknown): ApiError | undefined {
  if (error instanceof OverloadedError) return buildApiError('overloaded');
  return isStoreFailure(error) ? buildApiError('dependency_unavailable') : undefined;
}

/** Of a statement that writes: whether it did is not known. */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof DeadlineError || isConnectionError(error);
}

/** An error of the driver, not one of ours: those have no code. */
function isConnectionError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return classifyFailure(error) === 'unknown';
}
