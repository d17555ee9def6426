// What a checkout page shows below the amount: a choice, what to pay, or how it ended.
import { type ChargeableMethod, PAYMENT_METHODS } from '#actors/core/payment-methods.js';
import type { Instructions } from '#actors/core/rails/answers.js';
import { html, type Html } from '../pages/html.js';
import { formatDeadline, formatTimeLeft, groupDigits } from './format.js';
import { qrSvg } from './qr.js';
import { BANKS, type Texts } from './texts.js';
import type { Checkout } from './view.js';

/** `fault`: what was wrong with the choice before. */
export function renderChoice(texts: Texts, checkout: Checkout, fault: string | null): Html {
  if (checkout.offers.length === 0) return renderNoChoice(texts, checkout);
  return html`<section class="choice">
    <h1>${texts.chooseTitle}</h1>
    ${fault === null ? null : html`<p class="fault" role="alert">${fault}</p>`}
    <form method="post" action="/checkout/${checkout.id}/method">
      <fieldset>
        <legend class="spoken">${texts.chooseTitle}</legend>
        ${checkout.offers.map((method) => renderOffer(texts, method, checkout))}
      </fieldset>
      <p class="hint">${texts.chooseText}</p>
      <button type="submit">${texts.chooseButton}</button>
    </form>
    ${renderDeadline(texts, checkout)} ${renderLeave(texts, checkout)}
  </section>`;
}

function renderNoChoice(texts: Texts, checkout: Checkout): Html {
  return html`<section class="choice">
    <h1>${texts.noMethods.title}</h1>
    <p>${texts.noMethods.text}</p>
    ${renderLeave(texts, checkout)}
  </section>`;
}

function renderOffer(texts: Texts, method: ChargeableMethod, checkout: Checkout): Html {
  const isChosen = method === (checkout.method ?? checkout.offers[0]);
  const hint = method === 'QRIS' ? texts.qrisHint : texts.bankHint;
  return html`<label class="offer">
    <input
      type="radio"
      name="payment_method"
      value="${method}"
      required
      ${isChosen ? html`checked` : null}
    />
    <span>
      <strong>${nameOf(method)}</strong>
      <small>${hint}</small>
    </span>
  </label>`;
}

function nameOf(method: ChargeableMethod): string {
  return method === 'QRIS' ? PAYMENT_METHODS.QRIS.name : BANKS[method];
}

export function renderPay(texts: Texts, checkout: Checkout): Html {
  const { instructions, offers } = checkout;
  const change = html`<p class="change">
    <a href="/checkout/${checkout.id}/method">${texts.changeMethod}</a>
  </p>`;
  return html`<section class="pay">
    ${instructions === null ? null : renderTarget(texts, checkout, instructions)}
    ${renderDeadline(texts, checkout)}
    <p class="waiting">
      <span data-script hidden>${texts.waiting}</span>
      <noscript>${texts.waitingNoScript}</noscript>
    </p>
    ${instructions === null ? null : renderSteps(texts, stepsOf(texts, checkout, instructions))}
    ${offers.length > 1 ? change : null} ${renderLeave(texts, checkout)}
  </section>`;
}

/** What the money is sent to. */
function renderTarget(texts: Texts, checkout: Checkout, instructions: Instructions): Html {
  if (instructions.kind === 'qr') return renderQr(texts, checkout, instructions.payload);
  const { number, billerCode } = instructions;
  return html`<h1>${texts.vaTitle(bankOf(checkout))}</h1>
    ${billerCode === null ? null : renderNumber(texts, texts.billerCode, billerCode)}
    ${renderNumber(texts, texts.vaNumber, number)}`;
}

function stepsOf(texts: Texts, checkout: Checkout, { kind }: Instructions): readonly string[] {
  return kind === 'qr' ? texts.qrSteps : texts.vaSteps(bankOf(checkout));
}

function bankOf({ method }: Checkout): string {
  return method === null || method === 'QRIS' ? '' : BANKS[method];
}

function renderQr(texts: Texts, checkout: Checkout, payload: string): Html {
  return html`<h1>${texts.qrTitle}</h1>
    <div class="code">${qrSvg(payload, texts.qrLabel)}</div>
    <p class="save">
      <a href="/checkout/${checkout.id}/qr.png" download="${checkout.id}.png">${texts.qrSave}</a>
    </p>`;
}

function renderNumber(texts: Texts, label: string, number: string): Html {
  return html`<div class="number">
    <p class="label">${label}</p>
    <p class="digits">
      <output>${groupDigits(number)}</output>
      <button type="button" class="copy" data-copy="${number}" data-copied="${texts.copied}" hidden>
        ${texts.copy}<span class="spoken"> ${label}</span>
      </button>
    </p>
  </div>`;
}

function renderSteps(texts: Texts, steps: readonly string[]): Html {
  return html`<h2>${texts.stepsTitle}</h2>
    <ol>
      ${steps.map((step) => html`<li>${step}</li>`)}
    </ol>`;
}

function renderDeadline(texts: Texts, { expiresAtMs, nowMs }: Checkout): Html {
  const leftMs = expiresAtMs - nowMs;
  return html`<p class="deadline">
    <span>
      ${texts.payBefore}
      <time datetime="${new Date(expiresAtMs).toISOString()}"
        >${formatDeadline(expiresAtMs, texts.locale)}</time
      >
    </span>
    <span class="left">
      ${texts.timeLeft}
      <strong role="timer" data-left-ms="${leftMs}">${formatTimeLeft(leftMs)}</strong>
    </span>
  </p>`;
}

/** A way back to the shop; it cancels nothing. */
function renderLeave(texts: Texts, { cancelUrl, merchantName }: Checkout): Html | null {
  if (cancelUrl === null) return null;
  return html`<p class="leave"><a href="${cancelUrl}">${texts.backTo(merchantName)}</a></p>`;
}

const MARKS: Readonly<Record<string, string>> = { paid: '✓', refunded: '↩', wait: '…' };

export function renderOutcome(texts: Texts, checkout: Checkout): Html {
  const { stage, merchantName } = checkout;
  if (stage === 'choose' || stage === 'pay') throw new Error(`${stage} is no outcome`);
  const { title, text } = texts.outcomes[stage];
  const isPaid = stage === 'paid';
  const url = isPaid ? checkout.successUrl : checkout.cancelUrl;
  const link = html`<p class="leave">
      <a class="button" href="${url}" ${isPaid ? html`data-return` : null}
        >${texts.backTo(merchantName)}</a
      >
    </p>
    ${isPaid ? html`<p class="hint" data-redirecting hidden>${texts.redirecting}</p>` : null}`;
  return html`<section class="outcome" role="status">
    <p class="mark ${stage}" aria-hidden="true">${MARKS[stage] ?? '×'}</p>
    <h1>${title}</h1>
    <p>${text}</p>
    ${url === null || stage === 'wait' ? null : link}
  </section>`;
}
