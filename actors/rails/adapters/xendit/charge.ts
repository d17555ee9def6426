// Charges at Xendit: the payment request for an order, and the payment instructions in the reply.
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { ChargeCall } from '#actors/core/payment/rail-calls.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import type { Instructions } from '#actors/core/rails/answers.js';
import { readPayload } from '#actors/core/rails/emv-qr.js';
import type { Payer } from '../rail.js';
import { isAccountNumber, formatPayerName, writeRailAmount } from '../wire.js';
import type { PaymentRequest } from './order-state.js';

const CHANNELS: Readonly<Record<ChargeableMethod, string>> = {
  QRIS: 'QRIS',
  VA_BCA: 'BCA_VIRTUAL_ACCOUNT',
  VA_BNI: 'BNI_VIRTUAL_ACCOUNT',
  VA_BRI: 'BRI_VIRTUAL_ACCOUNT',
  VA_MANDIRI: 'MANDIRI_VIRTUAL_ACCOUNT',
  VA_PERMATA: 'PERMATA_VIRTUAL_ACCOUNT',
};

/** null: no time is left to pay in. QRIS takes no expiry: such an order must be closed. */
export function buildPaymentRequestBody(
  call: ChargeCall,
  payer: Payer,
  nowMs: number,
): object | null {
  const expiresAtMs = Math.floor(call.expiresAtMs / 1000) * 1000;
  if (expiresAtMs <= nowMs) return null;
  const expires_at = new Date(expiresAtMs).toISOString().replace('.000Z', 'Z');
  return {
    reference_id: call.orderId,
    type: 'PAY',
    country: 'ID',
    currency: call.currency,
    request_amount: writeRailAmount(call.amountMinor),
    capture_method: 'AUTOMATIC',
    channel_code: CHANNELS[call.method],
    channel_properties:
      call.method === 'QRIS' ? {} : { display_name: formatPayerName(payer), expires_at },
  };
}

const Action = TypeCompiler.Compile(
  Type.Object({ descriptor: Type.String(), value: Type.String() }),
);

/**
 * Reads the payment instructions, beside actions of other kinds. null: there are none. unusable: they must not be shown.
 */
export function readInstructions({ actions }: PaymentRequest): Instructions | 'unusable' | null {
  let isGiven = false;
  for (const action of Array.isArray(actions) ? (actions as unknown[]) : []) {
    if (!Action.Check(action)) continue;
    const { descriptor, value } = action;
    const payload = descriptor === 'QR_STRING' ? readPayload(value) : null;
    if (payload !== null) return { kind: 'qr', payload };
    if (descriptor === 'VIRTUAL_ACCOUNT_NUMBER' && isAccountNumber(value)) {
      return { kind: 'virtual_account', number: value, billerCode: null };
    }
    isGiven ||= INSTRUCTIONS.has(descriptor);
  }
  return isGiven ? 'unusable' : null;
}

const INSTRUCTIONS: ReadonlySet<string> = new Set(['QR_STRING', 'VIRTUAL_ACCOUNT_NUMBER']);
