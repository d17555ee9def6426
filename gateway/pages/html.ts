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

/** A text that translation by the browser must leave as it is: an amount, a number, a name. */
export const renderVerbatim = (text: string): Html =>
  renderHtml`<span translate="no">${text}</span>`;

/** The first of the private characters that keep the places of parts, which no text of a page holds. */
const FIRST_PLACE = 0xe000;
const PLACE = /([\ue000-\ue00f])/;

/** A sentence around parts that translation by the browser must leave as they are. */
export function renderAround<Parts extends readonly string[]>(
  write: (...parts: Parts) => string,
  ...parts: Parts
): Html {
  const places = parts.map((_, index) => String.fromCharCode(FIRST_PLACE + index));
  // The list of places has the length of the list of parts.
  const pieces = write(...(places as readonly string[] as Parts)).split(PLACE);
  return renderHtml`${pieces.map((piece) => {
    const part = parts[places.indexOf(piece)];
    return part === undefined ? renderHtml`${piece}` : renderVerbatim(part);
  })}`;
}

/** Marks markup as safe. It must not contain anything that a client sent. */
export function trustMarkup(markup: string): Html {
  return { markup };
}
