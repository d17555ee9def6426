// The page behind a link in a mail. The secret of the link follows its `#`, which a browser does not send: the script of the
// page (web/mailed-link.js) takes it from the address and sends it when the person presses the button. Without it the page
// says so and asks for the code of the mail, which is the same secret: some programs that rewrite the links in mails drop it.
import { MAX_PASSWORD, MIN_PASSWORD } from '../users/schema.js';
import type { PageLayout } from '#gateway/selling/checkout/payable-page.js';
import { renderDocument } from '#gateway/pages/document.js';
import { type Html, renderHtml } from '#gateway/pages/html.js';
import {
  LINK_OUTCOMES,
  type LinkOutcome,
  type LinkPurpose,
  MAILED_LINK_TEXTS,
} from './page-texts.js';

/** The script sends the secret there, with the password. */
const ACTIONS: Readonly<Record<LinkPurpose, string>> = {
  verify: '/v1/auth/verify',
  reset: '/v1/auth/password-reset/confirm',
  join: '/v1/auth/password-reset/confirm',
};

/** `script`: the path of web/mailed-link.js. */
export function renderMailedLink(layout: PageLayout, purpose: LinkPurpose, script: string): Html {
  const texts = MAILED_LINK_TEXTS[layout.language];
  const { title, text, button } = texts.purposes[purpose];
  // Sent by the script only: `post` keeps a password out of the address if the script fails.
  const main = renderHtml`<main>
    <section class="bill"><h1>${title}</h1></section>
    <section class="entry">
      <noscript><p class="fault">${texts.scripts}</p></noscript>
      <form method="post" data-action="${ACTIONS[purpose]}" hidden>
        <p>${text}</p>
        ${renderCode(layout)}
        ${purpose === 'verify' ? renderOwnPassword(layout) : renderNewPassword(layout)}
        <button type="submit">${button}</button>
      </form>
      <div role="status">${LINK_OUTCOMES.map((outcome) => renderOutcome(layout, purpose, outcome))}</div>
    </section>
  </main>`;
  return renderDocument(layout, { title, about: null, main, script, isRefreshing: false });
}

/** Shown by the script. Afterwards the person goes on in the dashboard. */
function renderOutcome({ language }: PageLayout, purpose: LinkPurpose, outcome: LinkOutcome): Html {
  const { outcomes, dashboard } = MAILED_LINK_TEXTS[language];
  if (outcome === 'done') {
    return renderHtml`<p class="done" data-outcome="done" hidden>
      ${outcomes[purpose].done} <a href="/dashboard">${dashboard}</a>
    </p>`;
  }
  const text = outcome === 'refused' ? outcomes[purpose].refused : outcomes[outcome];
  return renderHtml`<p class="fault" data-outcome="${outcome}" hidden>${text}</p>`;
}

/** Shown by the script when the address has no secret. */
function renderCode({ language }: PageLayout): Html {
  const { codeMissing, code, codeHint } = MAILED_LINK_TEXTS[language];
  return renderHtml`<div data-part="code" hidden>
    <p class="fault">${codeMissing}</p>
    <label class="field">
      <span>${code}</span>
      <input
        type="text"
        name="code"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        aria-describedby="code-hint"
      />
      <small id="code-hint">${codeHint}</small>
    </label>
  </div>`;
}

function renderOwnPassword({ language }: PageLayout): Html {
  const { ownPassword, ownPasswordHint, forgotten } = MAILED_LINK_TEXTS[language];
  return renderHtml`<label class="field">
      <span>${ownPassword}</span>
      <input
        type="password"
        name="password"
        autocomplete="current-password"
        required
        aria-describedby="password-hint"
      />
      <small id="password-hint">${ownPasswordHint}</small>
    </label>
    <p><a href="/dashboard/forgot-password">${forgotten}</a></p>`;
}

function renderNewPassword({ language }: PageLayout): Html {
  const { password, passwordHint } = MAILED_LINK_TEXTS[language];
  return renderHtml`<label class="field">
    <span>${password}</span>
    <input
      type="password"
      name="password"
      autocomplete="new-password"
      required
      minlength="${MIN_PASSWORD}"
      maxlength="${MAX_PASSWORD}"
      aria-describedby="password-hint"
    />
    <small id="password-hint">${passwordHint(MIN_PASSWORD)}</small>
  </label>`;
}
