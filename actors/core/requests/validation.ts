// The checks that all request bodies share: the schema, then rules for texts beside their length.
// An error names the first field that is wrong and never repeats its value.
import type { TSchema } from '@sinclair/typebox';
import type { TypeCheck } from '@sinclair/typebox/compiler';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { explainError, formatPath } from './explain.js';
import { hasCardData, hasCardDataInUrl, isCardAsPhone } from '../card-data.js';
import { isHttps, isPageUrl, isSafeUrl } from '../urls.js';

export interface ValidationError<Code extends string> {
  readonly code: Code | 'body_invalid';
  /** The field, dotted where it is nested; null: the body as a whole. */
  readonly param: string | null;
  /** Names the allowed values. Absent: the gateway's error table has it. */
  readonly message?: string;
}

const MAX_NAME_LENGTH = 200;

/** TypeBox counts UTF-16 units, so a text that is too long by that count only is accepted. */
export function findSchemaError<Code extends string>(
  schema: TypeCheck<TSchema>,
  body: unknown,
  codeFor: (param: string) => Code,
): ValidationError<Code> | null {
  if (schema.Check(body)) return null;
  for (const error of schema.Errors(body)) {
    if (!isLengthAllowed(error)) return buildError(error, codeFor);
  }
  return null;
}

function isLengthAllowed({ type, value, schema }: ValueError): boolean {
  if (type !== ValueErrorType.StringMaxLength || typeof value !== 'string') return false;
  return isWithinLength(value, Number(schema.maxLength));
}

function buildError<Code extends string>(
  error: ValueError,
  codeFor: (param: string) => Code,
): ValidationError<Code> {
  const param = formatPath(error);
  if (!canShowName(param)) return { code: 'body_invalid', param: null };
  const message = explainError(error, param);
  if (param === '') return { code: 'body_invalid', param: null, message };
  const isUnknown = error.type === ValueErrorType.ObjectAdditionalProperties;
  return { code: isUnknown ? 'body_invalid' : codeFor(param), param, message };
}

/** A name that is a card number, or very long, is not repeated. */
function canShowName(param: string): boolean {
  return param.length <= MAX_NAME_LENGTH && findFreeTextError(param) === null;
}

export type TextError = 'field_invalid' | 'card_data_refused';

/** Postgres cannot store U+0000 or half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

export function findFreeTextError(text: string): TextError | null {
  return findTextError(text, hasCardData);
}

function findTextError(text: string, hasCard: (text: string) => boolean): TextError | null {
  if (!isStorable(text)) return 'field_invalid';
  return hasCard(text) ? 'card_data_refused' : null;
}

/**
 * One mailbox: `name@host.example`, in ASCII. No list, comment, quoted text or display name, and no `%` or `!`, which old
 * relays take for another address. The host has a dot.
 */
export const EMAIL_PATTERN =
  "^[A-Za-z0-9#$&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9#$&'*+/=?^_`{|}~-]+)*" +
  '@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$';
const EMAIL = new RegExp(EMAIL_PATTERN);

export function findEmailError(text: string): TextError | null {
  return EMAIL.test(text) ? findFreeTextError(text) : 'field_invalid';
}

const PHONE = /^\+?[0-9 ().\-/]+$/;
const MAX_PHONE_DIGITS = 15;

export function findPhoneError(text: string): TextError | null {
  if (!isPhone(text)) return 'field_invalid';
  return isCardAsPhone(text) ? 'card_data_refused' : null;
}

/** At most the 15 digits of E.164. */
function isPhone(text: string): boolean {
  const digits = text.replace(/[^0-9]/g, '').length;
  return PHONE.test(text) && digits >= 3 && digits <= MAX_PHONE_DIGITS;
}

type UrlError = 'url_invalid' | 'card_data_refused';

export function findUrlError(text: string, isTaken = isHttps): UrlError | null {
  if (!isStorable(text) || !isSafeUrl(text, isTaken)) return 'url_invalid';
  return hasCardDataInUrl(text) ? 'card_data_refused' : null;
}

/** For a page that only the customer's browser opens. `isTestOnlyUrl` (../urls.ts) says whether the environment takes it. */
export const findPageUrlError = (text: string): UrlError | null => findUrlError(text, isPageUrl);

/** For a URL whose form is checked elsewhere. */
export function findCardInUrl(text: string): TextError | null {
  return findTextError(text, hasCardDataInUrl);
}

/** For a telephone number in any spelling. */
export function findCardInPhone(text: string): TextError | null {
  return findTextError(text, isCardAsPhone);
}

/** Counts code points, as JSON Schema does. */
export function isWithinLength(text: string, max: number): boolean {
  return text.length <= max || (text.length <= max * 2 && [...text].length <= max);
}
