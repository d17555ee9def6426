// The steps that are missing before LIVE payments, and the view where each is made.
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import type { Environment } from '@dashboard/shared/session/environment.js';

type Attention = MerchantSchema['Attention'];
export type LiveStep = Attention['going_live'][number];

const VIEWS: Readonly<Record<LiveStep, string>> = {
  address_unconfirmed: '/account',
  verification_missing: '/verification',
  verification_pending: '/verification',
  verification_rejected: '/verification',
  live_stopped: '/going-live',
  live_off: '/going-live',
  key_missing: '/api-keys',
  endpoint_missing: '/webhooks',
};

export const findStepView = (step: LiveStep): string => VIEWS[step];

/** A verification that is being checked needs nobody while the merchant looks at TEST. */
export const listLiveSteps = (
  { going_live: steps }: Attention,
  environment: Environment,
): readonly LiveStep[] =>
  steps.filter((step) => environment === 'LIVE' || step !== 'verification_pending');
