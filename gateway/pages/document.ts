// The head and the foot of every page for customers.
import { renderHtml, type Html } from './html.js';

/** Without scripts a changing page reloads this often. */
const REFRESH_S = 15;

export interface DocumentFrame {
  readonly language: string;
  /** The name of the service, from the configuration. */
  readonly brand: string;
  /** Paths of the picture beside the title and of style sheets. */
  readonly icon: string;
  readonly styles: readonly string[];
}

export interface DocumentContent {
  readonly title: string;
  readonly main: Html;
  /** The path of a script; null: none. */
  readonly script: string | null;
  /** Reloads without scripts too; off while the customer fills in a form. */
  readonly isRefreshing: boolean;
}

export function renderDocument(frame: DocumentFrame, content: DocumentContent): Html {
  const { language, brand, icon, styles } = frame;
  const { title, main, script, isRefreshing } = content;
  const refresh = renderHtml`<noscript>
    <meta http-equiv="refresh" content="${REFRESH_S}" />
  </noscript>`;
  return renderHtml`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="${icon}" />
        ${styles.map((path) => renderHtml`<link rel="stylesheet" href="${path}" />`)}
        ${script === null ? null : renderHtml`<script type="module" src="${script}"></script>`}
        ${isRefreshing ? refresh : null}
      </head>
      <body>
        ${main}
        <footer>${brand}</footer>
      </body>
    </html> `;
}
