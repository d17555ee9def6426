// The registration of Midtrans (Core API).
import { makeMinor } from '#actors/core/money.js';
import { defineRail } from '../define-rail.js';
import type { MethodCapability } from '../rail.js';
import { formatBasicAuthorization } from '../wire.js';
import { createMidtransAdapter } from './adapter.js';
import { isThrottled } from './wire.js';

const MAX_EXPIRES_IN_S = 604_800;
const BILLION = 1_000_000_000n;
/** Midtrans documents seven days for `refund_key`; the last one is left as a reserve. */
const REFUND_KEY_MS = 6 * 86_400_000;

export const registration = defineRail({
  capabilities: {
    methods: {
      QRIS: buildCapability(1n, 10_000_000n, true),
      VA_BCA: buildCapability(10_000n, 20n * BILLION),
      // Midtrans documents no limit for BNI: it gets the highest of the others.
      VA_BNI: buildCapability(1n, 50n * BILLION),
      VA_BRI: buildCapability(1n, 20n * BILLION),
      VA_MANDIRI: buildCapability(1n, 50n * BILLION),
      VA_PERMATA: buildCapability(1n, 9_999_999_999n),
    },
    canPayOut: false,
    refundKeyMs: REFUND_KEY_MS,
  },
  variables: { url: 'RAIL_MIDTRANS_URL', secrets: ['RAIL_MIDTRANS_SERVER_KEY'] },
  buildHeaders: (secrets) => ({
    authorization: formatBasicAuthorization(secrets.RAIL_MIDTRANS_SERVER_KEY),
  }),
  isThrottled,
  createAdapter: ({ secrets, ...deps }) =>
    createMidtransAdapter({ ...deps, serverKey: secrets.RAIL_MIDTRANS_SERVER_KEY }),
});

function buildCapability(min: bigint, max: bigint, isRefundable = false): MethodCapability {
  return {
    minAmountMinor: makeMinor(min),
    maxAmountMinor: makeMinor(max),
    isRefundable,
    maxExpiresInS: MAX_EXPIRES_IN_S,
    takesExpiry: true,
  };
}
