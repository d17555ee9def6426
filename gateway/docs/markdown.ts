// Guides from Markdown to HTML, with an anchor per heading and the sections that the search knows. The files in docs/guides
// are readable on a code host too, so they hold placeholders for the name and the address of the installation.
import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml, type Html, trustMarkup } from '../pages/html.js';

export interface Installation {
  readonly brandHeader: string;
  readonly baseUrl: string;
}

export interface Section {
  /** Empty above the first heading of the second level. */
  readonly anchor: string;
  readonly title: string;
  /** Plain text. */
  readonly text: string;
}

export interface RenderedGuide {
  readonly title: string;
  readonly content: Html;
  readonly sections: readonly Section[];
}

const WRITTEN_URL = 'http://localhost:8080';
const WRITTEN_HEADER = /\b(X-)?Service-(?=[A-Z])/g;

/** @throws when two headings have one anchor, or when `findPath` does not know a linked file */
export function renderMarkdown(
  text: string,
  installation: Installation,
  findPath: (file: string) => string,
): RenderedGuide {
  const own = text
    .replaceAll(WRITTEN_URL, installation.baseUrl)
    .replace(WRITTEN_HEADER, (_, prefix = '') => `${prefix}${installation.brandHeader}-`);
  const marked = createRenderer(findPath);
  const tokens = marked.lexer(own);
  const sections = listSections(tokens);
  const anchors = sections.map(({ anchor }) => anchor);
  const twice = anchors.find((anchor, index) => anchors.indexOf(anchor) !== index);
  if (twice !== undefined) throw new Error(`two headings have the anchor ${twice}: rename one`);
  const title = sections[0]?.title ?? '';
  return { title, content: trustMarkup(marked.parser(tokens)), sections };
}

function createRenderer(findPath: (file: string) => string): Marked {
  return new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const content = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${content}</h1>\n`;
        const anchor = buildAnchor(text);
        const label = escapeHtml(`Link to ${stripMarks(text)}`);
        const link = `<a class="anchor" href="#${anchor}" aria-label="${label}">#</a>`;
        return `<h${depth} id="${anchor}">${content} ${link}</h${depth}>\n`;
      },
      code({ text, lang = '' }) {
        const [language = ''] = lang.split(' ');
        return `<pre tabindex="0" translate="no"><code class="${escapeHtml(language)}">${escapeHtml(text)}\n</code></pre>\n`;
      },
      codespan({ text }) {
        return `<code translate="no">${escapeHtml(text)}</code>`;
      },
      link({ href, tokens }) {
        const target = escapeHtml(resolveLink(href, findPath));
        return `<a href="${target}">${this.parser.parseInline(tokens)}</a>`;
      },
      table({ header, rows }) {
        const writeRow = (cells: readonly Tokens.TableCell[]): string => {
          const written = cells.map((cell) => {
            const tag = cell.header ? 'th' : 'td';
            const scope = cell.header ? ' scope="col"' : '';
            return `<${tag}${scope}>${this.parser.parseInline(cell.tokens)}</${tag}>`;
          });
          return `<tr>${written.join('')}</tr>`;
        };
        const label = escapeHtml(header.map(({ text }) => stripMarks(text)).join(', '));
        return (
          `<div class="table" tabindex="0" role="region" aria-label="${label}"><table>` +
          `<thead>${writeRow(header)}</thead><tbody>${rows.map(writeRow).join('')}</tbody></table></div>\n`
        );
      },
    },
  });
}

function resolveLink(href: string, findPath: (file: string) => string): string {
  if (/^(https?:|#)/.test(href)) return href;
  const [file = '', anchor] = href.split('#');
  return findPath(file) + (anchor === undefined ? '' : `#${anchor}`);
}

/** As code hosts build it, so that a link to a heading works in both places. */
function buildAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function stripMarks(markdown: string): string {
  return markdown.replaceAll(/\]\([^)]*\)/g, ' ').replaceAll(/[`*|[\]]|-{3,}/g, ' ');
}

function listSections(tokens: readonly Token[]): readonly Section[] {
  const sections: { anchor: string; title: string; text: string }[] = [];
  for (const token of tokens) {
    if (token.type === 'heading') {
      const { depth, text } = token as Tokens.Heading;
      const anchor = depth === 1 ? '' : buildAnchor(text);
      sections.push({ anchor, title: stripMarks(text).trim(), text: '' });
      continue;
    }
    const section = sections.at(-1);
    if (section !== undefined) {
      section.text += ` ${stripMarks(token.type === 'code' ? (token as Tokens.Code).text : token.raw)}`;
    }
  }
  return sections.map((section) => ({
    ...section,
    text: section.text.replaceAll(/\s+/g, ' ').trim(),
  }));
}
