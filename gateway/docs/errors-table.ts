// All error codes, below the guide about errors. `doc_url` of an error leads to the row of its code.
import { ERROR_HELP } from '../routing/error-help.js';
import { ERRORS, type ErrorCode } from '../routing/errors.js';
import { renderHtml, type Html } from '../pages/html.js';
import type { Section } from './markdown.js';

const CODES = Object.keys(ERRORS) as ErrorCode[];

export function renderErrorTable(): Html {
  return renderHtml`<h2 id="codes">
      All codes <a class="anchor" href="#codes" aria-label="Link to All codes">#</a>
    </h2>
    <div class="table" tabindex="0" role="region" aria-label="All codes">
      <table class="codes">
        <thead>
          <tr>
            <th scope="col">Code</th>
            <th scope="col">HTTP</th>
            <th scope="col">Type</th>
            <th scope="col">Cause and remedy</th>
          </tr>
        </thead>
        <tbody>
          ${CODES.map(
            (code) =>
              renderHtml`<tr id="${code}">
                <th scope="row">
                  <a href="#${code}"><code translate="no">${code}</code></a>
                </th>
                <td>${ERRORS[code].status}</td>
                <td><code translate="no">${ERRORS[code].type}</code></td>
                <td>
                  <p>${ERROR_HELP[code].cause}</p>
                  <p><strong>Remedy:</strong> ${ERROR_HELP[code].remedy}</p>
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

/** Remedies speak of everything, so codes come behind guides. */
const WEIGHT = 0.6;

/** For the search. */
export const listErrorSections = (): readonly (Section & { readonly weight: number })[] =>
  CODES.map((code) => {
    const { status, type } = ERRORS[code];
    const { cause, remedy } = ERROR_HELP[code];
    const text = `${status} ${type}: ${cause} ${remedy}`;
    return { anchor: code, title: code, text, weight: WEIGHT };
  });
