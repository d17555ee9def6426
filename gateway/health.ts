// Health routes for load balancers and supervisors: the process lives, and it can serve requests.
import { Type } from '@sinclair/typebox';
import { buildApiError, reply } from './routing/response.js';
import { defineOpenRoute, type Route } from './routing/route.js';

export interface HealthDeps {
  /** The dependency that is away; undefined: none is. */
  readonly findMissing: () => string | undefined;
}

const Alive = Type.Object({ status: Type.Literal('ok') });
const ALIVE = reply(200, JSON.stringify({ status: 'ok' }));

export function buildHealthRoutes({ findMissing }: HealthDeps): readonly Route[] {
  return [
    defineOpenRoute({
      method: 'GET',
      path: '/healthz',
      summary: 'Whether the process is alive',
      answers: { 200: Alive },
      handle: () => ALIVE,
    }),
    defineOpenRoute({
      method: 'GET',
      path: '/readyz',
      summary: 'Whether requests can be served',
      answers: { 200: Alive },
      errors: ['dependency_unavailable'],
      handle: () => {
        const missing = findMissing();
        if (missing === undefined) return ALIVE;
        const message = `${missing} cannot be reached.`;
        return buildApiError('dependency_unavailable', { message, param: missing });
      },
    }),
  ];
}
