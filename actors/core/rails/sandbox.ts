// The sandbox rail of TEST, where no money moves. It accepts every charge, and no wallet or bank
// accepts its codes and numbers. Some amounts (MAGIC_AMOUNTS) make it act by itself.
//
// The state machine asks it during the fold, since its answers follow from the amount.
import type { OrderId } from '../ids.js';
import { type AmountMinor, formatAmount } from '../money.js';
import type { ChargeableMethod } from '../payment-methods.js';
import type { Instructions, RefundAnswer, Settlement } from './answers.js';
import { encodeEmv } from './emv-qr.js';

/** The delay before the sandbox acts by itself. */
export const SANDBOX_STEP_MS = 250;

export type SandboxBehaviour =
  | 'waits'
  | 'fails'
  | 'pays'
  | 'expires'
  | 'pays_and_refunds_by_hand'
  | 'expires_then_pays'
  | 'pays_then_reverses';

/** Payments of other amounts wait for a simulated outcome. */
export const MAGIC_AMOUNTS: ReadonlyMap<bigint, SandboxBehaviour> = new Map([
  [10_091n, 'fails'],
  [10_092n, 'pays'],
  [10_093n, 'expires'],
  [10_094n, 'pays_and_refunds_by_hand'],
  [10_095n, 'expires_then_pays'],
  [10_096n, 'pays_then_reverses'],
]);

/** The issuer is not QRIS, so wallets refuse the code. */
const QR_ISSUER = 'ID.CO.EXAMPLE.WWW';
const QR_ACCOUNT = '000000000000000000';
const QR_REFERENCE_LENGTH = 25;
/** No bank's numbers begin with six zeros. */
const VA_PREFIX = '000000';
const VA_DIGITS = 10;
const MANDIRI_BILLER = '00000';

export function findSandboxBehaviour(amountMinor: AmountMinor): SandboxBehaviour {
  return MAGIC_AMOUNTS.get(amountMinor) ?? 'waits';
}

export interface SandboxOrder {
  readonly orderId: OrderId;
  readonly method: ChargeableMethod | null;
  readonly amountMinor: AmountMinor;
}

/** null: no method is chosen yet. */
export function buildSandboxInstructions(order: SandboxOrder): Instructions | null {
  switch (order.method) {
    case null:
      return null;
    case 'QRIS':
      return { kind: 'qr', payload: buildQr(order) };
    default:
      return {
        kind: 'virtual_account',
        number: VA_PREFIX + deriveDigits(order.orderId),
        billerCode: order.method === 'VA_MANDIRI' ? MANDIRI_BILLER : null,
      };
  }
}

function buildQr({ orderId, amountMinor }: SandboxOrder): string {
  const reference = orderId.replaceAll('-', '').slice(0, QR_REFERENCE_LENGTH);
  return encodeEmv([
    ['00', '01'],
    ['01', '12'],
    [
      '26',
      [
        ['00', QR_ISSUER],
        ['01', QR_ACCOUNT],
        ['03', 'UMI'],
      ],
    ],
    ['52', '9999'],
    ['53', '360'],
    ['54', formatAmount(amountMinor)],
    ['58', 'ID'],
    ['59', 'TEST PAYMENT'],
    ['60', 'JAKARTA'],
    ['61', '10110'],
    [
      '62',
      [
        ['01', reference],
        ['07', 'TEST'],
      ],
    ],
  ]);
}

function deriveDigits(orderId: OrderId): string {
  const value = Number.parseInt(orderId.slice(0, 8), 16);
  return String(value).padStart(VA_DIGITS, '0');
}

/** An order's settlement is always the same, simulated or by itself, so it counts once. */
export function buildSandboxSettlement(
  orderId: OrderId,
  money: Pick<Settlement, 'amountMinor' | 'currency'>,
): Settlement {
  return {
    rail: 'sandbox',
    railTransactionId: `sandbox-${orderId}`,
    orderId,
    amountMinor: money.amountMinor,
    currency: money.currency,
    settledAtMs: null,
  };
}

export function answerSandboxRefund(paymentAmountMinor: AmountMinor): RefundAnswer {
  return findSandboxBehaviour(paymentAmountMinor) === 'pays_and_refunds_by_hand'
    ? { result: 'manual_required' }
    : { result: 'succeeded', railReference: null };
}
