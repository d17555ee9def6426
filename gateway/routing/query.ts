// Parses a query string into an object of strings. Each parameter may appear once; percent-encoding must be UTF-8;
// U+0000 and `__proto__` are errors, as in JSON bodies.
import { type ApiError, buildApiError } from './response.js';

const MAX_PARAMETERS = 32;

export type ParsedQuery = { readonly value: Readonly<Record<string, string>> } | ApiError;

export function parseQuery(query: string): ParsedQuery {
  const value: Record<string, string> = {};
  const pairs = query === '' ? [] : query.split('&');
  if (pairs.length > MAX_PARAMETERS)
    return buildQueryError(`The query must have at most ${MAX_PARAMETERS} parameters.`);
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const text = decode(equals === -1 ? '' : pair.slice(equals + 1));
    if (name === undefined || text === undefined)
      return buildQueryError('A parameter must be percent-encoded UTF-8 without U+0000.');
    if (name === '__proto__') return buildQueryError('The parameter __proto__ is not allowed.');
    if (Object.hasOwn(value, name)) return buildQueryError('A parameter must appear only once.');
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
