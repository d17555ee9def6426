// @ts-check
// Mounts the interactive description. Its calls go to the host that served the page, because the public address in the
// document may be another one.

const ui = /** @type {{ SwaggerUIBundle: (options: object) => unknown }} */ (
  /** @type {unknown} */ (window)
).SwaggerUIBundle;

/** Hashes of operations begin with a slash. Other hashes name places on the page; the bundle would misread them. */
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

/** The page has grown since the browser scrolled to the place in its address, so it scrolls again. */
function showTarget() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (id !== '' && !id.startsWith('/')) document.getElementById(id)?.scrollIntoView();
}
