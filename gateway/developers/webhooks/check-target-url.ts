// The check of an endpoint's URL before it is stored. A look-up of a name takes 1.2 ms of CPU, and 3 s when nobody answers,
// so a merchant has a few at the same time: others are refused at once instead of waiting.
import type { Cidr } from '#ops/net/address.js';
import { checkTarget, type Resolve, TargetRefusedError } from '#ops/net/target.js';
import { MAX_URL_CHARACTERS } from '#actors/core/urls.js';
import { Shares } from '#ops/runtime/shares.js';
import { type ApiError, buildApiError } from '#gateway/routing/response.js';
import { URL_FORM } from './schema.js';

/** Look-ups of one gateway at the same time. */
const BOUNDS = { total: 256, perHolder: 4 } as const;
/** As long as a look-up takes when nobody answers. */
const RETRY_AFTER_S = 3;

const TOO_MANY = buildApiError('rate_limited', {
  message:
    `As many URLs of this merchant are being checked as may be: ${BOUNDS.perHolder}, and fewer while others check many. ` +
    `Try again in ${RETRY_AFTER_S} s.`,
  retryAfterSeconds: RETRY_AFTER_S,
});
const OVERLOADED = buildApiError('overloaded', { retryAfterSeconds: RETRY_AFTER_S });
const TOO_LONG = buildApiError('field_invalid', {
  message: `url ${URL_FORM}, with percent-encoding.`,
  param: 'url',
});

/** Resolves with the URL in the form that is stored (actors/core/urls.ts), if webhooks may be sent to it. */
export type CheckTargetUrl = (merchantId: string, url: string) => Promise<string | ApiError>;

export function createTargetUrlCheck(allowed: readonly Cidr[], resolve: Resolve): CheckTargetUrl {
  const shares = new Shares(BOUNDS);
  return async (merchantId, url) => {
    const release = shares.take(merchantId);
    if (release === 'holder') return TOO_MANY;
    if (release === 'all') return OVERLOADED;
    try {
      const { href } = await checkTarget(url, allowed, resolve);
      return href.length <= MAX_URL_CHARACTERS ? href : TOO_LONG;
    } catch (error) {
      if (!(error instanceof TargetRefusedError)) throw error;
      const message = `url is not allowed: ${error.message}.`;
      return buildApiError('target_refused', { message, param: 'url' });
    } finally {
      release();
    }
  };
}
