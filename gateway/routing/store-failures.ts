// What handlers of this area throw when a part of the service is away, as answers; a bug stays one.
import { DeadlineError } from '#ops/runtime/deadline.js';
import { classifyFailure } from '#store/postgres/failure.js';
import { type Answer, type Refusal, refuse } from './response.js';
import type { Route } from './route.js';

/** Work that is refused because too much of it waits already; answered with 503 `overloaded`. */
export class OverloadedError extends Error {}

/** The rows, answering 503 where their handlers throw for an outage. */
export function refuseOutages(
  routes: readonly Route[],
  onError: (error: unknown) => void,
): readonly Route[] {
  return routes.map((route) => ({
    ...route,
    async handle(request): Promise<Answer> {
      try {
        return await route.handle(request);
      } catch (error) {
        const refusal = refusalFor(error);
        if (refusal === undefined) throw error;
        onError(error);
        return refusal;
      }
    },
  }));
}

function refusalFor(error: unknown): Refusal | undefined {
  if (error instanceof OverloadedError) return refuse('overloaded');
  return isOutage(error) ? refuse('dependency_unavailable') : undefined;
}

/** Of a statement that writes: whether it did is not known. */
export function isOutage(error: unknown): boolean {
  return error instanceof DeadlineError || isOfConnection(error);
}

/** An error of the driver, not one of ours: those have no code. */
function isOfConnection(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return classifyFailure(error) === 'unknown';
}
