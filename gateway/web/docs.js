// @ts-check
// Mounts the interactive description. It comes from the same host as the page, and calls the same host: the
// address in the document is the public one, which need not be that under which the page was opened.

const ui = /** @type {{ SwaggerUIBundle: (options: object) => unknown }} */ (
  /** @type {unknown} */ (window)
).SwaggerUIBundle;

/** Hashes of operations begin with a slash; the others name places on the page, which the bundle would misread. */
const isPlaceOnPage = /^#[^/]/.test(location.hash);

const answer = await fetch('/docs/openapi.json');
const spec = await answer.json();

ui({
  spec: { ...spec, servers: [{ url: location.origin }] },
  dom_id: '#swagger',
  deepLinking: !isPlaceOnPage,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: false,
  syntaxHighlight: { activated: false },
  persistAuthorization: false,
  validatorUrl: null,
  onComplete: showTarget,
});

/** The page has grown since the browser went to the place that its address names. */
function showTarget() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (id !== '' && !id.startsWith('/')) document.getElementById(id)?.scrollIntoView();
}
