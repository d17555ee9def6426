// Health routes for load balancers and supervisors: the process lives, and it can serve requests.
import { Type } from '@sinclair/typebox';
import { buildApiError, reply } from './routing/response.js';
import { defineOpenRoute, type Route } from './routing/route.js';

export interface HealthDeps {
  /** The dependency that is away; undefined: none is. */
  readonly findMissing: () => string | undefined;
  /** Whether a payments process lives. */
  readonly hasPayments: () => boolean;
  /** READY_NEEDS_PAYMENTS: without one the gateway is not ready. */
  readonly isPaymentsNeeded: boolean;
}

const Alive = Type.Object({ status: Type.Literal('ok') });
const ALIVE = reply(200, JSON.stringify({ status: 'ok' }));

const Ready = Type.Object({
  status: Type.Literal('ok'),
  payments: Type.Union([Type.Literal('ready'), Type.Literal('none')]),
});
const READY = reply(200, JSON.stringify({ status: 'ok', payments: 'ready' }));
const NONE = reply(200, JSON.stringify({ status: 'ok', payments: 'none' }));
const NO_PAYMENTS = {
  message: 'No payments process lives: none has had a valid lease for two lease times. Start one.',
  param: 'payments',
};

export function buildHealthRoutes({
  findMissing,
  hasPayments,
  isPaymentsNeeded,
}: HealthDeps): readonly Route[] {
  return [
    defineOpenRoute({
      method: 'GET',
      path: '/healthz',
      cpuUs: 120,
      summary: 'Whether the process is alive',
      answers: { 200: Alive },
      handle: () => ALIVE,
    }),
    defineOpenRoute({
      method: 'GET',
      path: '/readyz',
      cpuUs: 120,
      summary: 'Whether requests can be served',
      answers: { 200: Ready },
      errors: ['dependency_unavailable'],
      handle: () => {
        const missing = findMissing();
        if (missing !== undefined) {
          const message = `${missing} cannot be reached.`;
          return buildApiError('dependency_unavailable', { message, param: missing });
        }
        if (hasPayments()) return READY;
        return isPaymentsNeeded ? buildApiError('dependency_unavailable', NO_PAYMENTS) : NONE;
      },
    }),
  ];
}
