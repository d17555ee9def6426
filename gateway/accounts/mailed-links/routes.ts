// The pages to which mails lead: to confirm an address, to choose a new password, to accept an invitation.
import { buildPageLayout, type PayablePageDeps } from '#gateway/selling/checkout/payable-page.js';
import { buildPageReply } from '#gateway/pages/respond.js';
import { defineOpenRoute, type Route } from '#gateway/routing/route.js';
import { renderMailedLink } from './page.js';
import { LINK_PURPOSES } from './page-texts.js';

const SUMMARIES = {
  verify: 'The page to confirm an e-mail address',
  reset: 'The page to choose a new password',
  join: 'The page to accept an invitation',
} as const;

export const buildMailedLinkRoutes = (
  deps: Pick<PayablePageDeps, 'brand' | 'assets' | 'baseUrl'>,
): readonly Route[] =>
  LINK_PURPOSES.map((purpose) =>
    defineOpenRoute({
      method: 'GET',
      path: `/dashboard/${purpose}`,
      cpuUs: 150,
      summary: SUMMARIES[purpose],
      description:
        'The secret of a mailed link follows its `#`, so that no server sees it. Opened without it, the page asks for the code ' +
        'of the mail.',
      limit: 'checkout',
      answers: { 200: null },
      handle: ({ preferences }) => {
        const layout = buildPageLayout(deps, preferences, 'entry.css');
        const page = renderMailedLink(layout, purpose, deps.assets.findPath('mailed-link.js'));
        return buildPageReply(200, page, layout.language);
      },
    }),
  );
