// The settings of the merchant: how its customers see it, and its mails.
import { queryOptions } from '@tanstack/react-query';
import { api, type MerchantSchema } from './client.js';
import { unwrap } from './failure.js';

export type Settings = MerchantSchema['MerchantSettings'];

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: () => unwrap(api.GET('/v1/merchants/me/settings')),
});
