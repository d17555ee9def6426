// The part of a checkout page below the amount: the choice of a method, the payment instructions, or the outcome.
import { type ChargeableMethod, PAYMENT_METHODS } from '#actors/core/payment-methods.js';
import type { Instructions } from '#actors/core/rails/answers.js';
import { renderAround, renderHtml, type Html } from '#gateway/pages/html.js';
import { renderCopyButton } from './copy-button.js';
import { renderBankSteps } from './bank-steps.js';
import {
  formatDeadline,
  formatRupiah,
  formatTimeLeft,
  groupDigits,
} from '#gateway/pages/format.js';
import { renderQrSvg } from './qr-picture.js';
import { listReceiptRows } from './receipt.js';
import { BANKS, type Texts } from './texts.js';
import type { Checkout } from './view.js';

/** `fault`: the reason why the previous choice failed. */
export function renderChoice(texts: Texts, checkout: Checkout, fault: string | null): Html {
  if (checkout.offeredMethods.length === 0) return renderNoChoice(texts, checkout);
  return renderHtml`<section class="choice">
    <h1>${texts.chooseTitle}</h1>
    ${fault === null ? null : renderHtml`<p class="fault" role="alert">${fault}</p>`}
    <form method="post" action="/checkout/${checkout.id}/method">
      <fieldset>
        <legend class="spoken">${texts.chooseTitle}</legend>
        ${checkout.offeredMethods.map((method) => renderOffer(texts, method, checkout))}
      </fieldset>
      <p class="hint">${texts.chooseText}</p>
      <button type="submit">${texts.chooseButton}</button>
    </form>
    ${renderDeadline(texts, checkout)} ${renderLeave(texts, checkout)}
  </section>`;
}

function renderNoChoice(texts: Texts, checkout: Checkout): Html {
  return renderHtml`<section class="choice">
    <h1>${texts.noMethods.title}</h1>
    <p>${texts.noMethods.text}</p>
    ${renderLeave(texts, checkout)}
  </section>`;
}

function renderOffer(texts: Texts, method: ChargeableMethod, checkout: Checkout): Html {
  const isChosen = method === (checkout.method ?? checkout.offeredMethods[0]);
  const hint = method === 'QRIS' ? texts.qrisHint : texts.bankHint;
  return renderHtml`<label class="offer">
    <input
      type="radio"
      name="payment_method"
      value="${method}"
      required
      ${isChosen ? renderHtml`checked` : null}
    />
    <span>
      <strong class="badge" translate="no">${findMethodName(method)}</strong>
      <small>${hint}</small>
    </span>
  </label>`;
}

function findMethodName(method: ChargeableMethod): string {
  return method === 'QRIS' ? PAYMENT_METHODS.QRIS.name : BANKS[method];
}

export function renderPay(texts: Texts, checkout: Checkout): Html {
  const { instructions, offeredMethods } = checkout;
  const change = renderHtml`<p class="change">
    <a href="/checkout/${checkout.id}/method">${texts.changeMethod}</a>
  </p>`;
  return renderHtml`<section class="pay">
    ${instructions === null ? null : renderTarget(texts, checkout, instructions)}
    ${renderDeadline(texts, checkout)}
    <p class="waiting">
      <span data-script hidden>${texts.waiting}</span>
      <noscript>${texts.waitingNoScript}</noscript>
    </p>
    ${instructions === null ? null : renderSteps(texts, checkout, instructions)}
    ${offeredMethods.length > 1 ? change : null} ${renderLeave(texts, checkout)}
  </section>`;
}

/** The QR code or the account number that receives the money. */
function renderTarget(texts: Texts, checkout: Checkout, instructions: Instructions): Html {
  if (instructions.kind === 'qr') return renderQr(texts, checkout, instructions.payload);
  const { number, billerCode } = instructions;
  return renderHtml`<h1>${renderAround(texts.vaTitle, findBank(checkout))}</h1>
    ${billerCode === null ? null : renderNumber(texts, texts.billerCode, billerCode)}
    ${renderNumber(texts, texts.vaNumber, number)}`;
}

function findBank({ method }: Checkout): string {
  return method === null || method === 'QRIS' ? '' : BANKS[method];
}

