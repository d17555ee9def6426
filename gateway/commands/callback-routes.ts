// The route for callbacks of rails. It knows nothing of rails: it passes on the body and all headers, since each rail signs in
// its own.
import { Type } from '@sinclair/typebox';
import { CALLBACK_ID } from '#actors/core/rails/live-rails.js';
import { type CallbackRouteDeps, receiveCallback } from './callback-handlers.js';
import { defineRawRoute, type Route } from '../routing/route.js';

const params = {
  callback_id: {
    parse: (text: string) => (CALLBACK_ID.test(text) ? text : undefined),
    code: 'path_not_found',
  },
} as const;

export const buildCallbackRoutes = (deps: CallbackRouteDeps): readonly Route[] => [
  defineRawRoute({
    method: 'POST',
    path: '/v1/rails/{callback_id}/callbacks',
    cpuUs: 1200,
    summary: 'Receive a callback of a payment network',
    params,
    limit: 'callback',
    rawHeaders: 'all',
    answers: { 200: Type.Object({ received: Type.Literal(true) }) },
    errors: ['credential_invalid', 'payment_not_found', 'body_too_large'],
    handle: (request) => receiveCallback(deps, request),
  }),
];
