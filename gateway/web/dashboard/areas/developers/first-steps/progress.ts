// The steps that the merchant has done so far. The API is asked again all the time, because people do the steps elsewhere:
// in a terminal, on the checkout, at their server.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';

export const STEPS = ['key', 'payment', 'paid', 'endpoint', 'webhook', 'live'] as const;
export type Step = (typeof STEPS)[number];

const REFRESH_MS = 3_000;
const ENVIRONMENT = 'TEST';

export interface Progress {
  readonly hasKey: boolean;
  /** The newest. */
  readonly payment: MerchantSchema['Payment'] | null;
  readonly hasPaid: boolean;
  /** The newest that is active. */
  readonly endpoint: MerchantSchema['WebhookEndpoint'] | null;
  readonly hasDelivered: boolean;
  readonly merchant: MerchantSchema['Merchant'] | null;
}

export function isDone(step: Step, made: Progress): boolean {
  switch (step) {
    case 'key':
      return made.hasKey;
    case 'payment':
      return made.payment !== null;
    case 'paid':
      return made.hasPaid;
    case 'endpoint':
      return made.endpoint !== null;
    case 'webhook':
      return made.hasDelivered;
    case 'live':
      return made.merchant?.liveEnabled === true;
  }
}

export const useProgress = (): UseQueryResult<Progress> =>
  useQuery({ queryKey: ['first-steps'], queryFn: loadProgress, refetchInterval: REFRESH_MS });

async function loadProgress(): Promise<Progress> {
  const [keys, payments, paid, endpoints, merchant] = await Promise.all([
    unwrap(
      api.GET('/v1/merchants/me/api-keys', { params: { query: { environment: ENVIRONMENT } } }),
    ),
    listPayments({}),
    listPayments({ status: 'paid' }),
    unwrap(
      api.GET('/v1/merchants/me/webhooks', { params: { query: { environment: ENVIRONMENT } } }),
    ),
    unwrap(api.GET('/v1/merchants/me')),
  ]);
  const endpoint = endpoints.data.find(({ active }) => active) ?? null;
  return {
    hasKey: keys.data.some(({ status }) => status !== 'revoked'),
    payment: payments.data[0] ?? null,
    hasPaid: paid.data.length > 0,
    endpoint,
    hasDelivered: endpoint !== null && (await hasDelivered(endpoint.id)),
    merchant,
  };
}

const listPayments = (filter: { readonly status?: 'paid' }) => {
  const query = { ...filter, environment: ENVIRONMENT, limit: 1 } as const;
  return unwrap(api.GET('/v1/merchants/me/payments', { params: { query } }));
};

async function hasDelivered(webhookId: string): Promise<boolean> {
  const { data } = await unwrap(
    api.GET('/v1/merchants/me/webhooks/{webhook_id}/deliveries', {
      params: { path: { webhook_id: webhookId }, query: { status: 'delivered', limit: 1 } },
    }),
  );
  return data.length > 0;
}