/** Browsers keep the picture. A new order has a new revision, so it gets an address of its own. */
function renderQr(texts: Texts, checkout: Checkout, payload: string): Html {
  const picture = `/checkout/${checkout.id}/qr.png?revision=${checkout.revision}`;
  return renderHtml`<h1>${texts.qrTitle}</h1>
    <figure class="code">
      ${renderQrSvg(payload, texts.qrLabel)}
      <figcaption translate="no">
        <strong>${checkout.storefront.name}</strong>
        <span>${formatRupiah(checkout.amount)}</span>
        <small>${checkout.id}</small>
      </figcaption>
    </figure>
    <p class="save">
      <a href="${picture}" download="${checkout.id}.png">${texts.qrSave}</a>
    </p>`;
}

/** The style sheet puts the groups apart: a blank between them would be copied with a number that is selected by hand. */
function renderNumber(texts: Texts, label: string, number: string): Html {
  return renderHtml`<div class="number">
    <p class="label">${label}</p>
    <p class="digits">
      <output translate="no">${groupDigits(number).map((group) => renderHtml`<span>${group}</span><wbr />`)}</output>
      ${renderCopyButton(texts, label, number)}
    </p>
  </div>`;
}

function renderSteps(texts: Texts, { method }: Checkout, instructions: Instructions): Html {
  const title = renderHtml`<h2>${texts.stepsTitle}</h2>`;
  if (instructions.kind === 'virtual_account') {
    if (method === null || method === 'QRIS') throw new Error('a virtual account without its bank');
    return renderHtml`${title} ${renderBankSteps(texts, method, instructions.billerCode !== null)}`;
  }
  return renderHtml`${title}
    <ol>
      ${texts.qrSteps.map((step) => renderHtml`<li>${step}</li>`)}
    </ol>`;
}

function renderDeadline(texts: Texts, { expiresAtMs, nowMs }: Checkout): Html {
  const leftMs = expiresAtMs - nowMs;
  return renderHtml`<p class="deadline">
    <span>
      ${texts.payBefore}
      <time datetime="${new Date(expiresAtMs).toISOString()}"
        >${formatDeadline(expiresAtMs, texts.locale)}</time
      >
    </span>
    <span class="left">
      ${texts.timeLeft}
      <strong role="timer" translate="no" data-left-ms="${leftMs}">${formatTimeLeft(leftMs)}</strong>
    </span>
  </p>`;
}

/** The link back to the shop. It does not cancel the payment. */
function renderLeave(texts: Texts, { cancelUrl, storefront }: Checkout): Html | null {
  if (cancelUrl === null) return null;
  return renderHtml`<p class="leave"><a href="${cancelUrl}">${renderAround(texts.backTo, storefront.name)}</a></p>`;
}

/** The picture can be saved without scripts; the button to print needs one. */
function renderReceipt(texts: Texts, checkout: Checkout): Html | null {
  const rows = listReceiptRows(texts, checkout);
  if (rows.length === 0) return null;
  return renderHtml`<div class="receipt">
    <h2>${texts.receiptTitle}</h2>
    <dl>
      ${rows.map(
        ([label, value]) =>
          renderHtml`<div>
            <dt>${label}</dt>
            <dd translate="no">${value}</dd>
          </div>`,
      )}
    </dl>
    <p class="keep">
      <a href="/checkout/${checkout.id}/receipt.png" download="${checkout.id}.png">${texts.saveReceipt}</a>
      <button type="button" class="copy" data-print data-script hidden>${texts.print}</button>
    </p>
  </div>`;
}

const MARKS: Readonly<Record<string, string>> = { paid: '✓', refunded: '↩', wait: '…' };

export function renderOutcome(texts: Texts, checkout: Checkout): Html {
  const { phase, storefront } = checkout;
  if (phase === 'choose' || phase === 'pay') throw new Error(`${phase} is no outcome`);
  const { title, text } = texts.outcomes[phase];
  const isPaid = phase === 'paid';
  const url = isPaid ? checkout.successUrl : checkout.cancelUrl;
  const link = renderHtml`<p class="leave">
      <a class="button" href="${url}" ${isPaid ? renderHtml`data-return` : null}
        >${renderAround(texts.backTo, storefront.name)}</a
      >
    </p>
    ${isPaid ? renderHtml`<p class="hint" data-redirecting hidden>${texts.redirecting}</p>` : null}`;
  return renderHtml`<section class="outcome" role="status">
    <p class="mark ${phase}" aria-hidden="true">${MARKS[phase] ?? '×'}</p>
    <h1>${title}</h1>
    <p>${text}</p>
    ${renderReceipt(texts, checkout)} ${url === null || phase === 'wait' ? null : link}
  </section>`;
}
