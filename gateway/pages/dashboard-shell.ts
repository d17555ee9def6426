// The HTML of every path of the dashboard: it loads the script, which shows the view of the address. Styles that the
// component library adds carry the nonce of the answer; the policy allows no others. Browsers are told not to translate the
// page: they wrap its texts in elements that React does not know, and the next change of the view then fails in `removeChild`.
import { randomBytes } from 'node:crypto';
import { renderHtml } from './html.js';
import { buildPageReply } from './respond.js';
import type { Preferences } from '../routing/request.js';
import type { Reply } from '../routing/response.js';
import type { DashboardFiles } from './dashboard-files.js';

const NONCE_BYTES = 16;
const NO_SCRIPT = {
  id: 'Dasbor ini membutuhkan JavaScript.',
  en: 'This dashboard needs JavaScript.',
} as const;

export interface ShellDeps {
  /** The name of the service, from the configuration. */
  readonly brand: string;
  /** The script compares it with its own address. */
  readonly baseUrl: string;
  /** false: mails stay in the database, and the views say so. */
  readonly sendsMail: boolean;
  readonly icon: string;
  readonly files: Pick<DashboardFiles, 'script' | 'imports' | 'styles'>;
}

export function renderShell(
  { brand, baseUrl, sendsMail, icon, files }: ShellDeps,
  preferences: Preferences,
): Reply {
  const language = /^\s*(id|in)\b/i.test(preferences.acceptLanguage) ? 'id' : 'en';
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  const page = renderHtml`<!doctype html>
    <html lang="${language}" translate="no">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="google" content="notranslate" />
        <meta name="color-scheme" content="light dark" />
        <meta name="csp-nonce" nonce="${nonce}" />
        <meta name="application-name" content="${brand}" />
        <meta name="base-url" content="${baseUrl}" />
        <meta name="mail" content="${sendsMail ? 'sent' : 'kept'}" />
        <title>${brand}</title>
        <link rel="icon" href="${icon}" />
        ${files.styles.map((path) => renderHtml`<link rel="stylesheet" href="${path}" />`)}
        ${files.imports.map((path) => renderHtml`<link rel="modulepreload" href="${path}" />`)}
        <script type="module" src="${files.script}"></script>
      </head>
      <body>
        <div id="root"></div>
        <noscript>${NO_SCRIPT[language]}</noscript>
      </body>
    </html> `;
  return buildPageReply(200, page, language, nonce);
}
