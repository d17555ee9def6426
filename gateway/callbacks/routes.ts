// Where rails send their callbacks to.
import { Type } from '@sinclair/typebox';
import { CALLBACK_ID } from '#actors/core/rails/live-rails.js';
import { type CallbackRouteDeps, receiveCallback } from './handlers.js';
import { defineRawRoute, type Route } from '../routing/route.js';

const params = {
  callback_id: {
    parse: (text: string) => (CALLBACK_ID.test(text) ? text : undefined),
    code: 'path_not_found',
  },
} as const;

export const buildCallbackRoutes = (parts: CallbackRouteDeps): readonly Route[] => [
  defineRawRoute({
    method: 'POST',
    path: '/v1/rails/{callback_id}/callbacks',
    summary: 'Take in what a payment network tells',
    params,
    answers: { 200: Type.Object({ received: Type.Literal(true) }) },
    errors: ['credential_invalid', 'payment_not_found', 'body_too_large'],
    handle: (request) => receiveCallback(parts, request),
  }),
];
