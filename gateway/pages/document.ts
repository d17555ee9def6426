// The head and the foot of every page for customers.
import { renderHtml, type Html } from './html.js';

/** Without scripts a changing page reloads this often. */
const REFRESH_S = 15;

export interface DocumentLayout {
  readonly language: string;
  /** The name of the service, from the configuration. */
  readonly brand: string;
  /** Paths of the picture beside the title and of style sheets. */
  readonly icon: string;
  /** The address of the picture that chats show beside a link. */
  readonly picture: string;
  readonly styles: readonly string[];
}

export interface DocumentContent {
  readonly title: string;
  /** The sentence below the title where the link is shared; null: nobody shares the page. */
  readonly about: string | null;
  readonly main: Html;
  /** The path of a script; null: none. */
  readonly script: string | null;
  /** Reloads without scripts too; off while the customer fills in a form. */
  readonly isRefreshing: boolean;
}

/** Chats and social networks read it. */
function renderPreview({ brand, picture }: DocumentLayout, title: string, about: string): Html {
  return renderHtml`<meta name="description" content="${about}" />
    <meta property="og:type" content="website" />
    <meta property="og:site_name" content="${brand}" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${about}" />
    <meta property="og:image" content="${picture}" />
    <meta property="og:image:width" content="1200" />
    <meta property="og:image:height" content="630" />`;
}

export function renderDocument(layout: DocumentLayout, content: DocumentContent): Html {
  const { language, brand, icon, styles } = layout;
  const { title, about, main, script, isRefreshing } = content;
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
        ${about === null ? null : renderPreview(layout, title, about)}
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
