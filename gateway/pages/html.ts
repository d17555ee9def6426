// HTML templates. `renderHtml` escapes every value that is not Html itself.

/** Markup that is safe to insert unescaped. */
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

/** Escapes values; null renders nothing. Attributes must be in double quotes. */
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

/** Marks markup as safe. It must not contain anything that a client sent. */
export function trustMarkup(markup: string): Html {
  return { markup };
}
