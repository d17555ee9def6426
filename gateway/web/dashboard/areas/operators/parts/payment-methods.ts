// The payment methods, as the API takes them.
import type { AdministratorSchema } from '@dashboard/shared/api/client.js';

export type PaymentMethod = AdministratorSchema['SetMerchantRailsRequest']['payment_method'];

export const PAYMENT_METHODS: PaymentMethod[] = [
  ...(['QRIS', 'VA_BCA', 'VA_BNI', 'VA_BRI', 'VA_MANDIRI', 'VA_PERMATA'] as const),
];
