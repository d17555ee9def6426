// The parsed fields of a create request, as the machine holds them.
import type { AmountMinor, Currency } from '../money.js';
import type { PaymentMethodId } from '../payment-methods.js';

export interface PaymentRequest {
  readonly amountMinor: AmountMinor;
  readonly currency: Currency;
  readonly description: string | null;
  readonly referenceId: string | null;
  readonly paymentMethod: PaymentMethodId | null;
  readonly customerName: string | null;
  readonly customerEmail: string | null;
  readonly customerPhone: string | null;
  readonly successUrl: string | null;
  readonly cancelUrl: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** null: the method's own. */
  readonly expiresInS: number | null;
}
