// The stream of changes for the pages of a merchant.
import { Shares } from '#ops/runtime/shares.js';
import { findTenant } from '#gateway/auth/tenant-request.js';
import { EnvironmentQuery } from '#gateway/routing/schema-parts.js';
import { type Answer, buildApiError, replyWithStream } from '#gateway/routing/response.js';
import { buildQuerySpec, type Route } from '#gateway/routing/route.js';
import { defineMerchantRoute } from '#gateway/routing/session-route.js';
import type { ChangeFeed } from './change-feed.js';
import { type FollowingSession, openEventStream } from './event-stream.js';

const EVENT_STREAM = 'text/event-stream';
/** Streams of one gateway, of all merchants and of one (ops/runtime/shares.ts). */
const BOUNDS = { total: 2_000, perHolder: 50 } as const;
const RETRY_AFTER_S = 30;
/** For proxies: nothing may be kept back. */
const HEADERS = [['X-Accel-Buffering', 'no']] as const;

const WRONG_TYPE = buildApiError('field_invalid', {
  param: 'Accept',
  message: `Accept must include ${EVENT_STREAM}.`,
});
const TOO_MANY = buildApiError('rate_limited', {
  message:
    `This merchant follows as many streams as it may: ${BOUNDS.perHolder}, and fewer while other merchants follow many. ` +
    'Poll instead, or close one.',
  retryAfterSeconds: RETRY_AFTER_S,
});
const OVERLOADED = buildApiError('overloaded', { retryAfterSeconds: RETRY_AFTER_S });

export interface ChangeDeps {
  readonly changeFeed: ChangeFeed;
}

export function buildChangeRoutes({ changeFeed }: ChangeDeps): readonly Route[] {
  const shares = new Shares(BOUNDS);
  return [
    defineMerchantRoute({
      method: 'GET',
      permission: 'read_payments',
      path: '/v1/merchants/me/changes',
      operationId: 'followChanges',
      summary: 'Follow changes of payments, payouts and deliveries',
      description:
        'Server-sent events, for `EventSource`. `ready` comes first: load again what is shown. `changes` has ' +
        '`{"ids": ["pay_…", "po_…", "we_…"]}`, at most once a second: payments and payouts that changed, and webhook ' +
        'endpoints whose deliveries were attempted or replayed. `ids` is null when any may have changed. Only roles that ' +
        'may read payouts or webhooks get their ids. The stream does not announce new payments and may miss deliveries, ' +
        'so also poll from time to time. The stream ends after five minutes, and when the session ' +
        'ends or the role changes; `EventSource` connects again. Needs ' +
        `\`Accept: ${EVENT_STREAM}\`.`,
      query: buildQuerySpec(EnvironmentQuery),
      answers: { 200: null },
      mediaType: EVENT_STREAM,
      errors: ['overloaded'],
      handle: (request) =>
        request.preferences.accept.includes(EVENT_STREAM)
          ? follow(changeFeed, shares, {
              ...findTenant(request),
              sessionId: request.session.id,
              role: request.session.role,
            })
          : WRONG_TYPE,
    }),
  ];
}

function follow(feed: ChangeFeed, shares: Shares, session: FollowingSession): Answer {
  const release = shares.take(session.merchantId);
  if (release === 'holder') return TOO_MANY;
  if (release === 'all') return OVERLOADED;
  return replyWithStream(EVENT_STREAM, openEventStream(feed, session, release), HEADERS);
}
