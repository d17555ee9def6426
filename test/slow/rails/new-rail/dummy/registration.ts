// The registration of a rail that exists in a test alone. This folder is all that is added to the sources for it, beside its
// name. It signs its callbacks in a header that no other rail has.
import { makeMinor } from '#actors/core/money.js';
import { defineRail } from '#actors/rails/adapters/define-rail.js';
import { createDummyAdapter } from './adapter.js';

export const registration = defineRail({
  capabilities: {
    methods: {
      QRIS: {
        minAmountMinor: makeMinor(1n),
        maxAmountMinor: makeMinor(10_000_000n),
        isRefundable: true,
        maxExpiresInS: 604_800,
        takesExpiry: true,
      },
    },
    canPayOut: false,
    refundKeyMs: null,
  },
  variables: {
    url: 'RAIL_DUMMY_URL',
    secrets: ['RAIL_DUMMY_API_KEY', 'RAIL_DUMMY_CALLBACK_SECRET'],
  },
  buildHeaders: (secrets) => ({ 'x-dummy-key': secrets.RAIL_DUMMY_API_KEY }),
  createAdapter: ({ name, client, secrets }) =>
    createDummyAdapter({ name, client, callbackSecret: secrets.RAIL_DUMMY_CALLBACK_SECRET }),
});
