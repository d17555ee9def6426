// A merchant with its verification, and its place in the cache.
import type { AdministratorSchema } from '@dashboard/shared/api/client.js';

export type MerchantDetails = AdministratorSchema['MerchantDetails'];

export const buildMerchantKey = (merchantId: string) => ['admin', 'merchant', merchantId];
