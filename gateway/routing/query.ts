// The query string as an object of strings: each parameter at most once, percent-encoding in UTF-8, nothing
// in it that JSON bodies may not hold either.
import { type ApiError, buildApiError } from './response.js';

const MAX_PARAMETERS = 32;

export type ParsedQuery = { readonly value: Readonly<Record<string, string>> } | ApiError;

export function parseQuery(query: string): ParsedQuery {
  const value: Record<string, string> = {};
  const parts = query === '' ? [] : query.split('&');
  if (parts.length > MAX_PARAMETERS)
    return buildQueryError(`There are more than ${MAX_PARAMETERS} parameters.`);
  for (const part of parts) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    const text = decode(equals === -1 ? '' : part.slice(equals + 1));
    if (name === undefined || text === undefined)
      return buildQueryError('A parameter is not valid UTF-8.');
    if (name === '__proto__') return buildQueryError('The parameter __proto__ is not allowed.');
    if (Object.hasOwn(value, name)) return buildQueryError('A parameter comes twice.');
    value[name] = text;
  }
  return { value };
}

/** undefined: a broken escape, invalid UTF-8, or U+0000. */
function decode(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
}

function buildQueryError(message: string): ApiError {
  return buildApiError('field_invalid', { message });
}
