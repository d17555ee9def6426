// The pages of a checkout as HTTP replies.
import type { HeaderPair, Reply } from '../routing/response.js';
import { buildPageReply } from '../pages/respond.js';
import type { Html } from '../pages/html.js';
import { type Frame, renderCheckout, renderMessage } from './layout.js';
import { renderChoice, renderOutcome, renderPay } from './render-phases.js';
import type { Checkout } from './view.js';

export function showCheckout(frame: Frame, checkout: Checkout): Reply {
  const { texts, language } = frame;
  const { phase } = checkout;
  if (phase === 'choose') return buildPageReply(200, renderChoicePage(frame, checkout), language);
  const content = phase === 'pay' ? renderPay(texts, checkout) : renderOutcome(texts, checkout);
  const isRefreshing = phase === 'pay' || phase === 'wait';
  return buildPageReply(200, renderCheckout(frame, checkout, content, isRefreshing), language);
}

/** `fault`: the reason why the previous choice failed; the status is 400 then. */
export function showChoice(frame: Frame, checkout: Checkout, fault: string | null): Reply {
  const document = renderChoicePage(frame, checkout, fault);
  return buildPageReply(fault === null ? 200 : 400, document, frame.language);
}

function renderChoicePage(frame: Frame, checkout: Checkout, fault: string | null = null): Html {
  const refusal = checkout.isRefused ? frame.texts.methodUnavailable : null;
  return renderCheckout(
    frame,
    checkout,
    renderChoice(frame.texts, checkout, fault ?? refusal),
    false,
  );
}

export function showNotFound(frame: Frame): Reply {
  return buildPageReply(404, renderMessage(frame, frame.texts.notFound), frame.language);
}

/** `headers` describe the limit. */
export function showTooMany(frame: Frame, headers: readonly HeaderPair[]): Reply {
  const reply = buildPageReply(429, renderMessage(frame, frame.texts.tooMany), frame.language);
  return { ...reply, headers: [...reply.headers, ...headers] };
}

/** Postgres cannot be queried, or an outcome is not known yet. */
export function showUnavailable(frame: Frame, status: number): Reply {
  return buildPageReply(status, renderMessage(frame, frame.texts.unavailable), frame.language);
}
