// Text of pages. Whatever is put into `html` is escaped, unless it is Html itself.

/** Markup that is safe to put into a page as it is. */
export interface Html {
  readonly markup: string;
}

type HtmlPart = Html | readonly Html[] | string | number | null;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A template: markup as written, values escaped; null is nothing. Attributes must be in double quotes. */
export function renderHtml(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  let markup = strings[0] ?? '';
  for (const [index, part] of parts.entries()) {
    markup += renderPart(part) + (strings[index + 1] ?? '');
  }
  return { markup };
}

function renderPart(part: HtmlPart): string {
  if (part === null) return '';
  if (typeof part === 'object') {
    return 'markup' in part ? part.markup : part.map((each) => each.markup).join('');
  }
  return escapeHtml(String(part));
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Markup that was made elsewhere, from nothing that a client sent. */
export function trustMarkup(markup: string): Html {
  return { markup };
}
