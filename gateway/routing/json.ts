// Strict JSON: a text that two parsers could read differently is an error. Beyond JSON.parse it rejects invalid UTF-8,
// duplicate member names at any depth, `__proto__`, nesting deeper than MAX_DEPTH, and U+0000 or lone surrogates in
// strings.
//
// Duplicates are found by counting: each `:` outside a string is a member, and an object keeps one key per name; fewer
// keys than members mean a duplicate.
import { isAscii, isUtf8 } from 'node:buffer';
import { type ApiError, buildApiError } from './response.js';
import { formatParam } from './validation.js';

const MAX_DEPTH = 16;

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

export type Parsed = { readonly value: unknown } | ApiError;

/** The value of a JSON text, or the error that makes it invalid or ambiguous. */
export function parseJson(bytes: Buffer): Parsed {
  const isSimple = isAscii(bytes);
  if (!isSimple && !isUtf8(bytes)) return buildInvalidError('The body must be UTF-8.');
  const text = bytes.toString(isSimple ? 'latin1' : 'utf8');
  const members = countMembers(text);
  if (members < 0)
    return buildInvalidError(`The body must be nested at most ${MAX_DEPTH} levels deep.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return buildInvalidError('The body is not valid JSON.');
  }
  return checkValue(value, members, text.includes('\\u')) ?? { value };
}

/** The number of colons outside strings; -1: arrays and objects are nested too deep. */
function countMembers(text: string): number {
  let members = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = findStringEnd(text, index + 1);
        break;
      case COLON:
        members += 1;
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        depth += 1;
        if (depth > MAX_DEPTH) return -1;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth -= 1;
        break;
      default:
    }
  }
  return members;
}

/** The index of the quote that ends the string; the length of the text when none does. */
function findStringEnd(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (quote !== -1 && isEscaped(text, quote, from)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote;
}

function isEscaped(text: string, quote: number, from: number): boolean {
  let index = quote - 1;
  while (index >= from && text.charCodeAt(index) === BACKSLASH) index -= 1;
  return (quote - index) % 2 === 0;
}

interface JsonWalk {
  keys: number;
  /** Only an escape can write U+0000 or half a surrogate pair, so strings are checked only when one is present. */
  readonly hasEscapes: boolean;
  error: ApiError | undefined;
}

function checkValue(value: unknown, members: number, hasEscapes: boolean): ApiError | undefined {
  const walk: JsonWalk = { keys: 0, hasEscapes, error: undefined };
  visit(value, '', walk);
  if (walk.error !== undefined) return walk.error;
  return walk.keys === members
    ? undefined
    : buildInvalidError('A field of the body must appear only once.');
}

function visit(value: unknown, param: string, walk: JsonWalk): void {
  if (typeof value === 'string') {
    if (walk.hasEscapes && !isCleanText(value)) walk.error = buildTextError(param);
  } else if (Array.isArray(value)) {
    for (const item of value) visit(item, param, walk);
  } else if (typeof value === 'object' && value !== null) {
    visitObject(value, param, walk);
  }
}

function visitObject(value: object, param: string, walk: JsonWalk): void {
  for (const [name, inner] of Object.entries(value)) {
    walk.keys += 1;
    if (name === '__proto__') walk.error = buildInvalidError('The field __proto__ is not allowed.');
    else if (walk.hasEscapes && !isCleanText(name)) walk.error = buildTextError(param);
    else visit(inner, param === '' ? name : `${param}.${name}`, walk);
  }
}

function isCleanText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function buildTextError(name: string): ApiError {
  const param = formatParam(name) ?? '';
  const message = `${param || 'A field name'} must not contain U+0000 or half a surrogate pair.`;
  return buildApiError('field_invalid', param === '' ? { message } : { message, param });
}

function buildInvalidError(message: string): ApiError {
  return buildApiError('body_invalid', { message });
}
