// Matters of a merchant that need its attention now.
import type { BalanceBody } from '#actors/core/schemas/balance.js';
import {
  countFailingWebhooks,
  countManualRefunds,
} from '#store/postgres/merchants/count-open-matters.js';
import { readBalance } from '../balance/handlers.js';
import type { StoreDeps } from '../lists/listing.js';
import { findOwner } from '../merchants/owner-request.js';
import type { NoParams } from '../routing/request.js';
import { type Answer, reply } from '../routing/response.js';
import { isAllowed } from '../routing/roles.js';
import type { MerchantRequest } from '../routing/session-route.js';
import type { Attention, AttentionQuery } from './schema.js';

/** 200. Matters that the role may not read are null. */
export async function showAttention(
  deps: StoreDeps,
  request: MerchantRequest<NoParams, undefined, AttentionQuery>,
): Promise<Answer> {
  const owner = findOwner(request);
  const { merchantId, environment } = owner;
  const readsWebhooks = isAllowed(request.session.role, 'read_webhooks');
  const body = await deps.readList(merchantId, async (lists): Promise<Attention> => {
    const webhooks = readsWebhooks
      ? await countFailingWebhooks(lists, merchantId, environment)
      : null;
    return {
      object: 'attention',
      environment,
      dead_letters: webhooks?.deadLetters ?? null,
      failing_endpoints: webhooks?.failingEndpoints ?? null,
      manual_refunds: await countManualRefunds(lists, merchantId, environment),
      negative_balances: listNegative(await readBalance({ lists }, owner)),
    };
  });
  return reply(200, JSON.stringify(body));
}

const listNegative = ({ data }: BalanceBody): Attention['negative_balances'] =>
  data
    .filter(({ available }) => available.startsWith('-'))
    .map(({ currency, available }) => ({ currency, available }));
