// The documentation page: the quick start, the interactive reference, and all error codes.
import { ERRORS } from '../routing/errors.js';
import { renderHtml, type Html } from '../pages/html.js';

export interface DocsDeps {
  readonly brand: string;
  readonly brandHeader: string;
  readonly baseUrl: string;
  readonly findPath: (name: string) => string;
}

export function renderDocs({ brand, brandHeader, baseUrl, findPath }: DocsDeps): Html {
  return renderHtml`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${brand} API</title>
        <link rel="icon" href="${findPath('icon.svg')}" />
        <link rel="stylesheet" href="${findPath('swagger-ui.css')}" />
        <link rel="stylesheet" href="${findPath('docs.css')}" />
        <script defer src="${findPath('swagger-ui-bundle.js')}"></script>
        <script type="module" src="${findPath('docs.js')}"></script>
      </head>
      <body>
        <header>
          <p class="brand">${brand} API</p>
          <nav aria-label="Sections">
            <a href="#start">Quick start</a>
            <a href="#reference">Reference</a>
            <a href="#errors">Errors</a>
            <a href="/docs/openapi.json">openapi.json</a>
          </nav>
        </header>
        <main>${renderStart(brandHeader, baseUrl)} ${renderOperations()} ${renderErrors()}</main>
      </body>
    </html> `;
}

function renderStart(brandHeader: string, baseUrl: string): Html {
  const id = 'pay_…';
  return renderHtml`<section id="start" class="prose">
    <h1>Quick start</h1>
    <p>
      Take a test key (<code>sk_test_…</code>): everything works as in LIVE, but no money moves.
      Amounts are strings of digits; one unit is one rupiah.
    </p>
    <ol>
      <li>
        <h2>Create a payment</h2>
        ${renderCommand(`curl ${baseUrl}/v1/payments \\
  -H 'Authorization: Bearer sk_test_…' \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: quick-start-1' \\
  -d '{"amount":"150000","reference_id":"order-1","customer_name":"Budi"}'`)}
        <p>
          The answer is 201 with <code>id</code>, <code>status</code> and <code>checkout_url</code>.
          A repeat with the same key returns the same payment, so you can retry safely.
        </p>
      </li>
      <li>
        <h2>Send the customer to <code>checkout_url</code></h2>
        <p>
          There the customer chooses QRIS or a bank and pays. In TEST you are the bank, with the
          <code>id</code> of the payment:
        </p>
        ${renderCommand(`curl ${baseUrl}/v1/sandbox/payments/${id}/simulate \\
  -H 'Content-Type: application/json' \\
  -d '{"outcome":"paid"}'`)}
      </li>
      <li>
        <h2>Learn that it is paid</h2>
        <p>
          The webhook <code>payment.paid</code> tells you; verify its
          <code>X-${brandHeader}-Signature</code>. Or get the payment. A customer who comes back to
          <code>success_url</code> proves nothing.
        </p>
        ${renderCommand(`curl ${baseUrl}/v1/payments/${id} \\
  -H 'Authorization: Bearer sk_test_…'`)}
      </li>
    </ol>
  </section>`;
}

function renderCommand(text: string): Html {
  // A separate template, so that the formatter does not change the line breaks of the command.
  return renderHtml`<pre tabindex="0"><code>${text}</code></pre>`;
}

function renderOperations(): Html {
  return renderHtml`<section id="reference">
    <div class="prose">
      <h1>Reference</h1>
      <noscript>
        <p>
          This part needs scripts. The same content in one file:
          <a href="/docs/openapi.json">openapi.json</a>.
        </p>
      </noscript>
    </div>
    <div id="swagger"></div>
  </section>`;
}

function renderErrors(): Html {
  return renderHtml`<section id="errors" class="prose">
    <h1>Errors</h1>
    <p>
      Programs check <code>code</code>, people read <code>message</code>. Quote
      <code>request_id</code> when you ask us. 503 means that nothing was accepted; 504 means that
      the outcome is not known yet: look the payment up, or repeat with the same key.
    </p>
    <div class="table" tabindex="0" role="region" aria-label="Errors">
      <table>
        <thead>
          <tr>
            <th scope="col">Code</th>
            <th scope="col">HTTP</th>
            <th scope="col">Type</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          ${Object.entries(ERRORS).map(
            ([code, { status, type, message }]) =>
              renderHtml`<tr id="errors/${code}">
                <th scope="row">
                  <a href="#errors/${code}"><code>${code}</code></a>
                </th>
                <td>${status}</td>
                <td><code>${type}</code></td>
                <td>${message}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}
