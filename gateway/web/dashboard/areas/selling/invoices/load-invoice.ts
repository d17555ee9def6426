// Loads one invoice for its views.
import { queryOptions } from '@tanstack/react-query';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';

export const invoiceQuery = (invoiceId: string) =>
  queryOptions({
    queryKey: ['invoice', invoiceId],
    queryFn: () =>
      unwrap(
        api.GET('/v1/merchants/me/invoices/{invoice_id}', {
          params: { path: { invoice_id: invoiceId } },
        }),
      ),
  });
