// Texts of a body that a user or an administrator sets. A hidden character in one is an error that names it
// (actors/core/hidden-characters.ts), unless the schema of the field says how its text is read:
//
//   typedAs: 'identifier'   a tax, identity or account number: separators are ignored
//   typedAs: 'code'         a code of a second factor: the same, and capital letters are small ones
//   typedAs: 'phone'        a telephone number: its separators become ASCII
//   typedAs: 'sought'       is looked for among texts that came with payments, and read as they were
//   typedAs: 'lines'        may have several lines
//   typedAs: 'anything'     a password, or a file in base64
import type { TSchema } from '@sinclair/typebox';
import { describeHidden, removeHidden } from '#actors/core/hidden-characters.js';
import { readCode, readPhone, removeSeparators } from '#actors/core/typed-identifiers.js';
import { findFieldSchema, type Keywords, listChoices } from './lenient-body.js';
import { type ApiError, buildApiError } from './response.js';
import { formatParam } from './validation.js';

const READERS = {
  identifier: removeSeparators,
  code: readCode,
  phone: readPhone,
  sought: (text) => removeHidden(text).trim(),
  lines: null,
  anything: (text) => text,
} as const satisfies Record<NonNullable<Keywords['typedAs']>, ((text: string) => string) | null>;

type ReadText = (text: string, choices: readonly Keywords[], param: string) => string;

/** The body with its texts as they are read, or the error of the first text with a hidden character. */
export function readTypedTexts(
  schema: TSchema,
  body: unknown,
): { readonly value: unknown } | ApiError {
  let error: ApiError | undefined;
  const value = mapTexts(listOptions(schema), body, '', (text, choices, param) => {
    if (!choices.some(({ type }) => type === 'string')) return text;
    const { typedAs } = choices.find((choice) => choice.typedAs !== undefined) ?? {};
    const read = typedAs === undefined ? null : READERS[typedAs];
    if (read !== null) return read(text);
    const requirement = describeHidden(text, typedAs === 'lines');
    if (requirement !== null) error ??= buildHiddenError(choices, requirement, param);
    return text;
  });
  return error ?? { value };
}

/** `value` itself when no text is changed. */
function mapTexts(
  choices: readonly Keywords[],
  value: unknown,
  param: string,
  read: ReadText,
): unknown {
  if (typeof value === 'string') return read(value, choices, param);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const mapped = entries.map(([name, inner]) => {
    const path = param === '' ? name : `${param}.${name}`;
    return mapTexts(listInnerChoices(choices, value, name), inner, path, read);
  });
  if (mapped.every((inner, index) => inner === entries[index]?.[1])) return value;
  if (Array.isArray(value)) return mapped;
  return Object.fromEntries(mapped.map((inner, index) => [entries[index]?.[0], inner]));
}

/** A union has keywords of its own. */
const listOptions = (schema: TSchema): readonly Keywords[] => [
  schema as Keywords,
  ...listChoices(schema),
];

function listInnerChoices(
  choices: readonly Keywords[],
  value: object,
  name: string,
): readonly Keywords[] {
  return choices.flatMap((choice) => {
    const inner = Array.isArray(value) ? choice.items : findFieldSchema(choice, name);
    return inner === undefined ? [] : listOptions(inner);
  });
}

function buildHiddenError(
  choices: readonly Keywords[],
  requirement: string,
  path: string,
): ApiError {
  const code = choices.find(({ errorCode }) => errorCode !== undefined)?.errorCode;
  const param = formatParam(path);
  if (param === undefined) return buildApiError('body_invalid');
  const message = `${param} ${requirement}.`;
  return buildApiError(code === 'url_invalid' ? code : 'field_invalid', { message, param });
}
