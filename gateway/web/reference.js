// @ts-check
// Mounts the interactive reference. Its calls go to the host that served the page, because the public address in the
// document may be another one. The build bundles it (ops/dev/setup/build-reference.mjs).
import { createPlugin, SNIPPET_OPTIONS } from './reference-plugin.js';

const ui = /** @type {{ SwaggerUIBundle: (options: object) => unknown }} */ (
  /** @type {unknown} */ (window)
).SwaggerUIBundle;

const place = /** @type {HTMLElement} */ (document.getElementById('swagger'));
/** The bundle brings a main landmark of its own, so that of the page becomes a plain element. */
function yieldLandmark() {
  const outer = place.closest('main');
  if (outer === null) return;
  const plain = document.createElement('div');
  plain.id = outer.id;
  plain.tabIndex = -1;
  plain.append(...outer.childNodes);
  outer.replaceWith(plain);
}

yieldLandmark();
const dark = window.matchMedia('(prefers-color-scheme: dark)');

/** The bundle's style sheet has dark colours for this class. */
function followScheme() {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
}

followScheme();
dark.addEventListener('change', followScheme);

/** The text that names a control: the cell or the title beside it. */
const LABELS = {
  'select.examples-select-element': 'Example',
  '.parameters-col_description select': 'Value',
  '.parameters-col_description input': 'Value',
  'textarea.body-param__text': 'Request body',
  'select.content-type, .content-type-wrapper select': 'Media type',
  'select.response-control-media-type__select': 'Media type',
};
/** The level of the bundle's headings below the title of this page. */
const LEVELS = { 'h3.opblock-tag, .modal-ux-header h3': '2', h4: '3', h5: '4' };

/** Names what the bundle leaves without a name, and takes apart what it nests, for screen readers. */
function mend() {
  for (const [selector, label] of Object.entries(LABELS)) {
    for (const control of place.querySelectorAll(selector)) {
      const row = control.closest('tr')?.dataset['paramName'];
      control.setAttribute('aria-label', row ?? label);
    }
  }
  for (const [selector, level] of Object.entries(LEVELS)) {
    for (const heading of place.querySelectorAll(selector)) {
      heading.setAttribute('aria-level', level);
    }
  }
  for (const block of place.querySelectorAll('pre.microlight, .highlight-code pre')) {
    block.setAttribute('tabindex', '0');
  }
  for (const dialog of place.querySelectorAll('.modal-ux')) {
    dialog.setAttribute('role', 'dialog');
    dialog.setAttribute('aria-modal', 'true');
    dialog.setAttribute('aria-label', 'Available authorizations');
    dialog.querySelector('.close-modal')?.setAttribute('aria-label', 'Close');
    for (const button of dialog.querySelectorAll('.modal-btn'))
      button.removeAttribute('aria-label');
  }
  // A link inside a button: the button opens the operation and puts its address into the location.
  for (const link of place.querySelectorAll('button a[href]')) link.removeAttribute('href');
}

new window.MutationObserver(mend).observe(place, { childList: true, subtree: true });

const answer = await fetch(place.dataset['document'] ?? '');
const spec = await answer.json();

ui({
  spec: { ...spec, servers: [{ url: location.origin }] },
  dom_id: '#swagger',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: false,
  syntaxHighlight: { activated: false },
  persistAuthorization: false,
  validatorUrl: null,
  plugins: [createPlugin(spec, { hasSession: 'session' in place.dataset })],
  ...SNIPPET_OPTIONS,
});
