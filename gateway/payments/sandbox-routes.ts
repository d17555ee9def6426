// The sandbox paths: no credential, TEST payments only (specification, section 4).
import { parsePaymentId } from '#actors/core/ids.js';
import { SandboxPayment, SimulateRequest } from '#actors/core/schemas/payment.js';
import type { ApiDeps } from './api-deps.js';
import { getSandboxPayment, simulatePayment } from './sandbox.js';
import { buildBodySpec, defineOpenRoute, type Route } from '../routing/route.js';

const params = { payment_id: { parse: parsePaymentId, code: 'payment_not_found' } } as const;

export const buildSandboxRoutes = (parts: ApiDeps): readonly Route[] => [
  defineOpenRoute({
    method: 'GET',
    path: '/v1/sandbox/payments/{payment_id}',
    summary: 'Show a TEST payment',
    params,
    limit: 'sandbox',
    answers: { 200: SandboxPayment },
    errors: ['payment_not_found'],
    handle: (request) => getSandboxPayment(parts, request),
  }),
  defineOpenRoute({
    method: 'POST',
    path: '/v1/sandbox/payments/{payment_id}/simulate',
    summary: 'Let a TEST payment be paid or fail',
    params,
    limit: 'sandbox',
    body: buildBodySpec(SimulateRequest),
    answers: { 200: SandboxPayment },
    errors: ['payment_not_found', 'state_conflict', 'outcome_unknown'],
    handle: (request) => simulatePayment(parts, request),
  }),
];
