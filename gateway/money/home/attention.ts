// Matters of a merchant that need its attention now.
import type { BalanceBody } from '#actors/core/schemas/balance.js';
import {
  countFailingWebhooks,
  countManualRefunds,
  countPaymentMatters,
  type LiveState,
  readLiveState,
} from '#store/postgres/merchants/count-open-matters.js';
import { readBalance } from '../balance/handlers.js';
import type { StoreDeps } from '#gateway/lists/listing.js';
import { findTenant } from '#gateway/auth/tenant-request.js';
import type { NoParams } from '#gateway/routing/request.js';
import { type Answer, reply } from '#gateway/routing/response.js';
import { isAllowed } from '#gateway/routing/roles.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';
import type { Attention, AttentionQuery, LiveStep } from './schema.js';

/** 200. Matters that the role may not read are null. */
export async function showAttention(
  deps: StoreDeps,
  request: MerchantRequest<NoParams, undefined, AttentionQuery>,
): Promise<Answer> {
  const tenant = findTenant(request);
  const { merchantId, environment } = tenant;
  const { isVerified } = request.session;
  const readsWebhooks = isAllowed(request.session.role, 'read_webhooks');
  const body = await deps.readList(merchantId, async (lists): Promise<Attention> => {
    const webhooks = readsWebhooks
      ? await countFailingWebhooks(lists, merchantId, environment)
      : null;
    const matters = await countPaymentMatters(lists, merchantId, environment);
    const live = await readLiveState(lists, merchantId);
    return {
      object: 'attention',
      environment,
      dead_letters: webhooks?.deadLetters ?? null,
      failing_endpoints: webhooks?.failingEndpoints ?? null,
      refusing_endpoints: webhooks?.refusingEndpoints ?? null,
      charged_back: matters.chargedBack,
      paid_late: matters.paidLate,
      going_live: listSteps(live, isVerified),
      manual_refunds: await countManualRefunds(lists, merchantId, environment),
      negative_balances: listNegative(await readBalance({ lists }, tenant)),
    };
  });
  return reply(200, JSON.stringify(body));
}

function listSteps(live: LiveState | undefined, isVerified: boolean): LiveStep[] {
  const address: LiveStep[] = isVerified ? [] : ['address_unconfirmed'];
  return live === undefined ? address : [...address, ...listStepsOf(live)];
}

function listStepsOf(live: LiveState): LiveStep[] {
  switch (live.verificationStatus) {
    case 'UNVERIFIED':
      return ['verification_missing'];
    case 'PENDING':
      return ['verification_pending'];
    case 'REJECTED':
      return ['verification_rejected'];
    case 'SUSPENDED':
      return ['live_stopped'];
    default:
      return [
        ...listIf(live.isSwitchedOff, 'live_stopped'),
        ...listIf(!live.isLiveEnabled, 'live_off'),
        ...listIf(!live.hasKey, 'key_missing'),
        ...listIf(!live.hasEndpoint, 'endpoint_missing'),
      ];
  }
}

const listIf = (is: boolean, step: LiveStep): LiveStep[] => (is ? [step] : []);

const listNegative = ({ data }: BalanceBody): Attention['negative_balances'] =>
  data
    .filter(({ available }) => available.startsWith('-'))
    .map(({ currency, available }) => ({ currency, available }));
