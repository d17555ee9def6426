// Charges at Midtrans: the request, and the payment instructions in the reply. The request holds no more data of payer and
// merchant than Midtrans requires.
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { ChargeCall } from '#actors/core/payment/rail-calls.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import type { Instructions } from '#actors/core/rails/answers.js';
import { readPayload } from '#actors/core/rails/emv-qr.js';
import { unreachable } from '#actors/core/unreachable.js';
import type { Payer } from '../rail.js';
import { isAccountNumber, formatPayerName, writeRailAmount } from '../wire.js';
import { writeJakartaTime } from './wire.js';

/** At most 10 characters. */
const BILL_LABEL = 'Pembayaran';

/** Body codes of orders that were not taken. 406 (the order exists) is not among them. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 402, 408, 410, 411, 413]);

export function isChargeDeclined(code: number): boolean {
  return REFUSALS.has(code);
}

/** null: no time is left to pay in. `order_time` is our clock's, so that a slow request does not move the expiry. */
export function buildChargeBody(call: ChargeCall, payer: Payer, nowMs: number): object | null {
  const leftS = Math.floor(call.expiresAtMs / 1000) - Math.ceil(nowMs / 1000);
  if (leftS < 1) return null;
  return {
    ...buildChannel(call.method, payer),
    transaction_details: {
      order_id: call.orderId,
      gross_amount: writeRailAmount(call.amountMinor),
    },
    custom_expiry: {
      order_time: `${writeJakartaTime(Math.ceil(nowMs / 1000) * 1000)} +0700`,
      expiry_duration: leftS,
      unit: 'second',
    },
  };
}

function buildChannel(method: ChargeableMethod, payer: Payer): object {
  switch (method) {
    case 'QRIS':
      return { payment_type: 'qris', qris: { acquirer: 'gopay' } };
    case 'VA_BCA':
      return buildBankTransfer('bca');
    case 'VA_BNI':
      return buildBankTransfer('bni');
    case 'VA_BRI':
      return buildBankTransfer('bri');
    case 'VA_PERMATA':
      return buildBankTransfer('permata');
    case 'VA_MANDIRI':
      return {
        payment_type: 'echannel',
        echannel: { bill_info1: BILL_LABEL, bill_info2: formatPayerName(payer) },
      };
    default:
      return unreachable(method);
  }
}

function buildBankTransfer(bank: string): object {
  return { payment_type: 'bank_transfer', bank_transfer: { bank } };
}

const Numbers = TypeCompiler.Compile(
  Type.Object({
    va_numbers: Type.Array(Type.Object({ va_number: Type.String() }), { minItems: 1 }),
  }),
);
const PermataNumber = TypeCompiler.Compile(Type.Object({ permata_va_number: Type.String() }));
const Bill = TypeCompiler.Compile(
  Type.Object({
    bill_key: Type.String(),
    biller_code: Type.String({ pattern: '^[0-9]{1,10}$' }),
  }),
);
const QrString = TypeCompiler.Compile(Type.Object({ qr_string: Type.String() }));

/** unusable: there are instructions, and they must not be shown. */
export type ReadInstructions = Instructions | 'unusable';

/** Reads the payment instructions from the reply to a charge or from a status; null when there are none. */
export function readInstructions(body: object): ReadInstructions | null {
  if (QrString.Check(body)) return buildQrInstructions(body.qr_string);
  if (Bill.Check(body)) return buildAccountInstructions(body.bill_key, body.biller_code);
  if (PermataNumber.Check(body)) return buildAccountInstructions(body.permata_va_number, null);
  if (Numbers.Check(body)) return buildAccountInstructions(body.va_numbers[0]?.va_number, null);
  return null;
}

export function buildQrInstructions(written: string): ReadInstructions {
  const payload = readPayload(written);
  return payload === null ? 'unusable' : { kind: 'qr', payload };
}

function buildAccountInstructions(number: unknown, billerCode: string | null): ReadInstructions {
  return isAccountNumber(number) ? { kind: 'virtual_account', number, billerCode } : 'unusable';
}

const Actions = TypeCompiler.Compile(
  Type.Object({ actions: Type.Array(Type.Object({ name: Type.String(), url: Type.String() })) }),
);
const QR_ACTION = 'generate-qr-code';

/**
 * Returns the path of the QR code's picture: the reply's action when it leads below Midtrans' own address, else the path
 * that every transaction has. A reply never makes us call another server.
 */
export function findQrImagePath(body: object, transactionId: string, baseUrl: string): string {
  const action = Actions.Check(body)
    ? body.actions.find(({ name }) => name === QR_ACTION)?.url
    : undefined;
  if (action?.startsWith(`${baseUrl}/`) === true && URL.canParse(action)) {
    return action.slice(baseUrl.length);
  }
  return `/v2/qris/${transactionId}/qr-code`;
}
