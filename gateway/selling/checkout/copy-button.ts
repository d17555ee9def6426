// The button that copies a number or an amount. The script of the page shows it.
import { renderHtml, type Html } from '#gateway/pages/html.js';
import type { Texts } from './texts.js';

/** Beside an `output` with what is copied. `label` is read to people who cannot see it. */
export function renderCopyButton(texts: Texts, label: string, content: string): Html {
  return renderHtml`<button
    type="button"
    class="copy"
    data-copy="${content}"
    data-copied="${texts.copied}"
    data-selected="${texts.selected}"
    hidden
  >
    ${texts.copy}<span class="spoken"> ${label}</span>
  </button>`;
}
