// The verification of the merchant, and the request that submits it.
import { queryOptions } from '@tanstack/react-query';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { queryClient } from '@dashboard/shared/api/queries.js';
import { sessionQuery } from '@dashboard/shared/session/session.js';
import { cleanValues, type KycValues } from './form-values.js';

export const kycQuery = queryOptions({
  queryKey: ['kyc'],
  queryFn: () => unwrap(api.GET('/v1/merchants/kyc')),
});

export async function submitKyc(values: KycValues): Promise<void> {
  const body = cleanValues(values);
  const kyc = await unwrap(api.POST('/v1/merchants/kyc/submit', { body }));
  queryClient.setQueryData(kycQuery.queryKey, kyc);
  await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
}
