// For load balancers and supervisors: whether the process lives, and whether it can take requests.
import { Type } from '@sinclair/typebox';
import { refuse, reply } from './routing/response.js';
import { openRoute, type Route } from './routing/route.js';

export interface HealthParts {
  /** The part that cannot be reached, in words for operators; undefined: all can. */
  missing(): string | undefined;
}

const Alive = Type.Object({ status: Type.Literal('ok') });
const ALIVE = reply(200, JSON.stringify({ status: 'ok' }));

export function healthRoutes(parts: HealthParts): readonly Route[] {
  return [
    openRoute({
      method: 'GET',
      path: '/healthz',
      summary: 'Whether the process is alive',
      answers: { 200: Alive },
      handle: () => ALIVE,
    }),
    openRoute({
      method: 'GET',
      path: '/readyz',
      summary: 'Whether requests can be served',
      answers: { 200: Alive },
      errors: ['dependency_unavailable'],
      handle: () => {
        const missing = parts.missing();
        if (missing === undefined) return ALIVE;
        const message = `${missing} cannot be reached.`;
        return refuse('dependency_unavailable', { message, param: missing });
      },
    }),
  ];
}
