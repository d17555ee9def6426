// The form on the page of a payment link. Amounts are parsed as people in Indonesia write them.
import { type Static, Type } from '@sinclair/typebox';
import { type AmountMinor, parseAmount } from '#actors/core/money.js';
import { readWrittenNumber } from '#actors/core/written-number.js';
import { EMAIL_REQUIREMENT } from '#actors/core/schemas/fields.js';
import { readFreeText, readSentEmail } from '#actors/core/requests/sent-texts.js';
import { findEmailError, findFreeTextError } from '#actors/core/requests/validation.js';
import type { PaymentLink } from '#store/postgres/links-and-invoices/payment-links.js';
import type { LinkFault } from './page-texts.js';

export const UseLinkRequest = Type.Object(
  {
    token: Type.String({
      pattern: '^[0-9a-z]{26}$',
      errorMessage: 'must be 26 digits and small letters',
      description:
        'A random token, from the page or the sender. Token and amount make the submission idempotent.',
      examples: ['5jz8q4m1n7v2c9k3x6w0t4h8rb'],
    }),
    amount: Type.Optional(
      Type.String({
        maxLength: 40,
        description: 'For links without an amount. Dots and commas may group the digits.',
        examples: ['150.000'],
      }),
    ),
    customer_name: Type.Optional(Type.String({ maxLength: 256 })),
    customer_email: Type.Optional(Type.String({ maxLength: 254, errorMessage: EMAIL_REQUIREMENT })),
  },
  { additionalProperties: false, description: 'The form of a payment link.' },
);
export type UseLinkBody = Static<typeof UseLinkRequest>;

const MAX_NAME_CHARACTERS = 128;
export const NAME_REQUIREMENT = `must have at most ${MAX_NAME_CHARACTERS} characters`;
/** undefined: the text is no amount. */
function readAmount(text: string): AmountMinor | undefined {
  const digits = readWrittenNumber(text);
  const amount = digits === undefined ? 'amount_invalid' : parseAmount(digits);
  return typeof amount === 'bigint' ? amount : undefined;
}

export interface LinkPaymentInput {
  readonly amountMinor: AmountMinor;
  readonly customerName: string | null;
  readonly customerEmail: string | null;
}

/** The amount and the customer, or the first error of the form. */
export function readForm(link: PaymentLink, body: UseLinkBody): LinkPaymentInput | LinkFault {
  const amountMinor = readAmount(link.amount ?? body.amount ?? '');
  if (amountMinor === undefined) return 'amount';
  if (link.amount === null && !isWithinBounds(link, amountMinor)) return 'bounds';
  const customerName = mapBlankToNull(readFreeText(body.customer_name ?? ''));
  const customerEmail = readSentEmail(body.customer_email ?? '') ?? null;
  if (customerName !== null) {
    if ([...customerName].length > MAX_NAME_CHARACTERS) return 'name';
    if (findFreeTextError(customerName) !== null) return 'card';
  }
  const fault = customerEmail === null ? null : findEmailError(customerEmail);
  if (fault !== null) return fault === 'card_data_refused' ? 'card' : 'email';
  return { amountMinor, customerName, customerEmail };
}

function isWithinBounds({ minAmount, maxAmount }: PaymentLink, amount: AmountMinor): boolean {
  return amount >= BigInt(minAmount ?? 1) && (maxAmount === null || amount <= BigInt(maxAmount));
}

function mapBlankToNull(text: string | undefined): string | null {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}
