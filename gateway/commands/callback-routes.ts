// The route for callbacks of rails. It knows nothing of rails except the headers that their signatures need.
import { Type } from '@sinclair/typebox';
import { CALLBACK_ID } from '#actors/core/rails/live-rails.js';
import { type CallbackRouteDeps, receiveCallback } from './callback-handlers.js';
import { defineRawRoute, type Route } from '../routing/route.js';

/** Xendit authenticates callbacks by `x-callback-token`, and numbers them by `webhook-id`. Midtrans signs in the body. */
const SIGNATURE_HEADERS = ['x-callback-token', 'webhook-id'];

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
    rawHeaders: SIGNATURE_HEADERS,
    answers: { 200: Type.Object({ received: Type.Literal(true) }) },
    errors: ['credential_invalid', 'payment_not_found', 'body_too_large'],
    handle: (request) => receiveCallback(deps, request),
  }),
];
