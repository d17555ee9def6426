// The banks that a payout can go to. They do not change while a page is open.
import { queryOptions } from '@tanstack/react-query';
import { api } from './client.js';
import { unwrap } from './failure.js';

export const payoutBanksQuery = queryOptions({
  queryKey: ['payout-banks'],
  queryFn: () => unwrap(api.GET('/v1/merchants/me/payout-banks')),
  staleTime: Infinity,
});
