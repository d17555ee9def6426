// The pages of a checkout as HTTP replies.
import type { HeaderPair, Reply } from '#gateway/routing/response.js';
import { buildPageReply } from '#gateway/pages/respond.js';
import type { Html } from '#gateway/pages/html.js';
import { type Layout, renderCheckout, renderMessage } from './layout.js';
import { renderChoice, renderOutcome, renderPay } from './render-phases.js';
import type { Checkout } from './view.js';

export function showCheckout(layout: Layout, checkout: Checkout): Reply {
  const { texts, language } = layout;
  const { phase } = checkout;
  if (phase === 'choose') return buildPageReply(200, renderChoicePage(layout, checkout), language);
  const content = phase === 'pay' ? renderPay(texts, checkout) : renderOutcome(texts, checkout);
  const isRefreshing = phase === 'pay' || phase === 'wait';
  return buildPageReply(200, renderCheckout(layout, checkout, content, isRefreshing), language);
}

/** `fault`: the reason why the previous choice failed; the status is 400 then. */
export function showChoice(layout: Layout, checkout: Checkout, fault: string | null): Reply {
  const document = renderChoicePage(layout, checkout, fault);
  return buildPageReply(fault === null ? 200 : 400, document, layout.language);
}

function renderChoicePage(layout: Layout, checkout: Checkout, fault: string | null = null): Html {
  const refusal = checkout.isRefused ? layout.texts.methodUnavailable : null;
  return renderCheckout(
    layout,
    checkout,
    renderChoice(layout.texts, checkout, fault ?? refusal),
    false,
  );
}

export function showNotFound(layout: Layout): Reply {
  return buildPageReply(404, renderMessage(layout, layout.texts.notFound), layout.language);
}

/** `headers` describe the limit. */
export function showTooMany(layout: Layout, headers: readonly HeaderPair[]): Reply {
  const reply = buildPageReply(429, renderMessage(layout, layout.texts.tooMany), layout.language);
  return { ...reply, headers: [...reply.headers, ...headers] };
}

/** Postgres cannot be queried, or an outcome is not known yet. */
export function showUnavailable(layout: Layout, status: number): Reply {
  return buildPageReply(status, renderMessage(layout, layout.texts.unavailable), layout.language);
}
