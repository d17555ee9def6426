// The registration of Xendit (Payments API v3, refunds, payouts v2).
import { makeMinor } from '#actors/core/money.js';
import { defineRail } from '../define-rail.js';
import type { MethodCapability } from '../rail.js';
import { formatBasicAuthorization } from '../wire.js';
import { createXenditAdapter } from './adapter.js';

const QRIS_EXPIRES_IN_S = 48 * 3600;
const VA_EXPIRES_IN_S = 604_800;

export const registration = defineRail({
  capabilities: {
    methods: {
      QRIS: {
        minAmountMinor: makeMinor(1n),
        maxAmountMinor: makeMinor(10_000_000n),
        isRefundable: true,
        maxExpiresInS: QRIS_EXPIRES_IN_S,
        takesExpiry: false,
      },
      VA_BCA: buildVirtualAccountCapability(10_000n, 50_000_000n),
      VA_BNI: buildVirtualAccountCapability(1n, 50_000_000_000n),
      VA_BRI: buildVirtualAccountCapability(1n, 50_000_000_000n),
      VA_MANDIRI: buildVirtualAccountCapability(1n, 50_000_000_000n),
      VA_PERMATA: buildVirtualAccountCapability(1n, 9_999_999_999n),
    },
    canPayOut: true,
    // No idempotency of refunds is documented.
    refundKeyMs: null,
  },
  variables: {
    url: 'RAIL_XENDIT_URL',
    secrets: ['RAIL_XENDIT_SECRET_KEY', 'RAIL_XENDIT_CALLBACK_TOKEN'],
  },
  buildHeaders: (secrets) => ({
    authorization: formatBasicAuthorization(secrets.RAIL_XENDIT_SECRET_KEY),
  }),
  createAdapter: ({ client, secrets, nowMs }) =>
    createXenditAdapter({ client, callbackToken: secrets.RAIL_XENDIT_CALLBACK_TOKEN, nowMs }),
});

function buildVirtualAccountCapability(min: bigint, max: bigint): MethodCapability {
  return {
    minAmountMinor: makeMinor(min),
    maxAmountMinor: makeMinor(max),
    isRefundable: false,
    maxExpiresInS: VA_EXPIRES_IN_S,
    takesExpiry: true,
  };
}
